# With lines, the frames of both reports are the same, except that ssa
# distinguishes generated classes by their numbers.
prof() {
	sjkc prof -q --csv --samples --lines --show histogram --sort "$1" -n 0 -i "$DATA/std/busy17.std" |
		awk -F, 'NR > 1 && !/Lambda|GeneratedMethod/ { print $4, $6, $8 }' | sort -n
}
ssa() {
	sjkc ssa -q --csv --histo --sort "$1" "$DATA/std/busy17.std" |
		awk -F, 'NR > 1 && NF > 3 && !/Lambda|GeneratedMethod/ { print $3, $1, $2 }' | sort -n
}
for order in TERM OCCUR FREQ; do
	prof $order >prof.txt
	ssa $order >ssa.txt
	cmp prof.txt ssa.txt && [ -s prof.txt ] &&
		echo "$order: $(wc -l <prof.txt) frames are the same"
done
for names in self:TERM total:OCCUR occurrences:FREQ; do
	prof "${names%:*}" >prof.txt
	prof "${names#*:}" | cmp - prof.txt && echo "$names: the same"
done
sjkc prof -q --show histogram --sort occurrences -n 5 -i "$DATA/std/busy17.std"
sjkc prof -q --show histogram,frames --sort OCCUR -n 1 --json -i "$DATA/std/busy17.std" |
	tr ',' '\n' | grep -E '_(samples|percent)"'
