mkdir -p tests/cli/a tests/screen/a
cp "$(dirname "$DATA")/cli.sh" tests
echo 'echo one; exit 3' >tests/cli/a/first.sh
echo 'echo two' >tests/screen/a/second.sh
for part in first second other; do
	BLESS=1 CASES='cli screen' sh tests/cli.sh "$SJKC" $part >said
	status=$?
	grep -v '^# cpu' said
	echo "exit status $status"
done
BLESS='' CASES='cli screen' sh tests/cli.sh "$SJKC" |
	grep -v '^# cpu'
head tests/cli/a/*.out tests/screen/a/*.out
