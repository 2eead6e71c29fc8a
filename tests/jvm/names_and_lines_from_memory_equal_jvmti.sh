# SPDX-License-Identifier: Apache-2.0
# For all addresses of compiled code, the names and lines from the metadata in
# the JVM's memory equal those of JVMTI, of the source, and of javap.
sjkc=$1 scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/compiled.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
[ "$(id -u)" = 0 ] || { echo 'needs the right to trace'; exit 77; }

bad() { echo "$jdk: $1"; head -n 40 "$scratch/out" "$scratch/said"; exit 1; }

show() {
	timeout 300 "$TOOLS/show_symbols" "$pid" "$@" >"$scratch/out" \
		2>"$scratch/said" || bad "show_symbols failed"
}

# count NAME: prints a number of the last line of the comparison
count() { sed -n "\$s/.*\\b$1=\\([0-9]*\\).*/\\1/p" "$scratch/out"; }

leaf=$(line_of 'the line of leaf') middle=$(line_of 'the line of middle')
outer=$(line_of 'the line of outer')
[ -n "$leaf" ] && [ -n "$middle" ] && [ -n "$outer" ] || exit 1

for jdk in $(jdks); do
	compiled "$jdk" || exit 1
	show counts
	grep -Eq '^compiled=[0-9]{2,} without_scopes=0 unknown=0 limits=none$' \
		"$scratch/out" || bad "some methods have no name"

	# Inlining by C1 (tier 3) and C2 (tier 4).
	show frames Compiled.outer
	for tier in 3 4; do
		grep -qx "$tier Compiled.leaf:$leaf Compiled.middle:$middle Compiled.outer:$outer" \
			"$scratch/out" || bad "tier $tier: no inlined leaf"
	done
	! grep -q alone "$scratch/out" || bad "a method is wrongly inlined"

	# A lambda's class has a name without address, and its method has a
	# line.
	"$sjkc" perfmap -q -o - "$pid" | grep -o 'Compiled..Lambda.*' |
		sort -u >"$scratch/lambdas"
	while read -r lambda; do
		show frames "$lambda"
		cat "$scratch/out"
	done <"$scratch/lambdas" >"$scratch/all"
	cp "$scratch/all" "$scratch/out"
	grep -Eq "Compiled\.lambda\\\$warm\\\$0:$(line_of 'line of the lambda') Compiled\\\$\\\$Lambda(\\\$[0-9]+)?\.applyAsInt:" \
		"$scratch/all" || bad "no line of the lambda"

	for method in text middle warm; do
		show lines "Compiled.$method"
		"$jdk/bin/javap" -c -l -p -cp "$classes" Compiled |
			awk -v m=" $method(" 'index($0, m) { on = 1; next }
				on && /^ *line [0-9]+: [0-9]+$/ {
					sub(/^ */, "")
					line = $2; sub(":", "", line)
					if (line != last) print; last = line
				}
				on && /^$/ { exit }' >"$scratch/javap"
		[ -s "$scratch/javap" ] || bad "javap has no $method"
		cmp -s "$scratch/javap" "$scratch/out" || {
			cat "$scratch/javap"
			bad "lines of $method are others"
		}
	done

	timeout 300 "$TOOLS/compare_symbols" "$pid" >"$scratch/out" \
		2>"$scratch/said" || bad "compare_symbols failed"
	[ "$(count different)" = 0 ] || bad "JVMTI knows otherwise"
	[ "$(count different_stubs)" = 0 ] || bad "routines have other names"
	for least in places=5000 inlined=1000 lines=2000 stubs=1000; do
		[ "$(count "${least%=*}")" -gt "${least#*=}" ] ||
			bad "too little was compared"
	done
	target_end "$pid"
done
