# SPDX-License-Identifier: Apache-2.0
# The ten hottest methods without the agent and with default flags, compared
# with the JDK's CPU time sampler (JEP 509, since JDK 25) and with the agent.
sjkc=$1
scratch=$2
version=$3
. tests/jvm/lib/target.sh
. tests/jvm/lib/jdk.sh
. tests/root/lib/worker.sh
lib=tests/root/lib

# Both samplers run at once and measure the same time.
record() {
	begin metadata -F 499 --no-agent &&
		jfr JFR.start name=cpu settings=none \
			'+jdk.CPUTimeSample#enabled=true' \
			'+jdk.CPUTimeSample#throttle=500/s' \
			filename="$scratch/cpu.jfr" &&
		burn 600 && finish metadata && jfr JFR.stop name=cpu &&
		cp "$scratch/metadata.collapsed" "$scratch/whole.collapsed" &&
		omit_biased metadata
}

jdk_jfr() {
	jdk_tool "$version" "$pid" jfr "$@"
}

# points ONE OTHER: prints half the sum of the differences between the shares of
# the ten hottest methods: the time that is attributed to different methods
points() {
	python3 $lib/shares.py self "$1" "$2" 100 \
		>"$scratch/table" || { cat "$scratch/table"; return 1; }
	sed 's/^/# /' "$scratch/table" >>"$scratch/tables"
	awk 'NR > 1 { d = $1 - $2; sum += d < 0 ? -d : d }
		END { printf "%.0f\n", sum / 2 }' "$scratch/table"
}

beside_jfr() {
	record || return
	sed 's/^/# JFR: /' "$scratch/biased" >>"$scratch/tables"
	! grep '\[unknown Java method\]' "$scratch/whole.collapsed" ||
		return
	moved=$(points "$scratch/jdk.collapsed" \
		"$scratch/metadata.collapsed") || return
	echo "| every method named, $moved points from JFR"
	[ "$moved" -le 10 ]
}

# The JVM reports code that was compiled before the agent was loaded when the
# agent starts.  Both sample the same time, because the speed of each method
# depends on the load of the machine.
beside_agent() {
	begin agent --agent -F 499 && begin beside --no-agent -F 499 &&
		burn 600 && finish agent && finish beside || return
	moved=$(points "$scratch/agent.collapsed" "$scratch/beside.collapsed") ||
		return
	echo "| $moved points from the agent's"
	[ "$moved" -le 5 ]
}

[ "$version" -ge 25 ] || { echo 'CPUTimeSample requires JDK 25'; exit 77; }
target_program=Digests target_memory='-Xmx256m -XX:+UseSerialGC'
jdk_target "$version" -XX:TieredStopAtLevel=4 \
	-XX:+UnlockDiagnosticVMOptions -XX:-UseMD5Intrinsics -- seconds=900 || exit 1
# With the intrinsic, JFR would omit the method that called it.  Wait until all
# hot methods are compiled.
burn 300 || exit 1
cell 'hottest methods, no agent, JFR' beside_jfr
cell 'hottest methods, no agent, agent' beside_agent
cat "$scratch/tables"
