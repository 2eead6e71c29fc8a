command -v python3 >/dev/null || { echo 'no python3'; exit 77; }
# awk computes the sums of each class or package from collapsed stack traces.
by_awk() {
	group=$1
	shift
	sjkc flame -q --no-class --total -o - --output-format collapsed "$@" | awk -v group="$group" '
	function name(frame) {
		if (!match(frame, /\.[^.]*$/))
			return "[no class]"
		frame = substr(frame, 1, RSTART - 1)
		if (match(frame, /[^.]\$\$/))
			frame = substr(frame, 1, RSTART)
		if (group == "package" && !sub(/\.[^.]*$/, "", frame))
			frame = "[default package]"
		return frame
	}
	{
		weight = $NF
		sub(/ [0-9]+$/, "")
		if ($0 == "[no stack trace]")
			next
		count = split($0, frames, ";")
		split("", seen)
		self[name(frames[count])] += weight
		for (i = 1; i <= count; i++) {
			frame = name(frames[i])
			often[frame] += weight
			if (!(frame in seen)) {
				seen[frame]
				total[frame] += weight
			}
		}
	} END {
		for (frame in total)
			printf "%s %.0f %.0f %.0f\n", frame, self[frame],
			       total[frame], often[frame]
	}' | sort
}
by_prof() {
	group=$1
	shift
	sjkc prof -q --csv --show histogram --by "$group" -n 0 "$@" | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
	print(row["frame"], row["term"], row["occur"], row["freq"])' | sort
}
for file in dumps/jstack-jdk25.txt std/busy17.std jfr/ap-lock.jfr; do
	for group in class package; do
		by_awk "$group" -i "$DATA/$file" >awk.txt
		by_prof "$group" -i "$DATA/$file" >prof.txt
		cmp awk.txt prof.txt && [ -s awk.txt ] &&
			echo "$file: $(wc -l <awk.txt) of $group are the same"
	done
done
# The roots of the callers are the frames at the leaf.
for file in dumps/jstack-jdk25.txt std/busy17.std; do
	sjkc flame -q -r -o - --output-format collapsed "$DATA/$file" |
		awk '/no stack trace/ { next } { n = $NF; sub(/;.*/, ""); sub(/ [0-9]+$/, ""); s[$0] += n }
		     END { for (f in s) print f, s[f] }' | sort >awk.txt
	sjkc prof -q -r --csv --show calls --min-percent 0 -i "$DATA/$file" |
		awk -F, '$3 == "frame" && $4 == 0 { print $5, $9 }' |
		sort >prof.txt
	cmp awk.txt prof.txt && [ -s awk.txt ] &&
		echo "$file: $(wc -l <awk.txt) leaf frames are the same"
done
