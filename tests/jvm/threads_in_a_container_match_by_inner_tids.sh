# SPDX-License-Identifier: Apache-2.0
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/samples.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
[ "$(id -u)" = 0 ] || { echo 'not root'; exit 77; }
for jdk in $(jdks); do
	target_contained "$jdk" -- threads=2 || exit 1
	samples "$pid" names=Thread.print
	samples_have 'note names given: '
	samples_lack ' unknown '
	grep -q "^thread $pid ns=1 id=0 .* native .* name=java" "$got" ||
		{ echo "$jdk: pid 1:"; cat "$got"; exit 1; }
	# Each thread matches by the last number of its NSpid line.
	grep '^thread ' "$got" | while read -r _ tid ns _; do
		want=$(awk '/^NSpid/ { print $NF }' "/proc/$pid/task/$tid/status")
		[ "$ns" = "ns=$want" ] || echo "$tid: $ns, not $want"
	done >"$scratch/wrong"
	[ ! -s "$scratch/wrong" ] ||
		{ echo "$jdk:"; cat "$scratch/wrong"; exit 1; }
	[ "$(grep -c ' java .* name=idle-[01]$' "$got")" = 2 ] ||
		{ echo "$jdk: names:"; cat "$got"; exit 1; }
	target_end "$pid"
done
