# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for samples.
# The first SIGINT ends sampling with status 0.  SIGUSR1 writes the profile so
# far and loses no later samples.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

weight() {
	awk '{ all += $NF } END { printf "%d\n", all / 1000000 }' "$1"
}

jdk=$(jdks | head -n 1)
target "$jdk" -- burners=1 || exit 1
out=$scratch/out.collapsed
prof_start --thread-name burner -v -o "$out" "$pid" &&
	target_wait "$prof_err" 'sampling Target' || exit 1
sleep 1
kill -USR1 "$prof_pid"
target_wait "$prof_err" 'wrote' || exit 1
first=$(weight "$out")
has "$out" 'Target\.burn' || exit 1
sleep 1
kill -INT "$prof_pid"
prof_end 0 || exit 1
[ "$(grep -c wrote "$prof_err")" -eq 2 ] || { cat "$prof_err"; exit 1; }
second=$(weight "$out")
{ [ "$first" -gt 0 ] && [ "$second" -gt "$first" ]; } || {
	echo "$first ms, then $second ms"
	exit 1
}

# The report has the sampled duration, even if the last sample is earlier.
prof_start -d 2s --json -v -o "$scratch/out.json" "$pid" &&
	target_wait "$prof_err" 'sampling Target' || exit 1
sleep 0.5
kill -STOP "$pid"
prof_end 0
ended=$?
kill -CONT "$pid"
[ $ended -eq 0 ] || exit 1
span=$(sed -n 's/.*"span_ns":\([0-9]*\).*/\1/p' "$scratch/out.json")
[ "${span:-0}" -ge 2000000000 ] || { echo "span: $span ns"; exit 1; }
