#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A day in ten minutes: JVMs start and stop all the time while `prof --all --push`
# runs, the backend is away for half of it, and the wall clock of prof jumps by an hour
# ahead and back.  prof's memory, descriptors, processes and BPF objects must not grow,
# and each sample taken must be delivered or counted as lost.  Another prof writes the
# wall time of all threads to files; the threads of one JVM sleep all the time.
#
#	sh tests/day.sh SJKC [SECONDS [STARTS]]
#
# The environment's DAY is the usual number of seconds: DAY=3600 runs for an hour.
#
# Needs root, and runs in a PID namespace of its own, so that --all finds only the
# JVMs of this script.
if [ -z "$DAY_INSIDE" ]; then
	DAY_INSIDE=1 exec unshare -pf --mount-proc sh "$0" "$@"
fi
sjkc=$1
seconds=${2:-${DAY:-600}}
starts=${3:-$((seconds / 3))}
scratch=$(mktemp -d)
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh
trap 'trap - EXIT; target_end_all; rm -rf "$scratch"' EXIT

# A busy JVM and one that sleeps run until this script ends; the others live from one to
# nine seconds.
# Starts keep to the clock, however slow the machine is.
start_jvms() {
	for i in $(seq 1 "$starts"); do
		jdk=$(echo "$all" | sed -n "$((i % $(echo "$all" | wc -l) + 1))p")
		"$jdk/bin/java" -Xmx32m -XX:+UseSerialGC "-Dtarget.seconds=$((i % 5))" \
			-cp "$classes" Target burners=1 >/dev/null 2>&1 &
		left=$((began + i * seconds / starts - $(date +%s)))
		[ $left -le 0 ] || sleep $left
	done
}

# resident PID: resident KB
resident() {
	awk '/^VmRSS:/ { print $2 }' "/proc/$1/status"
}

# flat NUMBER...: fails if memory only rises.  It rises and falls: the last quarter must
# have no more than the second one.
flat() {
	echo "$*" | awk '{
		for (i = 6; i <= 10; i++) if ($i > a) a = $i
		for (i = 15; i <= NF; i++) if (!b || $i < b) b = $i
		if (b > a) print "resident memory rises from " a " to " b " KB"
	}' >"$scratch/flat"
	! [ -s "$scratch/flat" ] || fails "$(cat "$scratch/flat")"
}

