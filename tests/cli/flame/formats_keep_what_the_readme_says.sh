# Writes recordings in each format that sjkc reads back, and prints which contents
# are the same.  docs/formats.md has the table, with the same words.
# Sanitized only in check-all: 4 s of CPU time for equal counts.
recording=$DATA/jfr/ap-lock.jfr
dump=$DATA/dumps/jstack-waits-jdk17.txt

# show FILE OPTION…: the stack traces with their weights
show() {
	from=$1
	shift
	sjkc flame -q -o - --output-format collapsed "$@" "$from" 2>&1 |
		LC_ALL=C sort
}

# list FILE: the events, each with its family, samples and weight
list() {
	sjkc flame -q --list-events "$1" 2>&1 | awk '
		!NF { exit }
		NR > 1 {
			family = $2 ~ /^[0-9]/ ? $1 : $2
			print family, $(NF - 3), $(NF - 1)
		}' | sort
}

# judge [WORD]: adds a cell: yes if wanted and got are equal and not empty
judge() {
	if [ -s wanted ] && cmp -s wanted got; then
		cell=yes
	else
		cell=${1:-no}
	fi
	row="$row $cell |"
}

# about: prints "rounded" if two numbers differ by less than 5 %
about() {
	paste wanted got | awk '
		$1 && $2 / $1 > 0.95 && $2 / $1 < 1.05 { print "rounded" }'
}

echo '| written as | event names | samples | weights | stack traces | threads | times | thread states | `_[j]` | lines |'
for ext in html collapsed speedscope.json pb.gz otlp json.gz jfr; do
	row="| \`$ext\` |"
	sjkc flame -q -o "all.$ext" "$recording"
	list "$recording" | cut -d' ' -f1 >wanted
	list "all.$ext" | cut -d' ' -f1 >got
	judge
	# One event, with weights and lines, so that each format has them.
	sjkc flame -q -e lock --total --lines -o "one.$ext" "$recording"
	for field in 2 3; do
		list "$recording" | grep ^lock | cut -d' ' -f$field >wanted
		list "one.$ext" | cut -d' ' -f$field >got
		judge
	done
	for options in '' -t; do
		# shellcheck disable=SC2086 # words
		show "$recording" -e lock --total $options >wanted
		# shellcheck disable=SC2086 # words
		show "one.$ext" --total $options >got
		judge
	done
	show "$recording" -e lock --total --from 1s --to 3s |
		awk '{ n += $NF } END { print n }' >wanted
	show "one.$ext" --total --from 1s --to 3s |
		awk '{ n += $NF } END { print n }' >got
	judge "$(about)"
	sjkc flame -q -o "dump.$ext" "$dump"
	show "$dump" --state WAITING,BLOCKED >wanted
	show "dump.$ext" --state WAITING,BLOCKED >got
	judge
	for options in --annotate --lines; do
		show "$recording" -e lock --total $options >wanted
		show "one.$ext" --total $options >got
		judge
	done
	echo "$row"
done >table
cat table
grep -v -x -F -f "$DATA/../../docs/formats.md" table | sed 's/^/formats.md lacks: /'
