[ -n "$NO_JVM" ] || { echo 'no namespaces'; exit 77; }
exec 2>&1
for command in jstack hh 'jmap -histo' perfmap vminfo doctor 'ttop -b' \
	'jstat -gcutil' 'jstat -gcutil 1s' 'prof -d 1s' 'gc 1s' jps 'jps -l' \
	'jps -q' jcmd 'jcmd -l' 'jcmd Thread.print' 'jstack Tomcat'; do
	echo "-- $command"
	# shellcheck disable=SC2086 # words
	$NO_JVM sjkc $command
	echo "exit status $?"
done