# held: resident bytes, descriptors, children, BPF objects of prof, without the program
# that names the kernel's functions and its two maps, which are loaded once, at the first
# sample in the kernel.
held() {
	cat "/proc/$prof_pid/fdinfo"/* >"$scratch/fdinfo" 2>/dev/null
	! grep -q '^prog_type:[[:space:]]*31$' "$scratch/fdinfo"
	names=$?
	echo "$(resident "$prof_pid")" \
		"$(find "/proc/$prof_pid/fd" -type l | wc -l)" \
		"$(wc -w <"/proc/$prof_pid/task/$prof_pid/children")" \
		"$(($(grep -cE '^(prog|map|link)_id:' "$scratch/fdinfo") - 3 * names))"
}

cpu_ticks() {
	sed 's/.*) //' "/proc/$prof_pid/stat" | awk '{ print $12 + $13 }'
}

all=$(jdks)
classes=$(target_compile "$(jdks | head -n 1)") || exit 1
target "$(jdks | head -n 1)" "-Dtarget.seconds=$((seconds + 600))" -- burners=1 || exit 1
target "$(jdks | tail -n 1)" "-Dtarget.seconds=$((seconds + 600))" -- threads=200 parked=20 blocked=20 || exit 1
engine_start || exit 1
echo 0 >"$scratch/jump"
CLOCK_JUMP=$scratch/jump LD_PRELOAD=$(realpath "$TOOLS/clock_jump.so") \
	env --default-signal=INT "$sjkc" prof --all --push "http://127.0.0.1:$engine_port" \
	--interval 5s --shutdown-timeout 60s >"$prof_out" 2>"$prof_err" &
prof_pid=$!
mkdir "$scratch/walls"
env --default-signal=INT "$sjkc" prof --all -e wall --no-agent --interval 5s --keep-files 3 \
	-o "$scratch/walls/" >"$scratch/walls.out" 2>"$scratch/walls.err" &
walls_pid=$!
target_jobs="$target_jobs $prof_pid $walls_pid"
began=$(date +%s)
start_jvms &
starter=$!
away=0 ahead=0 back=0
early=
part=0 grown= walls=
while kill -0 "$starter" 2>/dev/null; do
	now=$(($(date +%s) - began))
	# Ahead, back and right again, each for a fifth of the time.
	case $((now * 5 / seconds)) in
	1) jump=3600 ahead=$((ahead + 1)) ;;
	3) jump=-3600 back=$((back + 1)) ;;
	*) jump=0 ;;
	esac
	echo $jump >"$scratch/jump.new" && mv "$scratch/jump.new" "$scratch/jump"
	# Away in every second twentieth of the time.
	wanted=$((now * 20 / seconds % 2))
	if [ $wanted -ne $away ]; then
		if [ $wanted -eq 1 ]; then engine_end; else engine_start || exit 1; fi
		away=$wanted
	fi
	if [ -z "$early" ] && [ $now -ge $((seconds / 5)) ]; then
		early=$(held)
		early_ticks=$(cpu_ticks)
		echo "# after $now s: $early (RSS KB, descriptors, children, BPF objects)"
	fi
	if [ $((now * 20 / seconds)) -ne $part ]; then
		part=$((now * 20 / seconds))
		grown="$grown $(resident $prof_pid)"
		walls="$walls $(resident $walls_pid)"
	fi
	sleep 1
done
[ $away -eq 0 ] || engine_start || exit 1
sleep 12
late=$(held)
now=$(($(date +%s) - began))
echo "# after $now s: $late; CPU ticks since then: $(($(cpu_ticks) - early_ticks))"
echo "# RSS KB of each twentieth:$grown; of wall time:$walls"
kill -INT "$walls_pid"
wait "$walls_pid"
walls_status=$?
sed 's/^/# /' "$scratch/walls.err" | grep -E 'wrote|lost' | cut -c1-160
for child in $(cat "/proc/$prof_pid/task/$prof_pid/children"); do
	children="$children $child"
done
kill -INT "$prof_pid"
wait "$prof_pid"
status=$?
grep -E 'delivered|lost' "$prof_err" | sed 's/^/# /' | cut -c1-160
failed=0
# fails TEXT: counts a failure
fails() {
	echo "not ok: $*"
	failed=1
}
[ $status -eq 0 ] || [ $status -eq 7 ] || fails "exit status $status"
set -- $early $late
flat $grown
flat $walls
[ $walls_status -eq 0 ] || [ $walls_status -eq 7 ] || fails "exit status $walls_status"
# The 200 sleeping threads have all of the time of each profile, and no more.
PYTHONPATH=tests/tools python3 - "$scratch"/walls/*.gz <<-'END' || fails 'time of sleeping threads'
	import gzip, sys, otlp_check
	for path in sys.argv[1:]:
	    request = otlp_check.decode(gzip.open(path).read(), "Request")
	    checker = otlp_check.Checker(request)
	    idle = 0
	    for resource in request["resource_profiles"]:
	        for scope in resource["scope_profiles"]:
	            for profile in scope["profiles"]:
	                idle_here = sum(
	                    sample["values"][0] for sample in profile["samples"]
	                    if ("thread.name", "idle-#") in
	                    map(checker.attribute, sample["attributes"]))
	                idle += idle_here
	                seconds = idle_here / 200 / profile["duration"]
	                print(f"# {path[-30:]}: {seconds:.3f} of {profile['duration'] / 1e9:.1f} s")
	                assert not idle_here or 0.98 < seconds < 1.02
	    assert idle, path
END
# A descriptor for each of the JVMs that ran at these moments.
[ "$6" -le $(($2 + 8)) ] || fails "descriptors grew from $2 to $6"
[ "$7" -le "$3" ] || fails "children grew from $3 to $7"
[ "$8" -le "$4" ] || fails "BPF objects grew from $4 to $8"
for child in $children; do
	kill -0 "$child" 2>/dev/null && fails "child $child is left"
done
set -- $(sed -n 's/.*: delivered \([0-9]*\) of \([0-9]*\) samples*.*/\1 \2/p' "$prof_err")
lost=$(sed -n 's/.*lost: \([0-9]*\) samples in .*/\1/p' "$prof_err" | awk '{ n += $1 } END { print n + 0 }')
[ $(($1 + lost)) -eq "$2" ] || fails "$2 samples taken, $1 delivered, $lost lost"
[ "$(engine_samples)" -ge "$1" ] || fails "the backend has $(engine_samples) samples"
jvms=$(cat "$engine"/*.txt | grep -c '^resource')
# Each hour has its profiles: after the end and before the beginning of this run.
hours=$(awk -v began="$began" -v now="$(date +%s)" '{
		at = $1 / 1e9
		print (at > now + 600) - (at < began - 600) }' \
	"$engine/times" | sort -n | uniq | tr '\n' ' ')
# A clock that was set for some intervals; this script may be slow.
for hour in "$ahead 1" "$back -1"; do
	[ "${hour% *}" -lt 15 ] || echo " $hours" | grep -q " ${hour#* } " ||
		fails "the profiles are of the hours $hours"
done
echo "# $jvms profiles of JVMs; samples: $2 taken, $1 delivered, $lost counted as lost"
[ $failed -eq 0 ] && echo ok
exit $failed
