# SPDX-License-Identifier: Apache-2.0
# Only in check-all: takes 10 CPU seconds.
# Programs that look like JVMs and have tens of thousands of mappings or threads,
# mappings of 60 TB, and arenas, regions and classes that lie: mem ends, needs at most
# 20 MB more than for a sound JVM, and prints its CPU time.  One is stopped, others end
# meanwhile.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh

# memory: runs sjkc mem on $pid; prints its peak memory in KB and its status
memory() {
	python3 - "$sjkc" mem "$pid" --maps 3>"$scratch/out" <<-'END'
		import resource, subprocess, sys
		with open(3, 'wb') as out:
		    status = subprocess.run(sys.argv[1:], stdout=out, stderr=out).returncode
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		print(used.ru_maxrss, status, used.ru_utime + used.ru_stime)
	END
}

# hostile KIND: starts such a program; sets $pid
hostile() {
	rm -f "$scratch/said"
	"$TOOLS/hostile_memory" "$libjvm" "$1" "$scratch" >"$scratch/said" 2>&1 &
	pid=$!
	target_pids="$target_pids $pid"
	target_wait "$scratch/said" READY "$pid"
}

# Its structures have the names of JDK 17.
for jdk in $(all_jdks) none; do
	! grep -qs '^JAVA_VERSION="17' "$jdk/release" || break
done
[ "$jdk" != none ] || { echo 'no JDK 17'; exit 77; }
libjvm=$(find "$jdk/" -name libjvm.so | head -n 1)

target "$jdk" || exit 1
set -- $(memory)
most=$(($1 + 20480))
target_end "$pid"
for kind in mappings paths sparse arenas regions tiny_heap classes threads; do
	hostile $kind || exit 1
	[ $kind != arenas ] || kill -STOP "$pid"
	set -- $(memory)
	echo "# $kind: $1 KB, $3 CPU s"
	[ "$2" -eq 0 ] || { echo "$kind: status $2"; tail -n 20 "$scratch/out"; exit 1; }
	[ "$1" -lt "$most" ] || { echo "$kind: $1 KB, at most $most KB"; exit 1; }
	target_end "$pid"
done

for wait in 0 0.01 0.1; do
	hostile arenas || exit 1
	"$sjkc" mem "$pid" >"$scratch/out" 2>&1 &
	job=$!
	sleep $wait
	target_end "$pid"
	wait $job
	status=$?
	case $status in
	0 | 3) ;;
	*) echo "status $status after the end"; cat "$scratch/out"; exit 1 ;;
	esac
done
exit 0
