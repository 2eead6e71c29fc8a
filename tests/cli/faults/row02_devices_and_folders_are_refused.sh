mkdir folder
for input in /dev/zero /dev/urandom folder /dev/null; do
	# shellcheck disable=SC3045 # Debian's sh has it
	# Some hundred MB would do no harm, an endless read would.
	(ulimit -v 1000000 && timeout 60 sjkc flame -o out.html $input)
	echo "$input: exit status $?"
done
ls
