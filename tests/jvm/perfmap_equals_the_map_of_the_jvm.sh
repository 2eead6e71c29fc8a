# SPDX-License-Identifier: Apache-2.0
# The map equals the one that the JVM writes, and its list of compiled methods.
sjkc=$1 scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/compiled.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
[ "$(id -u)" = 0 ] || { echo 'needs the right to trace'; exit 77; }

bad() { echo "$jdk: $1"; head -n 30 "$scratch/said"; exit 1; }

# methods FILE…: prints the lines "start size name" of methods, whose names have
# a dot. It removes the result type and the parameters, which the JVM's map has
# (void A.b(int)), and the addresses of hidden classes.
methods() {
	sed -E 's/^(0x)?0*//; s/ (0x)?0*/ /; s/\(.*//
		s/^([^ ]+ [^ ]+) .* ([^ ]+)$/\1 \2/
		s,/0x[0-9a-f]+,,; s/(..Lambda).[0-9]+/\1/' "$@" |
		grep -E '^[^ ]+ [^ ]+ [^ ]*\.[^ ]*$' | sort
}

# none COMM-OPTION A B MESSAGE: fails and prints the lines that comm selects, if
# any.
none() {
	comm "$1" "$2" "$3" | head -n 20 >"$scratch/said"
	[ ! -s "$scratch/said" ] || bad "$4"
}

for jdk in $(jdks); do
	compiled "$jdk" || exit 1
	map=/tmp/perf-$pid.map
	# A link of unknown origin has the name of the map.
	echo other >"$scratch/other"
	ln -s "$scratch/other" "$map"
	"$sjkc" perfmap "$pid" 2>"$scratch/said" || bad "failed"
	grep -Eq "$map has [0-9]{2,} compiled methods" "$scratch/said" ||
		bad "does not say what it has written"
	[ "$(cat "$scratch/other")" = other ] || bad "wrote through a link"
	[ ! -L "$map" ] || bad "did not replace the link"
	mv "$map" "$scratch/ours"

	"$jdk/bin/jcmd" "$pid" Compiler.perfmap >"$scratch/said" ||
		bad "no map of the JVM's own"
	mv "$map" "$scratch/jcmd"
	"$sjkc" perfmap -q -o "$scratch/after" "$pid" 2>"$scratch/said" ||
		bad "failed the second time"
	methods "$scratch/jcmd" >"$scratch/theirs"
	methods "$scratch/ours" >"$scratch/a"
	methods "$scratch/after" >"$scratch/b"
	[ "$(wc -l <"$scratch/theirs")" -gt 50 ] || bad "too few methods"
	# A method that was compiled meanwhile is in only one of sjkc's maps.
	sort -u "$scratch/a" "$scratch/b" >"$scratch/either"
	comm -12 "$scratch/a" "$scratch/b" >"$scratch/both"
	none -23 "$scratch/theirs" "$scratch/either" "only in the JVM's map"
	none -13 "$scratch/theirs" "$scratch/both" "not in the JVM's map"

	# With types: the JVM's list of compiled methods.
	"$jdk/bin/jcmd" "$pid" Compiler.codelist |
		sed -nE 's,^ *[0-9]+ +[0-9] +[-0-9]+ ([^ ]+) \[0x[0-9a-f]+\, 0x0*([0-9a-f]+) .*,\2 \1,p' |
		sed -E 's,/0x[0-9a-f]+,,; s/(..Lambda).[0-9]+/\1/' |
		sort >"$scratch/theirs"
	"$sjkc" perfmap -q -s -o "$scratch/ours" "$pid" 2>"$scratch/said" ||
		bad "-s failed"
	[ ! -s "$scratch/said" ] || bad "is not quiet"
	sed -E 's/^([^ ]+) [^ ]+/\1/; s/(..Lambda).[0-9]+/\1/' \
		"$scratch/ours" | sort >"$scratch/a"
	[ "$(wc -l <"$scratch/theirs")" -gt 50 ] || bad "the JVM has no list"
	none -23 "$scratch/theirs" "$scratch/a" "only in the JVM's list"
	target_end "$pid"
done
