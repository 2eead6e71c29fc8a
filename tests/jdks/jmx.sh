# SPDX-License-Identifier: Apache-2.0
# JMX of each JDK: by PID, by address, through the proxy, and with a host name
# of the JVM that does not resolve.
sjkc=$1
scratch=$2
version=$3
. tests/jvm/lib/target.sh
. tests/jvm/lib/jdk.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/lab.sh
. tests/jvm/lib/proxy.sh

# reads OPTION…: reads MBeans of the JVM
reads() {
	ask 0 mx "$@" -b java.lang:type=Runtime --get -q -f Name &&
		printed @ && ask 0 mxdump "$@" -q java.lang:type=Runtime &&
		printed '"modelerType":"sun.management.RuntimeImpl"' &&
		sed -n 's/.*"SpecVersion":"\([^"]*\)".*/| Java \1/p' \
			"$scratch/out"
}

pings() {
	ask 0 mxping "$@" && printed 'JMX works' &&
		sed -n 's/.*java_runtime_\(.*\)$/| \1/p' "$scratch/out"
}

# Checks the messages for names that are nearly right.
near_misses() {
	ask 3 mx -p "$pid" -b java.lang:type=Memroy --get &&
		said "did you mean 'java.lang:type=Memory'" &&
		ask 3 mx -p "$pid" -b java.lang:type=Memory --get -f HeapMemory &&
		said "did you mean 'HeapMemoryUsage'" &&
		ask 5 jcmd "$pid" GC.heap_dum &&
		said "did you mean 'GC.heap_dump'" &&
		ask 5 jcmd "$pid" GC.heap_dump && said 'the JVM refused: ' &&
		! grep -q 'Exception' "$scratch/err"
}

summary() {
	ask 0 vminfo "$pid" && printed 'main class: Target' &&
		printed 'collector: Serial' && printed 'maximum heap size: 64' &&
		grep -q '^heap: .*used' "$scratch/out" &&
		ask 0 vminfo "$pid" --flags &&
		grep -q '^MaxHeapSize: 67108864 {' "$scratch/out"
}

# allocation OPTION…: all threads together allocate at least as much as the
# busiest thread; a JVM that is too busy to reply within half a second has no
# values
allocation() {
	for _ in $(seq 10); do
		ask 0 ttop "$@" -b --json -n 0 --iterations 1 \
			--report-interval 1s || return
		python3 - "$scratch/out" <<-'END' && return
			import json, sys
			top = json.load(open(sys.argv[1]))
			total = top["process"]["alloc_bytes_per_s"]
			threads = [t["alloc_bytes_per_s"] or 0
			           for t in top["threads"]]
			if not total or max(threads) == 0:
			    sys.exit(77)
			assert total > 0.8 * max(threads), (total, threads)
			print("| %.0f MB/s" % (total / 1e6))
		END
		[ $? -eq 77 ] || return
	done
	cat "$scratch/out"
	return 1
}

# proxied OPTION…: a client of an installed JDK reads through mxprx
proxied() {
	proxy "$@" -b 127.0.0.1:0 &&
		jmx_client "$(jdk_compiler)" "127.0.0.1:$proxy_port" attributes
	proxied_status=$?
	[ -z "${proxy-}" ] || proxy_end TERM
	sed 's/^/| /' "$scratch/client" | cut -c1-40
	return $proxied_status
}

# Some JVMs refuse to start with JMX on a port then; access by PID always works.
nameless() {
	cat >"$scratch/nowhere" <<-'END'
		hostname nowhere.example.invalid && exec "$@"
	END
	within="unshare --uts sh $scratch/nowhere
		$(jdk_installed "$version" >/dev/null ||
			echo "unshare --mount sh $(jdk_enter "$version")")"
	compiler=$(jdk_compiler) compile_for='--release 8'
	target "$(jdk_home "$version")" -- threads=1
	nameless_status=$?
	within='' compiler='' compile_for=''
	[ $nameless_status -eq 0 ] && reads -p "$pid" && pings -p "$pid" &&
		ask 0 ttop "$pid" --jmx -b --iterations 1 -ri 100ms \
			--sampler-interval 20ms && proxied -p "$pid"
	nameless_status=$?
	# cell runs this in a subshell, which alone knows of the JVM.
	target_end "$pid"
	return $nameless_status
}

jmx=-Dcom.sun.management.jmxremote
port=$(free_port)
jdk_target "$version" $jmx.port="$port" $jmx.rmi.port="$port" \
	$jmx.ssl=false $jmx.authenticate=false \
	-Djava.rmi.server.hostname=127.0.0.1 -- allocators=1 threads=3 || exit 1
cell 'mxping -s' pings -s "127.0.0.1:$port"
cell 'mxping -p' pings -p "$pid"
cell 'mx, mxdump -s' reads -s "127.0.0.1:$port"
cell 'mx, mxdump -p' reads -p "$pid"
cell 'jcmd -s' ask 0 jcmd -s "127.0.0.1:$port" VM.version
cell 'ttop -s, allocation' allocation -s "127.0.0.1:$port"
cell 'ttop --jmx, allocation' allocation -p "$pid" --jmx
cell 'mxprx -s' proxied -s "127.0.0.1:$port"
cell 'mxprx -p' proxied -p "$pid"
cell 'near misses' near_misses
cell vminfo summary
target_end "$pid"
[ "$(id -u)" -ne 0 ] || cell 'JMX without a host name' nameless
