dump=$DATA/std/busy17.std
records() {
	python3 -c 'import sys, zlib
sys.stdout.buffer.write(zlib.decompress(open(sys.argv[1], "rb").read()[12:]))' "$1"
}
sjkc stcpy -i "$dump" -o copy.std
records "$dump" >a
records copy.std >b
cmp a b && echo 'the records are those of SJK'
echo '-- version 4, and back'
sjkc stcpy -i "$dump" -o four.std --dump-version V4
sjkc stcpy -i four.std -o two.std
sjkc ssa -f "$dump" --print >a
sjkc ssa -f two.std --print | cmp a - && echo 'the stack traces are equal'
echo '-- merged, filtered, masked'
sjkc stcpy -i copy.std four.std -o out.std -tn 'locker-0' \
	--mask java.lang:com.example
sjkc ssa -f out.std --histo | head -n 3
echo '-- every tenth, as SJK chooses them'
sjkc stcpy -i "$dump" -o out.std -ss 0.1
echo '-- from a thread dump'
sjkc stcpy -q "$DATA/dumps/jstack-jdk25.txt" -o out.std
sjkc ssa -f out.std --histo | head -n 2
