printf '%s\n' 'main;app.Work.sort 3' 'main;app.Work.walk;app.Io.read 4' \
	'main;app.Io.write 5' >in.folded
collapse() {
	echo "-- $*"
	sjkc flame "$@" -q -o - --output-format collapsed in.folded
}
collapse --include 'Work\.'
collapse -I 'Work\.' -X 'Io'
collapse -X '^main$' -X 'write'
collapse --reverse --include walk
