# SPDX-License-Identifier: Apache-2.0
# Hidden classes are loaded, compiled and unloaded by the dozen while names are
# read. Each name is one of the program's, or unavailable.
# Begins early: it runs for a fixed time.
sjkc=$1 scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/compiled.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
[ "$(id -u)" = 0 ] || { echo 'needs the right to trace'; exit 77; }

bad() { echo "$jdk: $1"; head -n 50 "$scratch/said"; exit 1; }

# addresses: prints how many addresses the code of the hidden classes had
addresses() {
	grep -F ' Churned.applyAsInt(I)I' "$scratch/all" | cut -d' ' -f1 |
		sort -u | wc -l
}

for jdk in $(jdks); do
	compiled "$jdk" -- churn || exit 1
	: >"$scratch/all"
	round=0
	# There were several hidden classes, so some were loaded and unloaded. A
	# busy machine loads few of them in a second.
	until [ $round -ge 12 ] && [ "$(addresses)" -gt 20 ]; do
		round=$((round + 1))
		[ $round -lt 100 ] || bad "it did not come and go"
		timeout 300 "$sjkc" perfmap -q -s -o "$scratch/map" "$pid" \
			2>"$scratch/said" || bad "round $round failed"
		cat "$scratch/map" >>"$scratch/all"
	done
	# All method names are possible in this program and the JDK.
	cut -d' ' -f3- "$scratch/all" | grep -F '(' | sort -u >"$scratch/names"
	LC_ALL=C grep -vE '^((java|javax|jdk|sun)\.[][A-Za-z0-9_$.]+|(Compiled|Churned)([][A-Za-z0-9_$]*)?)\.[A-Za-z0-9_$<>]+\([][A-Za-z0-9_$/;]*\)[][A-Za-z0-9_$/;]+$|^StubRoutines \([a-z0-9 ]+\)$' \
		"$scratch/names" >"$scratch/said" && bad "these are no names"
	grep -qx 'Churned.applyAsInt(I)I' "$scratch/names" ||
		bad "the class that comes and goes was never seen"
	target_end "$pid"
done
