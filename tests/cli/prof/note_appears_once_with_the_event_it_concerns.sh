# A report or page contains the notes about its events; stderr does not repeat
# them. Other outputs have no notes: stderr prints those of their event.
recording=$SHARED/own/jfr/busy17-multichunk.jfr
[ -e "$recording" ] || { echo 'no shared recordings'; exit 77; }
ln -s "$recording" busy.jfr
try() {
	echo "-- $*"
	"$@" 2>stderr >stdout || echo "= $?"
	cat stderr
	grep '^note: ' stdout
}
try sjkc prof -i busy.jfr -e cpu
try sjkc prof -i busy.jfr -e alloc
try sjkc prof -i busy.jfr -e cpu --csv
try sjkc prof -i busy.jfr -e alloc --csv
try sjkc flame -q -o page.html busy.jfr
try sjkc flame -o cpu.collapsed busy.jfr -e cpu
try sjkc flame -o alloc.collapsed busy.jfr -e alloc
try sjkc flame -v -o page.html busy.jfr -e alloc
try sjkc flame --list-events busy.jfr
grep -c 'estimated weight' page.html
