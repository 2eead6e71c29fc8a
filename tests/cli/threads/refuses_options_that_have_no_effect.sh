# Options of running JVMs with files, an empty file name; input of unknown
# format: the command has no --format.
dump=$DATA/dumps/jstack-jdk25.txt
for option in '--count 1' '--interval 2s' -l --virtual '--timeout 10s'; do
	# shellcheck disable=SC2086 # an option and its value
	sjkc threads $option "$dump" 2>&1
	echo "exit status $?"
done
sjkc threads -o '' "$dump" 2>&1
echo "exit status $?"
printf '\001\002\003' | sjkc threads - 2>&1
echo "exit status $?"
