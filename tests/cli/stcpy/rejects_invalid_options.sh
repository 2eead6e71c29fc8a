dump=$DATA/std/busy17.std
try() {
	sjkc stcpy "$@" 2>&1
	echo "exit status $?"
}
try "$dump"
try -i "$dump" -o out.std --mask nothing
try -i "$dump" -o out.std -ss 2
try -i "$dump" -o out.std -tn nobody
try -i "$dump" -o missing/out.std
ls
