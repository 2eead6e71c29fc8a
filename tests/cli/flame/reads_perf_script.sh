# perf script text, as JDK 17's jcmd and sjkc name its Java methods.
for names in compiler sjkc; do
	file=$DATA/perf/jdk17-$names-perfmap.txt
	sjkc flame --list-events "$file"
	sjkc flame -q -e page-faults --total -o - --output-format collapsed \
		"$file" | sed 's/.*thread_entry;//'
done
# The times count from the start of the system: there is no date.
sjkc prof -i "$file" | head -n 1
sjkc flame -q --to 0.1s -o - --output-format collapsed "$file" | wc -l
