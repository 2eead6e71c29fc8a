# SPDX-License-Identifier: Apache-2.0
# Only in check-all: 4 s of CPU time.
# A thousand JMX sessions leave no files or memory in sjkc, and no sessions,
# sockets or threads in the JVM.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
: "${TOOLS:=build/cc/tests/jvm/lib}"

connect() {
	timeout 300 "$TOOLS/connect_often" "127.0.0.1:$port" "$1" \
		>"$scratch/out" 2>"$scratch/err" && return
	echo "connect_often $1: exit status $?"
	cat "$scratch/err"
	return 1
}

# instances CLASS: prints the number of live instances in the JVM
instances() {
	"$jdk/bin/jcmd" "$pid" GC.class_histogram |
		awk -v class="$1" '$4 == class { n = $2 } END { print n + 0 }'
}

# instances_drop CLASS MAXIMUM: waits up to 60 s until there are at most MAXIMUM
# instances, because the JVM removes its objects some time after a connection
# ends.
instances_drop() {
	for _ in $(seq 600); do
		[ "$(instances "$1")" -gt "$2" ] || return 0
		sleep 0.1
	done
	echo "$(instances "$1") of $1 are left, not $2"
	return 1
}

grew() {
	awk -v what="$1" -v most="$2" '$1 == what { grew = $3 - $2
		if (grew > most) { print what, "grew:", $0; exit 1 } }' \
		"$scratch/out"
}

check() {
	jmx_target "$1" || return
	connect 20 || return
	sockets=$(files_open "$pid")
	connect 1000 && grew files 0 && grew kB 512 &&
		instances_drop javax.management.remote.rmi.RMIConnectionImpl 0 &&
		instances_drop javax.management.remote.rmi.RMIConnectionImpl_Stub 0 ||
		return
	for _ in $(seq 600); do
		[ "$(files_open "$pid")" -gt $((sockets + 4)) ] || break
		sleep 0.1
	done
	[ "$(files_open "$pid")" -le $((sockets + 4)) ] ||
		{ echo "$(files_open "$pid") files are open, not $sockets"; return 1; }
	alive "$pid" && target_end "$pid"
}

for_each_jdk check
