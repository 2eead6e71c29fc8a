# A stand-in for perf: a script that checks its arguments and prints samples.
mkdir bin
cat >bin/perf <<'EOF'
#!/bin/sh
[ "$1 $2 $3 $4" = 'script -f --ns -i' ] || exit 3
# Kind e is a version without the option.
case $6$(head -c 9 "$5" | tail -c 1) in
--show-lost-eventse) exit 129 ;;
--show-lost-events?) ;;
*e)	printf 'java 7 1.5: 10 cycles:\n\t7f12 old (/bin/x)\n\n' ;;
*)	exit 5 ;;
esac
[ "$(head -c 8 "$5")" = PERFILE2 ] || exit 4
case $(head -c 9 "$5" | tail -c 1) in
a)	printf 'java 7 1.5: 10 cycles:\n\t7f12 work (/bin/x)\n\n' ;;
b)	printf 'java 7 1.5: 10 cycles:\n\t7f12 work (/bin/x)\n\njava 7 1.6: 10 cy'
	echo 'incompatible file format' >&2
	exit 255 ;;
f)	printf 'java 7 1.5: 10 cycles:\n\t7f12 work (/bin/x)\n\n'
	printf 'java 7/7 1.6: PERF_RECORD_LOST lost 12\n' ;;
c)	echo 'magic is wrong' >&2
	exit 1 ;;
esac
EOF
chmod +x bin/perf
for kind in a b c d e f; do
	printf 'PERFILE2%s' $kind >$kind.data
	PATH=$PWD/bin:$PATH sjkc flame -q -o - --output-format collapsed $kind.data
	echo "exit $?"
done
# Without perf, the message names the package.
mkdir empty
sjkc=$(command -v sjkc)
PATH=$PWD/empty "$sjkc" flame -q -o out.html a.data
echo "exit $?"
