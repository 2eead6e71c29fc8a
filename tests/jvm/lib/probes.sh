# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after target.sh and attach.sh, by tests of probes in the JVM $pid,
# which runs Probed.java or another program.
# shellcheck disable=SC2154 # variables of the caller

# probes_start ARGUMENT…: runs show_probes in the background.  Its output is in
# $scratch/probes, and each line that probes_go writes lets a command "line" of
# it go on.  $prober is its PID.
probes_start() {
	rm -f "$scratch/go-on" && mkfifo "$scratch/go-on" || return
	: >"$scratch/probes"
	"$TOOLS/show_probes" "$pid" "$@" <"$scratch/go-on" \
		>"$scratch/probes" 2>&1 &
	prober=$!
	target_jobs="$target_jobs $prober"
	exec 8>"$scratch/go-on"
}

probes_go() { echo >&8; }

# probes_wait TEXT: waits for a line of show_probes
probes_wait() {
	for _ in $(seq 1 1200); do
		grep -q -- "$1" "$scratch/probes" && return
		kill -0 "$prober" 2>/dev/null || break
		sleep 0.1
	done
	grep -q -- "$1" "$scratch/probes" && return
	echo "show_probes printed no $1:"
	tail -n 5 "$scratch/probes"
	return 1
}

# probes_finish: waits for the end of show_probes, which must succeed
probes_finish() {
	exec 8>&-
	wait "$prober" && return
	echo "show_probes failed:"
	tail -n 5 "$scratch/probes"
	return 1
}

# probes_left_nothing: waits up to 30 s until the JVM has no memory, stream or
# thread of a session.
probes_left_nothing() {
	for _ in $(seq 1 300); do
		left=$(find "/proc/$pid/fd" -lname '/memfd:sjkc*' \
			-o -lname '*/.sjkc-*' 2>/dev/null
			grep -l '^sjkc probes' "/proc/$pid/task"/*/comm \
				2>/dev/null)
		[ -n "$left" ] || return 0
		sleep 0.1
	done
	echo "left: $left"
	return 1
}

# witness_build JDK: compiles the agent Witness, which shows classes
witness_build() {
	witness_classes=$(compile_for='' target_compile "$1" Witness) || return
	cat >"$scratch/manifest" <<-END
		Agent-Class: Witness
		Can-Retransform-Classes: true
		Can-Redefine-Classes: true
	END
	"$1/bin/jar" cfm "$scratch/witness.jar" "$scratch/manifest" \
		-C "$witness_classes" .
}

# witness PREFIX FILE [FROM TO]: writes the digests of the JVM's classes; first
# redefines the class PREFIX by replacing a text, or only looks for TO if FROM is
# "-"
witness() {
	rm -f "$2"
	"$sjkc" jcmd "$pid" JVMTI.agent_load "$scratch/witness.jar" \
		"\"$*\"" >"$scratch/witness.out" 2>&1
	for _ in $(seq 1 600); do
		[ ! -s "$2" ] || return 0
		sleep 0.1
	done
	echo 'the witness printed nothing:'
	cat "$scratch/witness.out" "$said"
	return 1
}
