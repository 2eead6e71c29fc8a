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
	perl "$target_await" line ' is at .*:[0-9]\| by SOCKS .*:[0-9]' \
		"$proxy_printed" "$proxy" && proxy_port=$(sed -n '
			s/.* is at .*:\([0-9]*\)\(\/.*\)*$/\1/p;
			s/.* by SOCKS .*:\([0-9]*\)$/\1/p' "$proxy_printed" |
			head -n 1) && [ -n "$proxy_port" ] && return
	echo "mxprx $* does not listen:"
	cat "$proxy_said"
	return 1
}

# ended PID: succeeds if the process has exited, even if it is a zombie.
ended() {
	[ -e "/proc/$1" ] || return 0
	case $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' \
		"/proc/$1/status" 2>/dev/null) in
	'' | Z) return 0 ;;
	esac
	return 1
}

# proxy_end SIGNAL: sends the signal to mxprx and waits up to 60 s for its exit.
proxy_end() {
	kill -"$1" "$proxy" || return
	perl "$target_await" end "$proxy" ||
		{ echo "mxprx runs on after $1"; return 1; }
	wait "$proxy" 2>/dev/null
	return 0
}
