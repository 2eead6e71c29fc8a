# SPDX-License-Identifier: Apache-2.0
# prof holds descriptors for each JVM that it samples.  It frees them when a JVM
# ends, except those of the last one: a program may start any number of JVMs.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

jdk=$(jdks | head -n 1)
classes=$(target_compile "$jdk") || exit 1
# The children of prof are the program, the process that opens the files of JVMs,
# and the process that starts the one that reads the memory of all JVMs.
cat >"$scratch/program" <<-'END'
	for i in 1 2 3 4; do
		"$@" >/dev/null || exit
	done
	for i in $(seq 1 50); do
		set -- $(cat "/proc/$PPID/task/$PPID/children")
		[ $# -gt 3 ] || break
		sleep 0.2
	done
	echo $# >"${0%/*}/children"
END
prof 0 --no-agent -t -o "$scratch/out.collapsed" -- sh "$scratch/program" \
	"$jdk/bin/java" -Dtarget.seconds=2 -cp "$classes" Target burners=1 ||
	exit 1
children=$(cat "$scratch/children")
[ "$children" -le 3 ] || { echo "prof has $children children"; exit 1; }
# The samples of all JVMs are kept.
jvms=$(grep -o '^.burner-0 tid=[0-9]*' "$scratch/out.collapsed" | sort -u | wc -l)
[ "$jvms" -eq 4 ] || { echo "samples of $jvms JVMs, not 4"; cat "$prof_err"; exit 1; }
