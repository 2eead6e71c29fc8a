# SPDX-License-Identifier: Apache-2.0
sjkc=$1 scratch=$2
. tests/jvm/lib/target.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }

# has TEXT: ends the test unless the last output has this line
has() {
	grep -qxF -- "$1" "$scratch/info" && return
	echo "$jdk: no line '$1' in:"
	cat "$scratch/info"
	exit 1
}

# ask OPTION…: runs vminfo, with its output in $scratch/info
ask() {
	"$sjkc" vminfo "$pid" "$@" >"$scratch/info" 2>&1 && return
	echo "$jdk: vminfo $*:"
	cat "$scratch/info"
	exit 1
}

for jdk in $(jdks); do
	target "$jdk" -Dodd.name=a=b:c -Dmy.password=hunter2 \
		-XX:MaxHeapFreeRatio=71 -- threads=3 || exit 1
	# Without an option, vminfo prints a summary.
	ask
	has 'main class: Target'
	has 'arguments: threads=3'
	has 'collector: Serial'
	has "Java home: $jdk"
	for line in 'JVM: .*[1-9]' 'started: .*, up [0-9]' \
		'JVM options: -Xmx64m .*-Dmy.password=\*\*\*' \
		'heap: .* total [0-9]*K.*used [0-9]*K' 'maximum heap size: 64 MB' \
		'CPUs: may run on [1-9]' 'memory: [0-9.]* [MG]B resident' \
		'metaspace: .*used [1-9][0-9]*K' 'threads: [1-9]' \
		'code cache: [1-9].* of [1-9]' \
		'open files: [1-9][0-9]* of [1-9].*: [0-9]* sockets*, [1-9]'; do
		grep -q "^$line" "$scratch/info" ||
			{ echo "$jdk: no line $line in:"; cat "$scratch/info"; exit 1; }
	done
	ask --json
	grep -q '"summary":\[{"name":"JVM","value":' "$scratch/info" ||
		{ echo "$jdk: no summary in JSON"; exit 1; }
	"$sjkc" jstat -gc "$pid" 2>&1 | grep -q 'until the first collection' ||
		{ echo "$jdk: jstat explains no metaspace of 0"; exit 1; }
	ask --sysprops
	has 'odd.name: a=b:c'
	has 'my.password: ***'
	has "java.home: $jdk"
	ask --sysprops --show-secrets
	has 'my.password: hunter2'
	ask --flags
	has 'MaxHeapFreeRatio: 71 {manageable} {command line}'
	ask --perf
	has "java.property.java.home: $jdk"
	has 'sun.os.hrt.frequency: 1000000000 Hz'
	ask --agentprops
	has 'sun.java.command: Target threads=3'
	ask --agentprops --perf --json
	grep -q '^{"schema":"sjkc.vminfo/1","pid":'"$pid"',"agentprops":\[' \
		"$scratch/info" || { echo "$jdk: no JSON"; exit 1; }
	target_end "$pid"
	# Without a file, the counters come from the JVM's memory.
	target "$jdk" -XX:+PerfDisableSharedMem -- threads=1 || exit 1
	ask --perf
	has "java.property.java.home: $jdk"
	target_end "$pid"
	[ "$(id -u)" -eq 0 ] || continue
	within='setpriv --reuid=1234567 --regid=1234567 --clear-groups'
	target "$jdk" -- threads=1 || exit 1
	within=
	ask --perf
	has "java.property.java.home: $jdk"
	target_end "$pid"
done
