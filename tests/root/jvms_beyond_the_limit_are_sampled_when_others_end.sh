# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# With room for two processes, the third JVM is refused, and the refusal is
# reported once.  When one of the two ends, the third takes its place.
sjkc=$1
scratch=$2
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh

jdk=$(jdks | head -n 1)
[ -n "$jdk" ] || { echo 'no JDK'; exit 77; }
target_memory='-Xmx16m -XX:+UseSerialGC'
target "$jdk" -- burners=1 || exit 1
first=$pid
for _ in 1 2; do
	target "$jdk" -- burners=1 || exit 1
done
mkfifo "$scratch/input" || exit 1
"$TOOLS/sample_all" 2 <>"$scratch/input" >"$scratch/out" 2>"$scratch/err" &
target_jobs="$target_jobs $!"
if target_wait "$scratch/out" '^sampled 2 refused 1$'; then
	kill "$first"
	target_wait "$scratch/out" '^sampled 2 refused 0$'
	[ "$(tail -n 1 "$scratch/out")" = 'sampled 2 refused 0' ] &&
		[ "$(grep -c '^not sampled: ' "$scratch/err")" -eq 1 ] &&
		grep -q '^not sampled: [0-9]*: cannot sample more than 2 processes$' \
			"$scratch/err" && exit
fi
cat "$scratch/out" "$scratch/err"
exit 1
