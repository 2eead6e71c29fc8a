echo 'main;work 3' >a.folded
echo old >out.html
for filter in '--include nobody' '--exclude main' '--state BLOCKED' \
	'--thread-name pool' '--include work --exclude main'; do
	# shellcheck disable=SC2086 # an option and its value
	sjkc flame $filter -o out.html a.folded
	echo "exit status $?"
done
cat out.html
ls
