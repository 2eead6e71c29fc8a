# SPDX-License-Identifier: Apache-2.0
# prof --push finds JVMs that start later.  A JVM that has ended is sent with the
# interval in which it ended.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

jdk=$(jdks | head -n 1)
classes=$(target_compile "$jdk") || exit 1
engine_start || exit 1
# The children of prof: the sending process, the program, the one that opens the
# files of JVMs, and the one that starts
# the process that reads memory.
cat >"$scratch/program" <<-'END'
	for i in 1 2 3 4; do
		"$1" -Dotel.service.name="jvm-$i" -Dtarget.seconds=1 -cp "$2" Target \
			burners=1 >/dev/null || { echo "jvm-$i: status $?" >&2; exit; }
	done
	for i in $(seq 1 50); do
		set -- $(cat "/proc/$PPID/task/$PPID/children")
		[ $# -gt 4 ] || break
		sleep 0.2
	done
	echo $# >"${0%/*}/children"
END
prof 0 -F 99 --push "http://127.0.0.1:$engine_port" --interval 1s \
	--shutdown-timeout 60s -- \
	sh "$scratch/program" "$jdk/bin/java" "$classes" || exit 1
engine_accepts && engine_agrees "$prof_err" || exit 1
children=$(cat "$scratch/children") || { cat "$prof_err"; exit 1; }
[ "$children" -le 4 ] || { echo "prof has $children children"; exit 1; }
for i in 1 2 3 4; do
	grep -q "^resource service.name=jvm-$i " "$engine"/*.txt ||
		{ echo "no jvm-$i"; grep -h '^resource' "$engine"/*.txt; exit 1; }
done
