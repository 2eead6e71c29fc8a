# flame writes no stack trace dumps of SJK; the message names the command that
# does.
for name in out.std out.sjk; do
	sjkc flame -o $name "$DATA/std/busy17.std" 2>&1
	echo "exit status $?"
done
sjkc stcpy -q -i "$DATA/std/busy17.std" -o out.std && sjkc flame --list-events out.std
