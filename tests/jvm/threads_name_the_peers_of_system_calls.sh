# SPDX-License-Identifier: Apache-2.0
# sjkc threads, and the stack traces of ttop, name the peers for which threads wait in
# system calls. The JVM has its own network and PID namespaces, and prints the
# addresses itself.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/samples.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
[ "$(id -u)" = 0 ] || { echo 'not root'; exit 77; }
faults=$(realpath "${TOOLS:-build/cc/tests/jvm/lib}/../../tools/faults.so" 2>/dev/null)
command -v ip >/dev/null || { echo 'no ip'; exit 77; }

# Nothing replies at 192.0.2.77: the kernel routes it to a device that it does not
# forward from.
cat >"$scratch/network" <<'END'
ip link set lo up && ip address add 192.0.2.1/32 dev lo &&
	ip route add 192.0.2.64/26 dev lo src 192.0.2.1 || exit 1
exec "$@"
END

# all_wait: waits until each thread is in its system call, or blocked.
all_wait() {
	for _ in $(seq 100); do
		ask 0 threads -q --json "$pid" || return
		[ "$(grep -o '"system_call":"' "$scratch/out" | wc -l)" -lt 14 ] ||
			! grep -q '"blocked":1,"deadlocks"' "$scratch/out" ||
			return 0
		sleep 0.1
	done
	echo 'threads that never waited:'
	cat "$scratch/out"
	return 1
}

peers_equal_the_programs() {
	python3 - "$scratch/out" "$said" "$scratch/fifo" <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
t = {x["name"]: x["waits_in"] for x in r["threads"]}
wanted, seen = {}, set()
for line in open(sys.argv[2]):
    words = line.split()
    if len(words) == 3:
        wanted[words[0]] = words[1:]
short = lambda a: a and a.replace("[0:0:0:0:0:0:0:1]", "[::1]")
calls = {"client": ("read", "recvfrom"), "server": ("read", "recvfrom"),
         "acceptor": ("accept", "accept4", "poll"),
         "silent": ("connect", "poll"), "pool": ("poll", "read", "recvfrom")}
for name, (local, remote) in wanted.items():
    w = t[name]
    if name == "selector":
        assert w["descriptor_kind"] == "epoll", w
        assert w["system_call"] in ("epoll_wait", "epoll_pwait"), w
        assert w["watched_descriptors"] == 2, w
        assert w["watched_port"] == int(remote), w
        continue
    assert w["descriptor_kind"] == "tcp", (name, w)
    assert w["remote_address"] == (None if remote == "-" else short(remote)), \
        (name, w, remote)
    if local[0] == "*":
        assert w["local_address"] == "192.0.2.1" + local[1:], (name, w)
    else:
        assert w["local_address"] == short(local), (name, w, local)
    kind = name.rstrip("46").split("-")[0]
    assert w["system_call"] in calls[kind], (name, w)
    assert w["direction"] == {"server": "inbound", "acceptor": None}.get(
        kind, "outbound"), (name, w)
assert len(wanted) == 12, wanted
w = t["fifo"]
assert (w["system_call"], w["descriptor_kind"]) == ("read", "file"), w
assert w["path"] == sys.argv[3], w
assert t["main"] is None
END
}

# line TEXT: fails unless the report has this line below a frame.
line() {
	sed 's/" #[0-9]* /" /' "$scratch/out" | grep -qFx -- "      - $1" &&
		return
	echo "no line: - $1"
	grep '^      - ' "$scratch/out"
	return 1
}

# text_is: checks the lines of the text.
text_is() {
	ask 0 threads -q -n 0 "$pid" || return
	client4=$(awk '$1 == "client4" { print $3 }' "$said")
	client6=$(awk '$1 == "client6" { print $3 }' "$said" |
		sed 's/\[.*\]/[::1]/')
	peer=$(awk '$1 == "server4" { print $3 }' "$said")
	pool=$(awk '$1 == "pool-0" { print $3 }' "$said")
	port=$(awk '$1 == "selector" { print $3 }' "$said")
	line "\"client4\" reads from $client4" &&
		line "\"server4\" reads from $peer, a client of port ${client4##*:}" &&
		line "\"acceptor4\" accepts at $client4" &&
		line "\"client6\" reads from $client6" &&
		line "3 threads read from $pool" &&
		line 'connects to 192.0.2.77:4444' &&
		line "reads from $scratch/fifo" &&
		printed "read0; reads from $scratch/fifo" &&
		line "waits for events of 2 descriptors, one of which accepts at port $port"
}

# stack_has_the_peer NAME TEXT: checks the stack trace that ttop shows.
stack_has_the_peer() {
	samples "$pid" names=Thread.print "stack=$1"
	grep -A 2 "^\"$1\"" "$got" | grep -qFx -- "    - now $2" && return
	echo "no line in the stack trace of $1: - now $2"
	cat "$got"
	return 1
}

ttop_names_the_peers() {
	stack_has_the_peer client4 "reads from $client4" &&
		stack_has_the_peer silent 'connects to 192.0.2.77:4444' &&
		stack_has_the_peer pool-1 "reads from $pool"
}

csv_equals_json() {
	cp "$scratch/out" "$scratch/json" &&
		ask 0 threads -q --csv "$pid" &&
		python3 - "$scratch/json" "$scratch/out" <<'END'
import csv, json, sys
t = {x["name"]: x for x in json.load(open(sys.argv[1]))["threads"]}
rows = list(csv.DictReader(open(sys.argv[2], newline=""), strict=True))
for row in rows:
    w = t[row["name"]]["waits_in"]
    for key in ("system_call", "descriptor_kind", "local_address",
                "remote_address", "path", "watched_port"):
        value = w and w[key]
        assert row[key] == ("" if value is None else str(value)), (key, row)
END
}

missing_right_is_reported() {
	[ -e "${faults:-none}" ] || return 0
	FAULT_TRACE=1 LD_PRELOAD=$faults ask 0 threads --count 2 --interval 10ms \
		"$pid" || return
	[ "$(grep -c 'system calls are missing: the kernel denies' \
		"$scratch/err")" = 1 ] ||
		{ echo 'not reported once:'; cat "$scratch/err"; return 1; }
}

mkfifo "$scratch/fifo"
chmod 755 "$scratch"
for jdk in $(jdks); do
	within="unshare --net --pid --fork --kill-child --mount-proc sh
		$scratch/network"
	target_program=Peers target "$jdk" -- "$scratch/fifo" 192.0.2.77 &&
		all_wait && peers_equal_the_programs && csv_equals_json &&
		text_is && ttop_names_the_peers &&
		missing_right_is_reported || exit 1
	within=
	target_end "$pid"
done
