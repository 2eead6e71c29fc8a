# SPDX-License-Identifier: Apache-2.0
# The commands for people, with each JDK; the JVM is unharmed.
sjkc=$1
scratch=$2
version=$3
. tests/jvm/lib/target.sh
. tests/jvm/lib/jdk.sh
. tests/root/lib/prof.sh

# ask TEXT COMMAND…: sjkc must succeed and print TEXT
ask() {
	wanted=$1
	shift
	timeout 60 "$sjkc" "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	[ $status -eq 0 ] && grep -Eq -- "$wanted" "$scratch/out" && return
	echo "sjkc $*: exit status $status, wanted 0 and $wanted"
	cat "$scratch/err"
	head -n 40 "$scratch/out"
	return 1
}

# Prints the version as the JVM reports it.
build() {
	ask '^java.runtime.version: ' vminfo --sysprops "$pid" &&
		sed -n 's/^java.runtime.version: /| /p' "$scratch/out"
}

# Checks each thread that the JDK's own jstack shows.
# shellcheck disable=SC2015 # what is missing is printed, whatever failed
threads() {
	ask 'Target\.burn' jstack "$pid" &&
		jdk_tool "$version" "$pid" jstack "$pid" >"$scratch/theirs" &&
		for file in "$scratch/out" "$scratch/theirs"; do
			sed -n 's/^"\(.*\)" #.*/\1/p' "$file" | sort >"$file.names"
		done &&
		grep -v 'Attach Listener' "$scratch/theirs.names" |
			comm -13 "$scratch/out.names" - >"$scratch/missing" &&
		[ ! -s "$scratch/missing" ] || { cat "$scratch/missing"; return 1; }
	grep -q deadlock-left "$scratch/out" &&
		grep -qi 'found one java-level deadlock' "$scratch/out"
}

# The JVM writes its virtual threads to a file, JDK 21 as text without states.
virtual() {
	ask 'virtual-parked-19' threads --virtual --csv "$pid" &&
		count=$(grep -c '^virtual-parked' "$scratch/out") &&
		ask '"virtual-parked-0" virtual' jstack --virtual "$pid" || return
	grep -q 'Target\.' "$scratch/out" || { echo 'no frames'; return 1; }
	echo "| $count virtual threads"
}

# Another JVM than that of the other rows. JDK 8 to 20 have no virtual threads.
with_virtual_threads() {
	[ "$version" -ge 21 ] || { echo '| none'; return; }
	jdk_target "$version" -- waitingvirtual=20 && virtual
	status=$?
	target_end "$pid"
	return $status
}

flame() {
	timeout 60 "$sjkc" jstack "$pid" >"$scratch/stacks" &&
		timeout 60 "$sjkc" flame -o "$scratch/dump.collapsed" \
			"$scratch/stacks" && has "$scratch/dump.collapsed" 'Target\.burn'
}

# sampled NAME OPTION…: profiles Java threads by name: nearly every stack trace
# reaches the thread's root, and each Java frame has a name
sampled() {
	file=$scratch/$1.collapsed
	shift
	prof 0 -d 2s -F 499 -t --annotate -o "$file" "$@" "$pid" || return
	all='^\[(burner|allocator)-0 '
	cut=$(weight_of "$file" '\[truncated' "$all")
	unnamed=$(weight_of "$file" '\[unknown Java method\]' "$all")
	seen=$(weight_of "$file" 'Target\.burn' '^\[burner-0 ')
	echo "| $((100 - cut)) % to the root, $unnamed % unnamed"
	# A wait that began before sampling may end before its stack is read.
	[ "$cut" -le 5 ] && [ "$unnamed" -eq 0 ] && [ "$seen" -ge 95 ] &&
		return
	echo "of the burner's samples, $seen % are of Target.burn"
	cat "${prof_err:?}"
	return 1
}

map() {
	timeout 60 "$sjkc" perfmap -o "$scratch/map" "$pid" &&
		has "$scratch/map" 'Target.*burn'
}

# The JVM's /tmp has no file of sjkc, the agent sleeps, and the JVM continues.
unharmed() {
	kill -0 "$pid" || return
	# An installed JDK shares /tmp with other users of sjkc.
	jdk_installed "$version" >/dev/null ||
		find "/proc/$pid/root/tmp" -name '.sjkc-*' -o \
			-name '.attach_pid*' >"$scratch/litter"
	: >>"$scratch/litter"
	[ ! -s "$scratch/litter" ] || { cat "$scratch/litter"; return 1; }
	before=$(cpu) && sleep 0.5 && [ "$(cpu)" -gt "$before" ] || return
	[ ! -e "/proc/$pid/cwd/hs_err_pid$pid.log" ] &&
		! grep -q 'SIGSEGV\|Internal Error' "$said"
}

cpu() {
	cat "/proc/$pid/task"/*/schedstat | awk '{ n += $1 } END { printf "%.0f", n }'
}

jdk_target "$version" -- burners=1 allocators=1 deadlock threads=5 || exit 1
cell jps ask "^ *$pid .*Target" jps
cell build build
cell doctor ask 'works:.*jstack' doctor "$pid"
cell 'vminfo --flags' ask '^MaxHeapSize: 67108864' vminfo --flags "$pid"
cell 'vminfo --perf' ask 'sun\.rt' vminfo --perf "$pid"
cell jcmd ask '[0-9]' jcmd "$pid" VM.version
cell jstack threads
cell 'jstack, flame' flame
cell 'threads --virtual' with_virtual_threads
cell hh ask '\[B' hh "$pid"
cell 'ttop -b' ask 'burner-0' ttop -b --iterations 1 "$pid"
cell prof sampled agent
cell 'prof --no-agent' sampled metadata --no-agent
cell 'prof -e wall' sampled wall -e wall
cell 'prof --sampler dump' ask 'Target\.burn' prof --sampler dump -d 1s "$pid"
cell perfmap map
cell 'JVM unharmed' unharmed
