command -v python3 >/dev/null || { echo 'no python3'; exit 77; }
# awk computes self and total of each frame from "root;caller;leaf weight". The
# report does not list allocated classes as frames.
by_awk() {
	sjkc flame -q --no-class --total -o - --output-format collapsed "$@" | awk '{
		weight = $NF
		sub(/ [0-9]+$/, "")
		if ($0 == "[no stack trace]")
			next
		count = split($0, frames, ";")
		split("", seen)
		self[frames[count]] += weight
		for (i = 1; i <= count; i++)
			if (!(frames[i] in seen)) {
				seen[frames[i]]
				total[frames[i]] += weight
			}
	} END {
		for (frame in total)
			printf "%s %.0f %.0f\n", frame, self[frame], total[frame]
	}' | sort
}
by_prof() {
	sjkc prof -q --output-format csv -n 0 "$@" | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
	name = row["frame"].replace(";", ":")
	print(name.lstrip("\x27"), row["self"], row["total"])' | sort
}
compare() {
	by_awk "$@" >awk.txt
	by_prof "$@" >prof.txt
	cmp awk.txt prof.txt && [ -s awk.txt ] &&
		echo "$(wc -l <awk.txt) frames are the same"
}
compare -i "$DATA/jfr/ap-lock.jfr"
compare -i "$DATA/nps/small.nps"
compare -i "$DATA/dumps/jstack-jdk25.txt"
compare -i "$DATA/dumps/jstack-jdk25.txt" --lines
compare -i "$DATA/dumps/jstack-jdk25.txt" --simple-names --state WAITING
