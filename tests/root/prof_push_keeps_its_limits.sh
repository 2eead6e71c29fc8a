# SPDX-License-Identifier: Apache-2.0
# Only in check-all: it needs a quiet machine.
# With a CPU limit that is always exceeded, prof --push lowers the frequency to
# 5 Hz.  The profiles of each frequency have its period, so their samples add up
# to the CPU time of the JVM.  With a memory limit that is always exceeded, it
# drops caches, which costs no sample, and refuses JVMs that start later.
sjkc=$1
scratch=$2
# Of the libraries of several JVMs, the symbols exceed the memory limit.
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

jdk=$(jdks | head -n 1)
target "$jdk" -Dotel.service.name=busy -Dtarget.duty=25 -- burners=1 || exit 1
engine_start || exit 1

# periods: the periods of the profiles, in the order of the requests
periods() {
	for file in $(ls "$engine" | grep '^[0-9]*\.txt$' | sort -n); do
		sed -n 's/^profile .*nanoseconds \([0-9]*\)$/\1/p' "$engine/$file"
	done | uniq
}

before=$(cpu_ticks)
prof 0 -p "$pid" -d 9s --interval 1s --cpu-limit 0.01% --memory-limit 100m \
	--push "http://127.0.0.1:$engine_port" --shutdown-timeout 60s || exit 1
after=$(cpu_ticks)
engine_accepts && engine_agrees "$prof_err" || exit 1
wanted=$(printf '%s\n' 52631578 90909090 142857142 200000000)
# An interval in which a busy machine did not run the JVM has no profile.
had=$(periods)
[ "$(echo "$had" | wc -l)" -ge 2 ] && [ "$had" = "$(echo "$wanted" | grep -Fx "$had")" ] ||
	{ echo "$had"; cat "$prof_err"; exit 1; }
for line in 'sampling at 11 Hz instead of 19 Hz: .* more than --cpu-limit 0.01%' \
	'sampling at 7 Hz instead of 11 Hz' 'sampling at 5 Hz instead of 7 Hz' \
	'at the lowest frequency, 5 Hz'; do
	[ "$(grep -c "$line" "$prof_err")" -eq 1 ] ||
		{ echo "not once: $line"; cat "$prof_err"; exit 1; }
done
# The sampled time is that of the JVM, within half of it, or, if a busy machine left it
# little, within three standard deviations of samples that stand for up to 0.2 s each.
sampled=$(cat "$engine"/[0-9]*.txt | awk '
	/^profile / { period = $NF }
	/^  / { sub(/ thread\.name=.*/, ""); sum += $NF * period }
	END { printf "%d", sum / 1e9 * '"$(getconf CLK_TCK)"' }')
used=$((after - before))
awk -v sampled="$sampled" -v used="$used" 'BEGIN {
	few = 3 * sqrt(used * '"$(getconf CLK_TCK)"' / 5)
	most = few > used ? few : used
	least = few > used / 2 ? few : used / 2
	exit !(used > 0 && sampled > used - least && sampled < used + most)
}' ||
	{ echo "sampled $sampled ticks, used $used"; exit 1; }

# The limit holds within an interval as well.
prof_start --all --min-age 0s -d 3s --interval 5m --memory-limit 1k \
	--push "http://127.0.0.1:$engine_port" --shutdown-timeout 60s -F 19 || exit 1
prof_end 0 || exit 1
grep -q 'no further JVMs are sampled: .* more than --memory-limit 1 KB' "$prof_err" ||
	{ cat "$prof_err"; exit 1; }

# The first JVM is sampled although memory is short; the second one is refused.
rm -f "$engine"/[0-9]*.txt
prof_start --all --min-age 0s -d 60s --interval 1s \
	--memory-limit 1k --push "http://127.0.0.1:$engine_port" \
	--shutdown-timeout 60s -F 19 || exit 1
first=$pid
target_wait "$prof_err" 'no further JVMs are sampled: .* more than --memory-limit 1 KB' ||
	exit 1
target "$jdk" -Dtarget.duty=25 -- burners=1 || exit 1
late=$pid
wait_for_requests=$(($(ls "$engine" | grep -c '^[0-9]*\.txt$') + 4))
for _ in $(seq 1 300); do
	[ "$(ls "$engine" | grep -c '^[0-9]*\.txt$')" -lt $wait_for_requests ] || break
	sleep 0.1
done
kill -INT "$prof_pid"
prof_end 0 || exit 1
engine_agrees "$prof_err" || exit 1
grep -q "not sampled: $late: the memory limit is reached" "$prof_err" ||
	{ cat "$prof_err"; exit 1; }
if grep -h '^resource' "$engine"/[0-9]*.txt | grep -q "process.pid=$late"; then
	echo "the refused JVM $late was sampled"
	exit 1
fi
grep -q 'dropping caches: ' "$prof_err" || { cat "$prof_err"; exit 1; }
kill -0 "$first" || { echo 'the JVM was harmed'; exit 1; }

# In a group with a lower limit, three quarters of that are the default.
top=$(sed -n 's/^[0-9]*:memory:/\/sys\/fs\/cgroup\/memory/p' /proc/self/cgroup)
limit=memory.limit_in_bytes
[ -n "$top" ] || top=$(sed -n 's/^0::/\/sys\/fs\/cgroup/p' /proc/self/cgroup) limit=memory.max
group=$top/sjkc.$$
mkdir "$group" 2>/dev/null || exit 0
if [ -e "$group/$limit" ] && echo 67108864 >"$group/$limit"; then
	sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$group" \
		"$sjkc" prof -p "$late" -d 1s --interval 1s -o "$scratch/" \
		>"$prof_out" 2>"$prof_err"
	grep -q -- '--memory-limit is 48 MB, three quarters .*, 64 MB' "$prof_err"
	status=$?
	[ $status -eq 0 ] || cat "$prof_err"
fi
rmdir "$group"
exit ${status:-0}
