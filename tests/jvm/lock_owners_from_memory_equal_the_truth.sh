# SPDX-License-Identifier: Apache-2.0
# The owners of locks and monitors that sjkc reads from the memory of a running
# JVM are those that the program knows, while it allocates as fast as it can and
# the collector moves the locks.  With EVERY_JDK, on JDK 8 to 28 with each
# collector.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/jdk.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
[ "$(id -u)" = 0 ] || { echo 'needs the right to trace'; exit 77; }
target_program=LockOwners target_memory=
compile_for='--release 8'
unlock='-XX:+UnlockExperimentalVMOptions -XX:+UnlockDiagnosticVMOptions'
aggressive='-XX:+UseShenandoahGC -XX:ShenandoahGCHeuristics=aggressive'

bad() {
	echo "$running: $1"
	cat "$scratch/out" "$said"
	exit 1
}

show() {
	timeout 300 "$TOOLS/show_owners" "$pid" "$@" >"$scratch/out" 2>&1 ||
		bad 'show_owners failed'
}

count() { sed -n "\$s/.*\\b$1=\\([0-9]*\\).*/\\1/p" "$scratch/out"; }

# still COUNT: each of so many waiters has the owner in its name.  A collector
# that always moves objects may move a virtual thread before its name is read.
still() {
	for _ in $(seq 30); do
		show
		right=$(awk -F '|' '$1 ~ "^w/" {
				split($1, name, "/")
				$4 == name[4] ? right++ : $4 == "?" || wrong++
			}
			END { print wrong ? "none" : right }' "$scratch/out")
		[ "$right" != none ] || bad 'an owner differs'
		[ "$right" != "$1" ] || return 0
	done
	bad 'owners of threads that do not move are unknown'
}

# lies: memory with any contents costs little time and memory.
lies() {
	show 16 lies
	[ "$(count longest_ms)" -lt 1000 ] || bad 'a reading took too long'
	[ "$(count grown_kb)" -lt 20480 ] || bad 'a reading took much memory'
}

# storm ROUNDS: no owner is wrong while locks and threads are replaced and the
# program allocates.
storm() {
	show "$1"
	echo "$running: $(tail -n 1 "$scratch/out")"
	[ "$(count wrong)" = 0 ] || bad 'an owner is wrong'
	[ "$(count waits)" -ge "$least" ] || bad 'too few waits were read'
	[ "$(count right)" -ge $((least / 4)) ] || bad 'too few owners were read'
	[ "$(count unknown)" -le $(($1 * 12)) ] || bad 'too many are unknown'
}

# check ROUNDS COMMAND…: starts the program by a command without and with a
# storm.
check() {
	rounds=$1
	running=$*
	shift
	least=200
	"$@" -- deadlocks $virtual || exit 1
	still $((${virtual:+16} + 16))
	lies
	target_end "$pid"
	"$@" -- life=150 garbage=1 $virtual || exit 1
	storm "$rounds"
	target_end "$pid"
}

if [ -z "${EVERY_JDK-}" ]; then
	jdk=$(jdks)
	compiler=$jdk
	virtual=
	! grep -Eq '^JAVA_VERSION="(2[1-9]|3)' "$jdk/release" || virtual=virtual
	for options in '-Xmn4m -XX:+UseG1GC' "$unlock -XX:+UseZGC"; do
		# shellcheck disable=SC2086 # words
		check 25 target "$jdk" -Xmx128m $options
	done
	exit
fi

while read -r number options; do
	jdk_prepare "$number" || exit 77
	virtual=
	[ "$number" -lt 21 ] || virtual=virtual
	# shellcheck disable=SC2086 # words
	check 200 jdk_target "$number" -Xmx256m $unlock $options
done <<-END
	8 -Xmn4m -XX:+UseSerialGC
	8 -Xmn4m -XX:+UseParallelGC
	8 -Xmn4m -XX:+UseG1GC
	11 -Xmn4m -XX:+UseSerialGC
	11 -Xmn4m -XX:+UseG1GC
	11 $aggressive
	17 -Xmn4m -XX:+UseSerialGC
	17 -Xmn4m -XX:+UseParallelGC
	17 -Xmn4m -XX:+UseG1GC
	17 -Xmn4m -XX:+UseG1GC -XX:-UseCompressedOops
	17 -XX:+UseZGC
	17 $aggressive
	21 -Xmn4m -XX:+UseG1GC
	21 -Xmn4m -XX:+UseG1GC -XX:LockingMode=2
	21 -XX:+UseZGC
	21 -XX:+UseZGC -XX:+ZGenerational
	21 $aggressive
	25 -Xmn4m -XX:+UseSerialGC
	25 -Xmn4m -XX:+UseParallelGC
	25 -Xmn4m -XX:+UseG1GC
	25 -Xmn4m -XX:+UseG1GC -XX:+UseCompactObjectHeaders
	25 -XX:+UseZGC
	25 $aggressive
	25 -XX:+UseShenandoahGC -XX:ShenandoahGCMode=generational
	28 -Xmn4m -XX:+UseSerialGC
	28 -Xmn4m -XX:+UseG1GC
	28 -XX:+UseZGC
	28 $aggressive
END
