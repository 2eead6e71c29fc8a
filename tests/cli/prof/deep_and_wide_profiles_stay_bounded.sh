# Stack traces with 100,000 frames: of one method, of two in turn, all different;
# and 50,000 unrelated stack traces. Sanitizers need more memory.
# shellcheck disable=SC3045 # dash and bash have it
# Sanitized only in check-all: 3 s of CPU time; the limits are of plain builds.
sh -c 'ulimit -v 3000000; sjkc help || exit 1' >/dev/null 2>&1 &&
	ulimit -v 3000000
awk 'BEGIN {
	for (i = 0; i < 100000; i++) printf "deep;"
	print "leaf 1"
	for (i = 0; i < 50000; i++) printf "ping;pong;"
	print "leaf 1"
	for (i = 0; i < 100000; i++) printf "f%d;", i
	print "leaf 1"
}' >deep.folded
timeout 300 sjkc prof -q -i deep.folded
timeout 300 sjkc prof -q --json -i deep.folded | wc -c |
	awk '{ print ($1 < 30000000 ? "bounded" : $1) }'
awk 'BEGIN { for (i = 0; i < 50000; i++)
	printf "main;a%d;b%d;c%d %d\n", i % 1000, i, i, i % 7 + 1 }' >wide.folded
timeout 300 sjkc prof -q -n 3 -i wide.folded
timeout 300 sjkc prof -q --csv --show calls --min-percent 0 -i wide.folded | wc -l
