# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after target.sh, by tests of sjkc mxprx.
# shellcheck disable=SC2154 # variables of the caller

# proxy OPTION…: starts mxprx and waits until it listens.  Sets $proxy to its
# PID, $proxy_port to the port that it chose, and $proxy_said and $proxy_printed
# to the files with its messages and its output.
proxy() {
	proxy_said=$scratch/proxy.said proxy_printed=$scratch/proxy.printed
	rm -f "$proxy_said" "$proxy_printed"
	: >"$proxy_said"
	: >"$proxy_printed"
	# A shell without job control starts it with SIGINT ignored.
	env --default-signal=QUIT,INT "$sjkc" mxprx "$@" \
		>"$proxy_printed" 2>"$proxy_said" &
	proxy=$!
	target_pids="$target_pids $proxy"
	for _ in $(seq 1200); do
		proxy_port=$(sed -n 's/.* is at .*:\([0-9]*\)\(\/.*\)*$/\1/p;
			s/.* by SOCKS .*:\([0-9]*\)$/\1/p' "$proxy_printed" |
			head -n 1)
		[ -z "$proxy_port" ] || return 0
		ended "$proxy" && break
		sleep 0.05
	done
	echo "mxprx $* does not listen:"
	cat "$proxy_said"
	return 1
}

# ended PID: succeeds if the process has exited, even if it is a zombie.
ended() {
	case $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' \
		"/proc/$1/status" 2>/dev/null) in
	'' | Z) return 0 ;;
	esac
	return 1
}

# proxy_end SIGNAL: sends the signal to mxprx and waits up to 60 s for its exit.
proxy_end() {
	kill -"$1" "$proxy" || return
	for _ in $(seq 1200); do
		ended "$proxy" && break
		sleep 0.05
	done
	ended "$proxy" || { echo "mxprx runs on after $1"; return 1; }
	wait "$proxy" 2>/dev/null
	return 0
}
