# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# Each end of an observation prints its reason and the totals so far: the JVM is
# stopped and continues, it is killed, or it executes another program.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh

# followed SOURCE: a JVM that is stopped for a while, then killed
followed() {
	gc_start "$pid" --source "$1" && target_wait "$gc_out" ' young ' &&
		target_stop "$pid" &&
		target_wait "$gc_err" 'is stopped by a signal or a debugger' ||
		return
	kill -CONT "$pid"
	lines=$(wc -l <"$gc_out")
	for _ in $(seq 1 600); do
		[ "$(wc -l <"$gc_out")" -le $((lines + 3)) ] || break
		sleep 0.1
	done
	target_end "$pid"
	gc_end 0 && gc_has "$gc_err" 'Collecting \([0-9]+\) has exited' &&
		gc_has "$gc_out" '^(young|all collections) .*%'
}

# executes SOURCE: the JVM executes sleep(1) in its process
executes() {
	target_program=Executing
	target "$jdk" --enable-native-access=ALL-UNNAMED -Dafter=3000 \
		-- /bin/sleep 100 &&
		gc_start "$pid" --source "$1" --safepoints && gc_end 0 &&
		gc_has "$gc_err" '\([0-9]+\) has executed another program' &&
		target_wait "/proc/$pid/comm" sleep || return
	target_end "$pid"
	target_program=Collecting
}

for jdk in $(jdks); do
	for source in uprobes counters; do
		gc_target "$jdk" Serial -- live=4000 rate=200 full=200 &&
			followed $source || exit 1
	done
done
# The foreign function interface exists since JDK 22.
for jdk in $(all_jdks); do
	grep -Eq '^JAVA_VERSION="(2[2-9]|[3-9])' "$jdk/release" || continue
	executes uprobes && executes counters || exit 1
done
