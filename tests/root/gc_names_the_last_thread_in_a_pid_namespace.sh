# SPDX-License-Identifier: Apache-2.0
# gc in the PID namespace of the JVM, as in a debug container, names the last thread to
# reach each safepoint: the kernel's TIDs are not those of this namespace.
sjkc=$1
scratch=$2
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh

target_program=Target
jdk=$(jdks | head -n 1)
target "$jdk" -- burners=3 || exit 1
gc_start "$pid" --json --safepoints --source uprobes || { cat "$gc_err"; exit 1; }
for _ in $(seq 60); do
	"$jdk/bin/jcmd" "$pid" Thread.print >/dev/null || exit 1
	! grep -q '"last_thread":"burner-' "$gc_out" || break
done
kill -INT "$gc_job" && gc_end 0 || exit 1
grep -q '"last_thread":"burner-' "$gc_out" ||
	{ echo 'no last thread'; tail -n 3 "$gc_out"; exit 1; }
