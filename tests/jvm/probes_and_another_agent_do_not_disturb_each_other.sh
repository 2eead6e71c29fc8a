# SPDX-License-Identifier: Apache-2.0
# Another agent whose transformer blocks the arming does not wait for it when it
# changes other classes itself.  If the agent breaks a class while the probes are
# taken back, they are taken back once it no longer does, even if the methods are
# listed again meanwhile.  A class that the agent breaks before is refused with the
# reason, and never changed.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/probes.sh
. tests/jvm/lib/probe.sh
target_program=Probed

# interfere JOB: loads the other agent
interfere() {
	"$sjkc" jcmd "$pid" JVMTI.agent_load "$scratch/other.jar" \
		"\"$1 $scratch\"" >"$scratch/other.out" 2>&1
}

other_build() {
	other_classes=$(compile_for='' target_compile "$1" Interfering) || return
	sed 's/Witness/Interfering/' "$scratch/manifest" >"$scratch/other"
	"$1/bin/jar" cfm "$scratch/other.jar" "$scratch/other" \
		-C "$other_classes" .
}

appears() {
	for _ in $(seq 1 1200); do
		[ ! -e "$scratch/$1" ] || return 0
		sleep 0.05
	done
	echo "no $1"
	cat "$scratch/err" "$scratch/other.out"
	return 1
}

# Each of the ten changes would wait for a second.
other_agent_is_not_delayed() {
	: >"$scratch/block"
	: >"$scratch/err"
	env --default-signal=INT "$sjkc" probe "$pid" 'Probed$S*.*' \
		>"$scratch/out" 2>"$scratch/err" &
	probing=$!
	target_jobs="$target_jobs $probing"
	appears blocked || return
	interfere retransform && appears took || return
	rm "$scratch/block"
	target_wait "$scratch/err" '^sjkc: instrumented' || return
	read -r left took <"$scratch/took"
	[ "$left" -eq 0 ] && [ "$took" -lt 5000 ] ||
		{ echo "$left classes left, $took ms"; return 1; }
}

probes_are_taken_back_later() {
	: >"$scratch/break"
	kill -INT "$probing"
	for _ in $(seq 1 600); do
		! grep -q 'cannot remove the instrumentation now: .*RetransformClasses' \
			"$scratch/err" || break
		sleep 0.05
	done
	rm "$scratch/break"
	wait "$probing"
	status=$?
	[ $status -eq 0 ] && grep -q 'cannot remove the instrumentation now: .*RetransformClasses' \
		"$scratch/err" && grep -q 'not restored yet: 1;' "$scratch/err" ||
		{ echo "exit $status"; cat "$scratch/err"; return 1; }
	probes_left_nothing
}

# Not changed, so there is nothing to restore.
broken_class_is_refused() {
	: >"$scratch/break"
	"$sjkc" probe "$pid" -d 10ms '+Probed$Shape.sides' 'Probed$S*.<init>' \
		>"$scratch/out" 2>"$scratch/err"
	status=$?
	rm "$scratch/break"
	[ $status -eq 0 ] && grep -q '^1 method of' "$scratch/out" &&
		grep -qF 'Probed$Square.<init>() is not instrumented: the JVM refused the changed class: another agent produces a malformed class (JVMTI error 60)' \
			"$scratch/err" &&
		! grep -q 'cannot remove\|not restored' "$scratch/err" ||
		{ echo "exit $status"; cat "$scratch/out" "$scratch/err"; return 1; }
}

listed_again_before_taken_back() {
	probes_start 'Probed$S*::*' arm line relist line disarm || return
	probes_wait '^armed' || return
	: >"$scratch/break"
	probes_go
	probes_wait '^not disarmed' || return
	rm "$scratch/break"
	probes_go
	probes_finish && probes_left_nothing
}

check() {
	target "$1" -- "$scratch/never" 1 && witness_build "$1" &&
		other_build "$1" || return
	"$sjkc" probe "$pid" -q -d 10ms 'Probed$S*.*' >"$scratch/out" &&
		witness 'Probed$S' "$scratch/before" &&
		witness 'Probed$S' "$scratch/before" &&
		interfere change || return
	other_agent_is_not_delayed && probes_are_taken_back_later &&
		broken_class_is_refused && listed_again_before_taken_back &&
		witness 'Probed$S' "$scratch/after" &&
		cmp "$scratch/before" "$scratch/after" && alive "$pid" &&
		target_end "$pid"
}

for_each_jdk check
