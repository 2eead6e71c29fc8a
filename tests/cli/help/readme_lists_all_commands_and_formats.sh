# A command or format without a row in README.md or docs/ fails, and a row without
# one.
top=$DATA/../..

# section TITLE: prints a section of README.md or docs/
section() {
	awk -v title="## $1" '/^## / { on = $0 == title } on' "$top/README.md" \
		"$top"/docs/*.md
}

# choices OPTION: prints the values of an option of flame
choices() {
	sjkc flame --help | tr -d '\n ' | sed "s/.*--$1\([a-z0-9|-]*\)set.*/\1/" |
		tr '|' '\n' | grep -vx auto
}

# differ NAME: prints the lines that only one of two sorted files has
differ() {
	comm -23 binary readme | sed "s/^/README.md lacks the $1 /"
	comm -13 binary readme | sed "s/^/sjkc lacks the $1 /"
}

echo '-- commands'
sjkc help | sed -n 's/^   \([a-z0-9]*\)  .*/\1/p; s/^   \([a-z0-9]*\), /\1 /p' |
	grep -o '[a-z0-9]*' | grep -vx help | sort >binary
section Commands | grep '^| `' | cut -d '|' -f 2 | grep -o '`sjkc [a-z0-9]*`' |
	tr -d '`' | cut -d ' ' -f 2 | sort >readme
comm -13 binary readme | while read -r alias; do
	sjkc help "$alias" >/dev/null 2>&1 || echo "no command: $alias"
done
comm -12 binary readme >both && mv both readme
differ command
wc -l <binary

echo "-- commands of SJK"
section 'Coming from other tools' | grep '^| SJK' | cut -d '|' -f 2 |
	grep -o '`[a-z0-9 ]*`' | tr -d '`' | sed 's/.* //' | while read -r name; do
	sjkc help "$name" >/dev/null 2>&1 && echo "$name"
done | sort >readme
# All commands of SJK 0.24 except hs, which has a row of its own.
printf '%s\n' dexp flame gc hh jcmd jfr2json jps mprx mx mxdump mxping prfi ssa \
	stcap stcpy ttop vminfo | sort >binary
differ 'command of SJK'
grep -q '^| SJK: `sjk hs` | `sjkc vminfo PID --perf`' "$top/docs/migrating.md" ||
	echo 'README.md lacks hs'
sjkc hs 2>&1 | grep -o 'sjkc vminfo PID --perf'

echo '-- formats that are read'
# Each format with the words of its row.
cat >words <<'END'
jfr JFR recordings
std `.std`
nps `.nps`
apps `.apps`
zip a ZIP file of several
snap bundles of `snap`
perf-data `perf.data`
pprof pprof profiles
otlp OpenTelemetry profiles
jstack-json and as JSON
speedscope speedscope JSON
firefox Firefox Profiler JSON
html flame graphs (`.html`)
jstack thread dumps as text
perf the text of `perf script`
collapsed collapsed stack traces
END
section 'Input and output' | awk '/^$/ && on { exit } /^\| input/ { on = 1 } on' |
	sed 1,2d >rows
while read -r format words; do
	grep -qF "$words" rows && echo "$format"
done <words | sort >readme
choices format | sort >binary
differ 'input format'
cut -d ' ' -f 2- words >patterns
# One row is of no format of its own, two are of gc and hh alone.
grep -vFf patterns rows | grep -v 'compressed by gzip' | grep -v '| `gc -i` |$' |
	grep -v '| `hh -i`, `hh --diff` |$'
wc -l <binary

echo '-- formats that are written'
echo 'main;work 5' >in.folded
choices output-format | sort >binary
section 'Input and output' | grep -o '^|[^|]*| `-o out\.[a-z.]*`' |
	sed 's/.*out\.//; s/`//' | sort -u >extensions
while read -r extension; do
	# The format that this extension selects.
	sjkc flame -q -o "out.$extension" in.folded || continue
	while read -r format; do
		sjkc flame -q --output-format "$format" -o "out.$extension.x" in.folded
		case $extension in
		pb.gz | json.gz) gzip -dc "out.$extension" | cksum >a
			gzip -dc "out.$extension.x" 2>/dev/null | cksum >b ;;
		*) head -c 40 "out.$extension" | cksum >a
			head -c 40 "out.$extension.x" | cksum >b ;;
		esac
		cmp -s a b && echo "$format"
	done <binary
done <extensions | sort -u >readme
differ 'output format'
wc -l <extensions
