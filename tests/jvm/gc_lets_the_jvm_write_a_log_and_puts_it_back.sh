# SPDX-License-Identifier: Apache-2.0
# Each JDK: the log differs between JDKs.
# With --log, the records equal another log of the JVM to the nanosecond. The
# JVM's log is configured as before afterwards, also if sjkc is killed, and no
# file is left.  The JVM's user needs no rights.  A full /tmp is a loss.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh

# outputs: prints the configuration of the JVM's log
outputs() {
	"$sjkc" jcmd "$pid" VM.log list | sed -n '/^Log output configuration/,$p'
}

# restored: fails unless the log is configured as before, within a minute
restored() {
	for _ in $(seq 600); do
		outputs >"$scratch/after"
		! cmp -s "$scratch/before" "$scratch/after" || break
		sleep 0.1
	done
	diff "$scratch/before" "$scratch/after" || return
	ls -l "/proc/$pid/fd" >"$scratch/files" || return
	! grep sjkc-gc "$scratch/files" ||
		{ echo 'the JVM has the file open'; return 1; }
	! find /tmp -maxdepth 1 -name "sjkc-gc-$1-*" | grep . ||
		{ echo 'a directory is left'; return 1; }
}

# logged COLLECTOR: kinds of pauses and their times
logged() {
	gc_target "$jdk" "$1" -- live=4000 rate=200 full=200 dumps=50 ||
		return
	outputs >"$scratch/before"
	gc_start "$pid" --log --json --safepoints &&
		target_wait "$gc_out" '"kind":"\(full\|cycle pause\)"' || return
	for _ in $(seq 600); do
		[ "$(wc -l <"$gc_out")" -lt 20 ] || break
		sleep 0.1
	done
	! cmp -s "$scratch/before" - <<-END || { echo 'no log'; return 1; }
	$(outputs)
	END
	job=$gc_job
	kill -INT "$job"
	gc_end 0 && gc_truth 15 && restored "$job"
}

killed() {
	gc_start "$pid" --log --phases && target_wait "$gc_out" '%\|M' || return
	job=$gc_job
	kill -KILL "$job"
	wait "$job"
	restored "$job"
}

for jdk in $(jdks); do
	logged Serial && killed && target_end "$pid" && logged Z &&
		target_end "$pid" || exit 1
done
[ "$(id -u)" -eq 0 ] || exit 0

# As the JVM's user, of a JVM in a container without counters.
jdk=$(jdks | head -n 1)
user='setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all'
install -m 755 "$sjkc" "$target_classes/sjkc.$$" || exit 1
within=$user
target_memory='-XX:+UseSerialGC -Xms64m -Xmx64m -XX:-UsePerfData'
target "$jdk" -- live=4000 rate=200 full=200 || exit 1
within=
outputs >"$scratch/before"
# shellcheck disable=SC2086 # words
$user timeout 60 "$target_classes/sjkc.$$" gc "$pid" 3s --log --json \
	>"$gc_out" 2>"$gc_err"
status=$?
rm -f "$target_classes/sjkc.$$"
[ $status -eq 0 ] || { echo "status $status"; cat "$gc_err"; exit 1; }
gc_has "$gc_out" '"kind":"(full|young)"' && restored '*' || exit 1
target_end "$pid"
target_contained "$jdk" -- live=4000 rate=200 full=200 &&
	outputs >"$scratch/before" && gc 0 "$pid" 3s --log --json &&
	gc_has "$gc_out" '"kind":"(full|young)"' && restored '*'
target_end "$pid"

# The counters of the JVM and 8 KB fit into /tmp.
tmp_options=size=48k
target_memory='-XX:+UseSerialGC -Xms64m -Xmx64m'
target_contained "$jdk" -- live=4000 rate=200 full=50 &&
	outputs >"$scratch/before" && gc_start "$pid" --log --json &&
	target_wait "$gc_err" "/tmp is full: its log lacks lines" || exit 1
kill -INT "$gc_job"
gc_end 7 && restored '*'
