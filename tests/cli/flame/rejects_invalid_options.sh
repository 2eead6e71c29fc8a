echo 'main;work 3' >in.folded
try() {
	echo "-- $*"
	sjkc flame "$@" in.folded >said 2>&1
	status=$?
	# Omit the formats: each new reader adds one.
	sed 's/auto, .*/auto, …/' said
	rm said
	echo "exit status $status"
}
try --include '('
try --thread-name '['
try --state ASLEEP
try --from yesterday
try --from 5s --to 2s
try --min-width wide
try --format svg
try --output-format gif
try --event gpu
try --event colapsed
try --title
try --reverse=yes
try --titel x
try --json
try --annotate
try -o ''
try --min-width 1 -o a.folded
try --min-width 101
try --title x -o a.folded
try --from 1s
ls
