# SPDX-License-Identifier: Apache-2.0
# Names of Java methods from the agent and from the JVM's memory, for each JDK
# with each of its collectors and with the interpreter alone.  Every Java frame
# has a name, and each thread has its share of the CPU time as counted by the
# kernel.  JVMTI reports the same names, lines and inlined methods for all
# compiled code.
# shellcheck disable=SC2034 # prof.sh uses it
sjkc=$1
scratch=$2
version=$3
. tests/jvm/lib/target.sh
. tests/jvm/lib/jdk.sh
. tests/root/lib/prof.sh
target_program=Matrix
target_memory=-Xmx128m
# Characters of one, two, three and four bytes.
foreign='fighter Ä ω → 😀 of the matrix'

# collectors: prints the collectors of the JDK
collectors() {
	echo Serial Parallel G1
	[ "$version" -gt 11 ] || echo ConcMarkSweep
	[ "$version" -lt 11 ] || echo Shenandoah Z
	# Generational ZGC is optional before JDK 23 and the only ZGC since JDK
	# 24.
	[ "$version" -lt 21 ] || [ "$version" -gt 22 ] || echo GenerationalZ
}

# options_of COLLECTOR: prints the JVM options that select it
options_of() {
	case $1 in
	GenerationalZ) echo -XX:+UseZGC -XX:+ZGenerational ;;
	*) echo "-XX:+UnlockExperimentalVMOptions -XX:+Use$1GC" ;;
	esac
}

# named OPTION…: profiles the program
named() {
	python3 tests/root/lib/thread_shares.py --save "$pid" "$scratch/before"
	prof 0 -d 3s -F 499 -t -o "$scratch/names.collapsed" "$@" "$pid"
	profiled=$?
	python3 tests/root/lib/thread_shares.py --save "$pid" "$scratch/after"
	[ $profiled -eq 0 ] || return
	python3 tests/root/lib/thread_shares.py "$scratch/before" \
		"$scratch/after" "$scratch/names.collapsed" 3 \
		'math=Matrix\.math' 'deep=(Matrix\.deep;){100}' \
		'alloc=Matrix\.alloc' 'lambda=Matrix\.lambda' \
		'handles=Matrix\.handles' 'huge=Matrix\.huge'
}

# like_jvmti: names from the JVM's memory equal JVMTI's at every address of
# compiled code.  Debian's JDK 8 has no symbols, so its stubs have no names.
like_jvmti() {
	timeout 100 "${TOOLS%/root/lib}/jvm/lib/compare_symbols" "$pid" \
		>"$scratch/compared" 2>&1
	compared=$?
	tail -n 1 "$scratch/compared" |
		sed 's/.*places=\([0-9]*\).* inlined=\([0-9]*\).*/| \1 places, \2 inlined/'
	[ $compared -eq 0 ] &&
		tail -n 1 "$scratch/compared" | grep -q ' different=0 ' &&
		{ [ "$version" -eq 8 ] ||
			grep -q ' different_stubs=0 ' "$scratch/compared"; } &&
		tail -n 1 "$scratch/compared" |
		grep -Eq 'places=[0-9]{5,} .* inlined=[0-9]{4,} ' && return
	cat "$scratch/compared"
	return 1
}

# locked: two threads compete for a monitor.  The leaf is the monitor's class,
# called by their method, without frames of the JVM or of the agent.
locked() {
	prof 0 -e lock -d 2s -o "$scratch/locks.collapsed" "$pid" || return
	share=$(weight_of "$scratch/locks.collapsed" 'Matrix\.fight;[^;]*\.[A-Z][A-Za-z]* [0-9]+$')
	echo "| $share % end in Matrix.fight"
	[ "$share" -ge 99 ] && return
	cut -c 1-2000 "$scratch/locks.collapsed"
	return 1
}

# whole_names: threads have the complete names that the program set, from the
# JVM's heap.  ZGC moves names and updates the references in its next cycle, so
# a name is unreadable until then.
whole_names() {
	case $name in
	*Z) tries=20 ;;
	*) tries=1 ;;
	esac
	for _ in $(seq $tries); do
		! have_whole_names >"$scratch/why" || return 0
	done
	cat "$scratch/why"
	return 1
}

have_whole_names() {
	prof 0 --no-agent -d 2s -F 499 -t -e wall -o "$scratch/names.collapsed" \
		"$pid" || return
	sed -n 's/^\[\(.*\) tid=.*/\1/p' "$scratch/names.collapsed" |
		sort -u >"$scratch/threads"
	for part in math deep alloc lambda handles huge; do
		grep -qx "$part of the matrix" "$scratch/threads" ||
			{ echo "no $part of the matrix"; cat "$scratch/threads"; return 1; }
	done
	grep -qx "$foreign" "$scratch/threads" && return
	echo "no $foreign"
	cat "$scratch/threads"
	return 1
}

# doctor_knows: doctor reports whether prof supports this JVM
doctor_knows() {
	timeout 60 "$sjkc" doctor "$pid" >"$scratch/doctor"
	grep -q '^ok  *Java stacks ' "$scratch/doctor" &&
		grep -q '^ok  *Java names ' "$scratch/doctor" &&
		grep -q '^works: .*prof -p' "$scratch/doctor" && return
	cat "$scratch/doctor"
	return 1
}

# check NAME JVM-OPTION…: checks both sources of names in a JVM with these
# options
check() {
	name=$1
	shift
	# The compiler may have recorded no place in an inlined loop, so its
	# time is the caller's; JVMTI reports the same.
	if ! jdk_target "$version" -XX:TieredStopAtLevel=4 \
		-XX:CompileCommand=quiet \
		-XX:CompileCommand=dontinline,Matrix.* "$@" \
		>"$scratch/start" 2>&1; then
		grep -Eq 'Unrecognized VM option|not supported' "$said" ||
			echo "not ok - names, $name: $(cat "$scratch/start")"
		return
	fi
	# Wait until the hot methods are compiled.
	sleep 1
	cell "names, $name" named
	cell "names, $name, --no-agent" named --no-agent
	cell "thread names, $name, --no-agent" whole_names
	if [ $# -eq 0 ]; then
		cell "names are JVMTI's" like_jvmti
		cell 'prof -e lock' locked
		cell "doctor's names" doctor_knows
	fi
	target_end "$pid"
}

check 'default collector'
check -Xint -Xint
for collector in $(collectors); do
	# shellcheck disable=SC2046 # words
	check "$collector" $(options_of "$collector")
done
