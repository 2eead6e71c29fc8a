# SPDX-License-Identifier: Apache-2.0
# Each JDK: compilers, class loading and the agent's classes differ.
# Begins early: waits for a class to be found.
# sjkc probe refuses methods that it would harm, with the reason and even with
# --quiet: those that the JVM would no longer compile, and those whose class loader
# does not find the class that counts calls.  It counts calls of classes that are
# loaded later.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/probe.sh
target_program=Delicate

# says FILE TEXT…: fails unless the file has a line with each text
says() {
	file=$1
	shift
	for text; do
		grep -qF -- "$text" "$file" && continue
		echo "missing: $text"
		cat "$file"
		return 1
	done
}

deaf='is not instrumented: its class loader does not find the class that counts calls'
mute='instrumented: its class loader does not respond'
huge='is not instrumented: its code would exceed 8,000 bytes, which the JVM does not compile'

# counted NAME…: the CSV has calls of each class
counted() {
	for name; do
		grep -q "^Delicate\\\$$name,step,(),[1-9]" "$scratch/out" &&
			continue
		echo "no calls of $name:"
		cat "$scratch/out" "$scratch/err"
		return 1
	done
}

methods_are_refused_or_counted() {
	probe_start --csv '+Delicate$Task.step' 'Sized.s*' '!Delicate$Task.*' \
		'!Delicate$Base.*' || return
	: >"$scratch/later"
	target_wait "$scratch/err" 'loaded since, .*Later' "$probing" ||
		return
	# Its calls are counted from now on.
	sleep 0.1
	kill -INT "$probing"
	wait "$probing" || { cat "$scratch/err"; return 1; }
	says "$scratch/err" "Sized.s7990(int) $huge" \
		"Delicate\$Deaf.step() $deaf" || return
	counted Once Half Later || return
	[ "$(grep -cE '^(Delicate.*,step|Sized,s(7000|8100)),' \
		"$scratch/out")" -eq 5 ] || { cat "$scratch/out"; return 1; }
}

quiet_and_published_methods_are_refused() {
	"$sjkc" probe "$pid" -q --publish -d 10ms '+Delicate$Task.step' \
		>"$scratch/out" 2>"$scratch/err" || return
	says "$scratch/err" "Delicate\$Deaf.step() $deaf" \
		"Delicate\$Half.step() $deaf"
}

# The second probe finds the loader still waiting.
loader_that_never_returns_is_left() {
	target "$1" -- "$scratch/none" mute || return
	for _ in first second; do
		timeout 60 "$sjkc" probe "$pid" --csv -d 50ms \
			'+Delicate$Task.step' >"$scratch/out" 2>"$scratch/err" ||
			{ cat "$scratch/err"; return 1; }
		says "$scratch/err" "Delicate\$Mute.step() is not $mute" \
			'removed the instrumentation' && counted Later || return
	done
	target_end "$pid"
}

check() {
	rm -f "$scratch/later"
	target "$1" -- "$scratch/later" || return
	methods_are_refused_or_counted &&
		quiet_and_published_methods_are_refused || return
	! grep HARMED "$said" || return
	target_end "$pid"
	target "$1" -XX:-DontCompileHugeMethods -- "$scratch/later" || return
	"$sjkc" probe "$pid" -q --csv -d 10ms Sized.s7990 >"$scratch/out" ||
		return
	says "$scratch/out" "Sized,s7990,(int)," && target_end "$pid" &&
		loader_that_never_returns_is_left "$1"
}

for_each_jdk check
