exec 2>&1
for options in '-l --csv' '-q --json' '-m -pd PID' -V; do
	# shellcheck disable=SC2086 # words
	sjkc jps $options
	echo "exit status $?"
done
