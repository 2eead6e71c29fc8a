# SPDX-License-Identifier: Apache-2.0
# gc in the PID namespace of the JVM, as in a debug container, names the last thread to
# reach each safepoint: the kernel's TIDs are not those of this namespace.
sjkc=$1
scratch=$2
if [ "${INSIDE-}" != "$scratch" ]; then
	export INSIDE="$scratch"
	# The test mounts its own /proc; no other process sees the mount.
	exec unshare --pid --fork --kill-child --mount-proc sh "$0" "$@"
fi
# JVMs of other namespaces with the same PIDs have files in /tmp.
echo $(($(od -An -N2 -tu2 /dev/urandom) % 30000 + 1000)) \
	>/proc/sys/kernel/ns_last_pid
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh

[ $$ -eq 1 ] || { echo "not alone: $$"; exit 1; }
target_program=Target
jdk=$(jdks | head -n 1)
target "$jdk" -- burners=3 || exit 1
gc_start "$pid" --json --safepoints --source probe || { cat "$gc_err"; exit 1; }
for _ in $(seq 60); do
	"$jdk/bin/jcmd" "$pid" Thread.print >/dev/null || exit 1
	! grep -q '"last_thread":"burner-' "$gc_out" || break
done
kill -INT "$gc_job" && gc_end 0 || exit 1
grep -q '"last_thread":"burner-' "$gc_out" ||
	{ echo 'no last thread'; tail -n 3 "$gc_out"; exit 1; }
