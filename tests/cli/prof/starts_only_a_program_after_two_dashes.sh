# A `--` that is the value of an option starts no program, and a program does
# not make its arguments the names of JVMs.
prog=./program
printf '#!/bin/sh\ntouch "%s"\n' "$PWD/started" >"$prog"
chmod +x "$prog"
try() {
	echo "-- $*"
	$NO_JVM sjkc prof "$@" 2>&1
	[ ! -e started ] || echo 'the program was started'
}
try -o -- "$prog"
try 4711 -- "$prog"
try -p 4711 -- "$prog" -jar a.jar
try --all -- "$prog"
