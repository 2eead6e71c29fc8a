# SPDX-License-Identifier: Apache-2.0
# The Zero interpreter, whose stacks prof cannot unwind: prof and doctor report
# it, and everything that needs no stack works.
sjkc=$1
scratch=$2
version=$3
. tests/jvm/lib/target.sh
. tests/jvm/lib/jdk.sh
. tests/root/lib/prof.sh

refused() {
	prof 8 -d 1s -o "$scratch/no.collapsed" "$pid" &&
		has "$prof_err" 'Zero interpreter' &&
		has "$prof_err" 'sampler dump' &&
		[ ! -e "$scratch/no.collapsed" ] && echo '| exit status 8'
}

doctor() {
	"$sjkc" doctor "$pid" >"$scratch/doctor" 2>&1
	has "$scratch/doctor" 'does not work:.*prof' &&
		! grep -E '^works:.* prof(,|$)' "$scratch/doctor" && echo '| says no'
}

# The Zero of JDK 8 names no thread for the kernel, so sjkc cannot see that the
# JVM has started and waits until the JVM is 20 seconds old.
threads() {
	for attempt in 1 2 3 4 5 6; do
		"$sjkc" jstack "$pid" >"$scratch/jstack" 2>"$scratch/why" && break
		grep -q 'the JVM is starting' "$scratch/why" && sleep 5
	done
	[ -s "$scratch/jstack" ] || { echo "attempt $attempt"; cat "$scratch/why"; }
	has "$scratch/jstack" '^"allocator-0"'
}

why=$(jdk_add "$version" "openjdk-$version-jre-zero") || { echo "$why"; exit 77; }
# No burner: Zero reaches no safepoint in a loop without calls.
jdk_target "$version" -zero -- allocators=1 || exit 1
cell 'Zero: prof' refused
cell 'Zero: doctor' doctor
cell 'Zero: jstack' threads
