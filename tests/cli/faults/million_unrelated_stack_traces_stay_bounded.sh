# Only in check-all: 9 s of CPU time; tests/cli/prof has fewer.
# A million unrelated stack traces. tests/cli/prof has fewer of them, which
# sanitizers check, too: the code is the same, and they would take 15 CPU s longer.
# shellcheck disable=SC3045 # dash and bash have it
ulimit -v 3000000
awk 'BEGIN { for (i = 0; i < 1000000; i++)
	printf "main;a%d;b%d;c%d %d\n", i % 1000, i, i, i % 7 + 1 }' >wide.folded
timeout 300 sjkc prof -q -n 3 -i wide.folded
timeout 300 sjkc prof -q --csv --show calls --min-percent 0 -i wide.folded | wc -l
