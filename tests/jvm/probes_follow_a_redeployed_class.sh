# SPDX-License-Identifier: Apache-2.0
# Begins early: waits until the agent has searched for a class in vain.
# A class that is loaded again by another class loader while it is probed, as
# application servers do: the new class is probed, too, the old one is unloaded,
# and in the end the class has the bytes that it had before.  The first of the new
# classes lacks a method, and is reported; the second is defined long after the
# JVM has announced it.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/probes.sh
. tests/jvm/lib/probe.sh
target_program=Reloaded

# called_more: waits for an interval from now on that has calls
called_more() {
	seen=$(wc -l <"$scratch/out")
	for _ in $(seq 1 600); do
		! tail -n "+$((seen + 2))" "$scratch/out" |
			grep -q '"calls": *[1-9]' || return 0
		sleep 0.1
	done
	echo "no calls $1:"
	tail -n 1 "$scratch/out" | cut -c 1-300
	cat "$scratch/err"
	return 1
}

check() {
	target "$1" -- "$scratch/next" && witness_build "$1" || return
	target_wait "$said" 'LOADED 1' || return
	# The JVM may merge constants when a class is changed for the first time,
	# so a session and a reading precede those that count.
	"$sjkc" probe "$pid" -q -d 10ms 'Reloaded$Service.run' >"$scratch/out" &&
		witness 'Reloaded$Service' "$scratch/before" &&
		witness 'Reloaded$Service' "$scratch/before" || return
	probe_start --json -i 100ms 'Reloaded$Service.run' \
		'Reloaded$Service.extra' || return
	called_more 'before the class is loaded again' || return
	for number in 1 2; do
		if [ $number -eq 1 ]; then
			: >"$scratch/next.rename"
		else
			mv "$scratch/next.rename" "$scratch/next.hold"
		fi
		: >"$scratch/next"
		target_wait "$said" "DROPPED $number" || return
		# Meanwhile, the agent searches for the class more than once.
		[ $number -eq 1 ] || sleep 6
		rm -f "$scratch/next.hold"
		called_more "of the class that was loaded $number times again" ||
			return
	done
	kill -INT "$probing"
	wait "$probing" || { cat "$scratch/err"; return 1; }
	tail -n 1 "$scratch/out" |
		grep -q '"loaded_again": *1,"loaded_unarmed": *1' &&
		grep -q 'loaded again by other class loaders: 1; the first' \
			"$scratch/err" &&
		grep -q 'could not be instrumented completely: 1; some' "$scratch/err" ||
		{ cut -c 1-500 "$scratch/out" "$scratch/err"; return 1; }
	witness 'Reloaded$Service' "$scratch/after" && witness 'Reloaded$Service' "$scratch/after" &&
		cmp "$scratch/before" "$scratch/after" || return
	probes_left_nothing && alive "$pid" && target_end "$pid"
}

for_each_jdk check
