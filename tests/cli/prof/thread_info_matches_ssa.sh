dump=$DATA/std/busy17.std
sjkc prof -q --show thread-info -n 10 -i "$dump"
prof() {
	sjkc prof -q --show thread-info -n 0 --csv -i "$dump" |
		awk -F, 'NR > 1 { printf "%s %d %d %d %.3f\n", $3, $8, $11, $12, $9 / $8 }'
}
ssa() {
	sjkc ssa -q --thread-info --csv --numeric -si NAME80 -si COUNT -si S:RUNNABLE -si S:BLOCKED -si NATIVE -f "$dump" |
		awk -F, 'NR > 1 && NF { printf "%s %d %d %d %.3f\n", $1, $2, $3 * $2 + 0.5, $4 * $2 + 0.5, $5 }' | tr -d '"'
}
# ssa adds up a thread that was renamed: two of the RMI connections are one.
prof | grep -v 'RMI TCP Connection' | sort >prof.txt
ssa | grep -v 'RMI TCP Connection' | sort >ssa.txt
diff prof.txt ssa.txt && [ -s prof.txt ] &&
	echo "$(wc -l <prof.txt) threads are the same"
sjkc prof -q --show thread-info -n 2 --json -i "$dump" | sed 's/.*thread_info/thread_info/'
echo '-- without states and times'
echo 'main;run 5' >in.folded
sjkc prof --show thread-info -i in.folded | tail -n 1
