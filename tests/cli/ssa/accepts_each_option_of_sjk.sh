# Each option of SJK 0.23, in both spellings: it works, or the message names the
# alternative.
dump=$DATA/std/busy17.std
printf 'io: java.net\nlocks: java.util.concurrent\n' >categories
try() {
	sjkc ssa -q -f "$dump" "$@" >out 2>err
	echo "$* -> exit status $?, $(wc -l <out) lines"
	head -n 1 err | sed "s,$DATA/,,"
}
for report in --print --histo --thread-info --ssa-help; do
	try "$report"
done
try --flame --title Busy --width 800 -rc java.net
try --flame --rainbow java.net java.lang
try --histo --sort TERM
try --histo --sort OCCUR
try --histo --sort FREQ
try --histo --by-term
try --histo -nc io=java.net all=**
try --histo --named-class io=java.net
try --categorize -cf categories
try --categorize --categorizer-file categories -co
try --histo --csv-output
try --thread-info -si NAME COUNT TSMIN TSMAX CPU SYS ALLOC NATIVE FREQ \
	FREQ_HM GAP_CHM S:RUNNABLE NAME20 io=java.net
try --thread-info --summary-info NAME --numeric
try --print -tf java.lang.Object
try --print --trace-filter java.lang.Object
try --print -tt 'Busy.**'
try --print --trace-trim 'Busy.**'
try --print -tn main
try --print --thread-name main
try --print -tr 47:58-47:59 -tz UTC
try --print --time-range 47:58-47:59 --time-zone Europe/Paris
for event in EXEC ALLOC THROW; do
	try --histo --jfr-event "$event"
done
try --histo -X
try --histo --verbose
for option in --force-jdk-parser --force-mc-parser --parsers-info --commands; do
	try --histo "$option"
done
try --help
