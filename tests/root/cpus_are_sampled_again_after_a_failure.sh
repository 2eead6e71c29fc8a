# SPDX-License-Identifier: Apache-2.0
# prof --push may be unable to open its perf events again when it changes the frequency:
# here, because it has no descriptors left.  It reports that, tries again, counts the time
# without samples, and samples once it can.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

target "$(jdks | head -n 1)" -- burners=1 || exit 1
engine_start || exit 1
prof_start -p "$pid" -d 300s --interval 5s --cpu-limit 0.01% \
	--push "http://127.0.0.1:$engine_port" --shutdown-timeout 60s || exit 1
target_wait "$prof_err" 'sending profiles' || exit 1
limit=$(awk '/^Max open files/ { print $4 }' "/proc/$prof_pid/limits")
prlimit --pid "$prof_pid" --nofile="3:$limit" || exit 1
target_wait "$prof_err" 'cannot sample at 11 Hz' || { cat "$prof_err"; exit 1; }
sleep 1
prlimit --pid "$prof_pid" --nofile="$limit:$limit" || exit 1
target_wait "$prof_err" 'sampling at [0-9]* Hz again' || { cat "$prof_err"; exit 1; }
seen=$(engine_samples)
for _ in $(seq 600); do
	[ "$(engine_samples)" -eq "$seen" ] || break
	sleep 0.1
done
kill -INT "$prof_pid"
prof_end 7 || exit 1
[ "$(engine_samples)" -gt "$seen" ] || { echo 'no further sample'; exit 1; }
grep -q 'lost: milliseconds without CPU samples: [1-9]' "$prof_err" ||
	{ cat "$prof_err"; exit 1; }
