# A stand-in for perf: a script that checks its arguments and prints samples.
mkdir bin
cat >bin/perf <<'EOF'
#!/bin/sh
[ "$1 $2 $3 $4" = 'script -f --ns -i' ] || exit 3
[ "$(head -c 8 "$5")" = PERFILE2 ] || exit 4
case $(head -c 9 "$5" | tail -c 1) in
a)	printf 'java 7 1.5: 10 cycles:\n\t7f12 work (/bin/x)\n\n' ;;
b)	printf 'java 7 1.5: 10 cycles:\n\t7f12 work (/bin/x)\n\njava 7 1.6: 10 cy'
	echo 'incompatible file format' >&2
	exit 255 ;;
c)	echo 'magic is wrong' >&2
	exit 1 ;;
esac
EOF
chmod +x bin/perf
for kind in a b c d; do
	printf 'PERFILE2%s' $kind >$kind.data
	PATH=$PWD/bin:$PATH sjkc flame -q -o - --output-format collapsed $kind.data
	echo "exit $?"
done
# Without perf, the message names the package.
mkdir empty
sjkc=$(command -v sjkc)
PATH=$PWD/empty "$sjkc" flame -q -o out.html a.data
echo "exit $?"
