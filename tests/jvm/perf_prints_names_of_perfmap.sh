# SPDX-License-Identifier: Apache-2.0
# The JVM runs in a container, perf outside.  perfmap changes nothing in the
# container's file system.
# Begins early: it waits for samples.
sjkc=$1 scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/compiled.sh
jdk=$(jdks | tail -n 1)
[ -n "$jdk" ] || { echo 'no JDK'; exit 77; }
[ "$(id -u)" = 0 ] || { echo 'needs the right to trace'; exit 77; }
command -v perf >/dev/null || { echo 'no perf'; exit 77; }

bad() { echo "$1"; cat "$scratch/said"; exit 1; }

within="setpriv --reuid=4321 --regid=4321 --clear-groups
	unshare --user --map-user=1 --map-group=1 --keep-caps
	--mount --pid --fork --kill-child --mount-proc
	sh $(target_container)"
compiled "$jdk" -XX:+PreserveFramePointer -- churn || exit 1
within=
map=/tmp/perf-$pid.map
find "/proc/$pid/root/tmp/" | sort >"$scratch/before"
timeout 300 perf record -q -e cpu-clock -F 499 -g -p "$pid" \
	-o "$scratch/data" -- sleep 2 >"$scratch/said" 2>&1 || {
	cat "$scratch/said"
	echo 'perf does not record here'
	exit 77
}
"$sjkc" perfmap "$pid" 2>"$scratch/said" || bad 'perfmap failed'
timeout 300 perf script -i "$scratch/data" -F ip,sym \
	>"$scratch/script" 2>"$scratch/said"
rm -f "$map"
find "/proc/$pid/root/tmp/" | sort | cmp -s - "$scratch/before" ||
	bad 'something is left in the container'
grep -q ' Compiled\.churn$' "$scratch/script" || {
	head -n 60 "$scratch/script"
	bad 'perf knows no Compiled.churn'
}
grep -q ' call_stub$' "$scratch/script" || bad 'perf knows no call_stub'
