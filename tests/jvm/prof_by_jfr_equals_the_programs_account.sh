# SPDX-License-Identifier: Apache-2.0
# Each JDK: the events and their settings differ.
# Begins early: waits for recordings.
# sjkc prof --jfr: allocated bytes and waits for a monitor equal the account of
# ThreadMXBean in a JVM that loads no agents. A recording of others continues, and
# nothing of sjkc remains.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/probe.sh
target_program=Ledger

# records OPTION…: records while the program works; sets $status
records() {
	env --default-signal=INT "$sjkc" prof "$pid" --jfr "$@" \
		>"$scratch/out" 2>"$scratch/err" &
	recording=$!
	target_jobs="$target_jobs $recording"
	target_wait "$scratch/err" 'press Ctrl-C' "$recording" &&
		program_calls || return
	kill -INT "$recording"
	wait "$recording"
	status=$?
}

# sums: compares the totals of the JSON report with the account
sums() {
	/usr/bin/python3 - "$scratch/out" "$scratch/account" <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		said = dict((l.split()[0], [int(n) for n in l.split()[1:]])
		            for l in open(sys.argv[2]))
		of = {r["event"]: r for r in d["reports"]}
		def total(event, unit, frame):
		    return sum(f["total_" + unit] for f in of[event]["frames"]
		               if f["frame"] == frame)
		got = total("alloc", "bytes", "Ledger.fill")
		want = said["ALLOCATED"][0]
		print(f"# allocated: sjkc {got}, the program {want}")
		if not 0.9 * want <= got <= 1.1 * want:
		    sys.exit("allocated bytes differ")
		names = [t["thread"] for t in of["alloc"]["threads"]]
		if "filler-0" not in names or "Attach Listener" in names:
		    sys.exit(f"threads: {names}")
		got, count = total("lock", "ns", "Ledger.hold"), of["lock"]["samples"]
		number, ms = said["BLOCKED"]
		print(f"# blocked: sjkc {got / 1e6:.0f} ms in {count}, the program "
		      f"{ms} ms in {number}")
		if not 0.95 * ms <= got / 1e6 <= 1.05 * ms:
		    sys.exit("blocked times differ")
	END
}

for jdk in $(jdks); do
	target "$jdk" -XX:-EnableDynamicAgentLoading -- go="$scratch/go" || exit 1
	ask 0 jcmd "$pid" JFR.start name=other settings=default || exit 1
	records -e alloc,lock --json && [ "$status" -eq 0 ] ||
		{ cat "$scratch/err"; exit 1; }
	sums || exit 1
	ask 0 jcmd "$pid" JFR.check verbose=true && printed 'name=other' &&
		! grep sjkc "$scratch/out" || exit 1
	ask 0 jcmd "$pid" JFR.configure || exit 1
	directory=$(sed -n 's/^Repository path: //p' "$scratch/out")
	[ -d "$directory" ] && ! ls "$directory" | grep sjkc || exit 1

	# The report prints the threshold of waits.
	ask 0 jcmd "$pid" JFR.stop name=other || exit 1
	records -e lock --min-blocked 10s && [ "$status" -eq 1 ] &&
		said 'no samples of lock: no thread waited' || exit 1
	records -e lock --min-blocked 100us && [ "$status" -eq 0 ] &&
		printed 'note: only events of 100 us or longer' || exit 1
	target_end "$pid"
done
