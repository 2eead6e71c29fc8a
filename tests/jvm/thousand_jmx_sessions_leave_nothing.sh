# SPDX-License-Identifier: Apache-2.0
# Neither here, open files or memory, nor in the JVM: sessions, sockets, threads.
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

# instances CLASS: of it in the JVM, after a collection
instances() {
	"$jdk/bin/jcmd" "$pid" GC.class_histogram |
		awk -v class="$1" '$4 == class { n = $2 } END { print n + 0 }'
}

# What a JVM has of a connection goes with it, a moment later.
goes() {
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
		goes javax.management.remote.rmi.RMIConnectionImpl 0 &&
		goes javax.management.remote.rmi.RMIConnectionImpl_Stub 0 ||
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
