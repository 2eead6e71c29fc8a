# SPDX-License-Identifier: Apache-2.0
# Begins early: it mostly waits.
# Replies that are endless, nested, slow, truncated or no RMI at all, and a JVM
# that is killed during a dump: mxdump ends in time, in little memory, with
# valid JSON.
# shellcheck disable=SC2016 # the JSON contains "$error"
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }

# server MODE: starts hostile_jmx.py in this mode and sets $port
server() {
	mode=$1
	: >"$scratch/port"
	python3 tests/jvm/lib/hostile_jmx.py "$mode" >"$scratch/port" 2>&1 &
	server=$!
	target_pids="$target_pids $server"
	target_wait "$scratch/port" '^[0-9]' "$!" && port=$(cat "$scratch/port")
}

# asked STATUS ARGUMENT…: runs sjkc with at most 400 MB and 120 s, and fails
# unless it exits with STATUS
asked() {
	asked_for=$1
	shift
	prlimit --as=400000000 timeout 120 "$sjkc" "$@" --timeout 2s \
		-s "127.0.0.1:$port" >"$scratch/out" 2>"$scratch/err"
	status=$?
	[ $status -eq "$asked_for" ] && return
	echo "$mode: $*: exit status $status, not $asked_for"
	head -c 1000 "$scratch/out" "$scratch/err"
	return 1
}

# fails_without_output MODE TEXT: if no list of MBeans arrives, mxdump prints no
# document, and an error with TEXT.
fails_without_output() {
	server "$1" && asked 5 mxdump && printed_nothing && said "$2" &&
		kill "$server"
}

is_json() {
	python3 -c 'import json, sys; json.load(open(sys.argv[1]))["beans"]' \
		"$scratch/out"
}

fails_without_output query-integer 'is not a list' &&
	fails_without_output query-endless 'invalid RMI reply' &&
	fails_without_output query-string 'too long' &&
	fails_without_output query-deep 'nested too deeply' &&
	fails_without_output query-slow 'timed out' &&
	fails_without_output query-mute 'timed out' &&
	fails_without_output query-close 'closed without a reply' &&
	fails_without_output query-garbage 'invalid RMI reply' || exit

server query-others && asked 5 mx -b '*:*' -all -mg &&
	printed 'not an MBeanInfo' && asked 7 mxdump && is_json &&
	said 'cannot read 3 of 3 MBeans: ' &&
	printed '"name":"a:d=e","$error":"the reply is not an MBeanInfo"' &&
	kill "$server" || exit
server query-lies && asked 7 mxdump && is_json &&
	said "cannot read 1 of 1 MBeans: a:b=c: " && kill "$server" || exit
server info-mute && asked 7 mxdump && is_json && printed 'timed out' &&
	said 'cannot read 2 of 2 MBeans' && kill "$server" || exit
server info-endless && asked 7 mxdump && is_json &&
	printed 'invalid RMI reply' && kill "$server" || exit

# dumping MILLIS: starts mxdump and waits until it reads the attribute of Slow,
# which takes MILLIS milliseconds
dumping() {
	ask 0 mx -s "127.0.0.1:$port" -b sjkc.test:type=Slow -ms -f Millis \
		-v "$1" || return
	timeout 300 "$sjkc" mxdump -s "127.0.0.1:$port" --timeout 200s \
		>"$scratch/out" 2>"$scratch/err" &
	dumping=$!
	slow_is_read || { echo 'Slow was not read'; return 1; }
}

# slow_is_read [not]: waits until the JVM reads the attribute of Slow, or no
# longer does
slow_is_read() {
	for _ in $(seq 1200); do
		if "$sjkc" jstack "$pid" | grep -q getSlow; then
			[ -n "${1-}" ] || return 0
		else
			[ -z "${1-}" ] || return 0
		fi
		sleep 0.1
	done
	return 1
}

# ended_partly: fails unless mxdump ends with status 7 and valid, partial JSON
ended_partly() {
	wait "$dumping"
	status=$?
	[ $status -eq 7 ] || { echo "exit status $status, not 7"; return 1; }
	is_json && printed JMImplementation:type=MBeanServerDelegate &&
		printed '"$partial":' && said 'MBeans were written'
}

# The MBeans after one that is too slow are read, and its other attributes.
one_is_too_slow() {
	ask 0 mx -s "127.0.0.1:$port" -b sjkc.test:type=Slow -ms -f Millis \
		-v 16000 &&
		ask 7 mxdump -s "127.0.0.1:$port" --timeout 10s &&
		said 'cannot read 1 of ' &&
		python3 - "$scratch/out" <<-'END' || return
			import json, sys
			d = json.load(open(sys.argv[1]))
			assert set(d) == {"beans"}, list(d)
			beans = {b["name"]: b for b in d["beans"]}
			assert not [n for n, b in beans.items() if "$error" in b]
			slow = beans["sjkc.test:type=Slow"]
			assert slow["Millis"] == 16000, slow
			assert "timed out" in slow["Slow"]["$error"], slow
			assert beans["sjkc.test:type=Types"]["Boxed"] == 42
		END
	slow_is_read not
}

# After SIGINT, mxdump reads no further MBean.
stopped_and_killed() {
	# shellcheck disable=SC2034 # for target
	target_program=Beans
	jmx_target "$1" && one_is_too_slow && dumping 10000 &&
		interrupt "$dumping" && ended_partly &&
		said 'stopped by a signal' && dumping 190000 &&
		target_end "$pid" && ended_partly
}

stopped_and_killed "$(jdks | head -n 1)"
