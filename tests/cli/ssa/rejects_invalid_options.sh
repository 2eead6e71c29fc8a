dump=$DATA/std/busy17.std
try() {
	sjkc ssa "$@" 2>&1
	echo "exit status $?"
}
try "$dump"
try -f "$dump" --print --histo
try --histo
try -f "$dump" --categorize
try -f "$dump" --categorize -nc x
try -f "$dump" --categorize -nc x='a,,b'
try -f "$dump" --thread-info -si WHAT
try -f "$dump" --histo --by-term --sort FREQ
try -f "$dump" --flame --print
try -f missing.std --histo
echo 'a b c' >bad
try -f "$dump" --categorize -cf bad -tf '('
head -c 20000 "$dump" >cut.std
try -f cut.std --histo -tn main
