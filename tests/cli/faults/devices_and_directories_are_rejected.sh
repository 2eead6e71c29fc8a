mkdir directory
for input in /dev/zero /dev/urandom directory /dev/null; do
	# shellcheck disable=SC3045 # Debian's sh has it
	# The limit stops an endless read.
	(ulimit -v 1000000 && timeout 60 sjkc flame -o out.html $input)
	echo "$input: exit status $?"
done
ls
