# SPDX-License-Identifier: Apache-2.0
# jstat prints lines until the JVM exits.  If the counters of a running JVM
# become unreadable, jstat fails, so that scripts do not mistake it for the
# JVM's exit.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh

check() {
	target_contained "$1" || return
	inside="nsenter --target $pid --user --mount --setuid 1 --setgid 1"
	"$sjkc" jstat -gcutil "$pid" 200ms >"$scratch/out" 2>"$scratch/err" &
	jstat=$!
	until [ "$(wc -l <"$scratch/out")" -ge 3 ]; do
		kill -0 "$jstat" 2>/dev/null || return
		sleep 0.1
	done
	# The magic number of the counters, which the JVM itself never reads.
	$inside sh -c 'printf XXXX |
		dd of=/tmp/hsperfdata_daemon/1 bs=4 conv=notrunc 2>/dev/null'
	wait "$jstat"
	status=$?
	kill -0 "$pid" || { echo 'the JVM has exited, too'; return 1; }
	[ $status -ne 0 ] || { echo 'exit status 0'; return 1; }
	grep -q "^sjkc: $pid: perfdata" "$scratch/err" || return
	# The JVM's exit is not an error.
	target_end "$pid"
}

check_exit() {
	target_contained "$1" || return
	# The shell in the background may truncate it later.
	: >"$scratch/out"
	"$sjkc" jstat -gcutil "$pid" 200ms >"$scratch/out" 2>"$scratch/err" &
	jstat=$!
	until [ "$(wc -l <"$scratch/out")" -ge 3 ]; do
		kill -0 "$jstat" 2>/dev/null || return
		sleep 0.1
	done
	target_end "$pid"
	wait "$jstat" || { echo "exit status $?"; return 1; }
	grep -q "$pid has exited" "$scratch/err"
}

for jdk in $(jdks | head -n 1); do
	{ check "$jdk" && check_exit "$jdk"; } || {
		cat "$scratch/err" "$scratch/out"
		exit 1
	}
done
[ -n "${jdk-}" ] || { echo 'no JDK'; exit 77; }
