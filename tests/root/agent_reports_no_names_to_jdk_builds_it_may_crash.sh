# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for samples.
# The test replaces the JVM's release file by that of a build with known bugs.
# sjkc reads this file if the JVM has no performance counters.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

# pretend VERSION: starts a JVM whose release file has that version
pretend() {
	echo "JAVA_VERSION=\"$1\"" >"$scratch/release"
	cat >"$scratch/pretend.sh" <<-END
		mount --bind $scratch/release $jdk/release && exec "\$@"
	END
	within="unshare --mount sh $scratch/pretend.sh"
	target "$jdk" -XX:-UsePerfData -- burners=1 allocators=1
	status=$?
	within=
	return $status
}

is_loaded() {
	grep -q '\.sjkc-' "/proc/$pid/maps"
}

jdk=$(jdks | head -n 1)
collapsed=$scratch/out.collapsed

pretend 17.0.9 || exit 1
prof 0 -d 1s -o "$collapsed" "$pid" &&
	has "$prof_err" "JVM's memory, not from the sjkc agent: it can crash" &&
	has "$prof_err" 'JDK-8268364, JDK-8313816; fixed in 17\.0\.14' &&
	has "$collapsed" ';Target\.burn' || exit 1
! is_loaded || { echo 'the agent was loaded for names'; exit 1; }
timeout 20 "$sjkc" doctor "$pid" >"$scratch/doctor" 2>&1
has "$scratch/doctor" 'JDK-8268364' || exit 1
prof 2 --agent --no-agent "$pid" || exit 1

# Allocations need the agent, but none of the calls that may crash.
prof 0 -e alloc -d 1s -o "$collapsed" "$pid" && is_loaded &&
	has "$prof_err" 'JDK-8268364' &&
	has "$collapsed" ';Target\.allocate' || exit 1
prof 0 --agent -d 1s -o "$collapsed" "$pid" &&
	has "$collapsed" ';Target\.burn' || exit 1
! grep JDK-8 "$prof_err" || exit 1
target_end "$pid"

# An event that the JDK does not have does not prevent other events.
pretend 1.8.0_504 || exit 1
prof 0 -e cpu,wall,alloc -d 1s -o "$scratch/out.html" "$pid" &&
	has "$prof_err" 'allocation sampling requires JDK 11 or later \(JEP 331\)' &&
	has "$prof_err" 'this is JDK 8' &&
	! grep 'no samples of alloc' "$prof_err" || exit 1
prof 8 -e alloc -d 1s "$pid" &&
	has "$prof_err" 'allocation sampling requires JDK 11' || exit 1
! is_loaded || { echo 'the agent was loaded for nothing'; exit 1; }
