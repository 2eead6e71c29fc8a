# SPDX-License-Identifier: Apache-2.0
# The agent and its events, if the JDK has them and they are safe.
sjkc=$1
scratch=$2
version=$3
. tests/jvm/lib/target.sh
. tests/jvm/lib/jdk.sh
. tests/root/lib/prof.sh

# All five events in one run; a JDK that lacks one has the others.
every_event() {
	prof 0 -e cpu,wall,offcpu,alloc,lock -d 2s -o "$scratch/all.html" \
		"$pid" || return
	[ "$version" -lt 11 ] || { echo '| cpu, wall, offcpu, alloc, lock'; return; }
	has "$prof_err" 'allocation sampling requires JDK 11' &&
		prof 8 -e alloc -d 1s "$pid" &&
		has "$prof_err" "this is JDK $version" &&
		echo '| cpu, wall, offcpu, lock'
}

# prof loads the agent into a safe build and names a bug otherwise.
names() {
	prof 0 -d 1s -o "$scratch/names.collapsed" "$pid" &&
		has "$scratch/names.collapsed" 'Target\.burn' || return
	if grep -q '\.sjkc-' "/proc/$pid/maps"; then
		! grep 'JDK-8' "$prof_err" && echo '| agent'
	else
		has "$prof_err" 'it can crash JDK' &&
			echo "| memory: $(grep -o 'JDK-[0-9]*' "$prof_err")"
	fi
}

allocations() {
	[ "$version" -ge 11 ] || { echo '| unavailable'; return; }
	prof 0 -e alloc -d 2s -o "$scratch/alloc.collapsed" "$pid" &&
		has "$scratch/alloc.collapsed" 'Target\.allocate'
}

# A JRE may lack JFR.
recorded_allocations() {
	timeout 100 "$sjkc" jcmd "$pid" JFR.check >/dev/null 2>&1 ||
		{ echo '| no JFR'; return; }
	prof 0 -e alloc --jfr -d 2s -o "$scratch/jfr.collapsed" "$pid" &&
		has "$scratch/jfr.collapsed" 'Target\.allocate'
}

jdk_target "$version" -- burners=1 allocators=1 || exit 1
cell 'names by default from' names
cell 'prof -e alloc' allocations
cell 'prof -e alloc --jfr' recorded_allocations
cell 'several events at once' every_event
