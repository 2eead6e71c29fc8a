# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after target.sh, by tests of sjkc mxprx.
# shellcheck disable=SC2154 # by who sources it

# proxy OPTION…: starts one, and waits until it listens on the port that it
# chose, $proxy_port.  What it says is in $proxy_said, what it prints in
# $proxy_printed; its pid is $proxy.
proxy() {
	proxy_said=$scratch/proxy.said proxy_printed=$scratch/proxy.printed
	rm -f "$proxy_said" "$proxy_printed"
	: >"$proxy_said"
	: >"$proxy_printed"
	# Without job control, it would ignore SIGINT.
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

# ended PID: true when it has, waited for or not.
ended() {
	case $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' \
		"/proc/$1/status" 2>/dev/null) in
	'' | Z) return 0 ;;
	esac
	return 1
}

# proxy_end SIGNAL: and waits for it, at most a minute.
proxy_end() {
	kill -"$1" "$proxy" || return
	for _ in $(seq 1200); do
		ended "$proxy" && break
		sleep 0.05
	done
	ended "$proxy" || { echo "it outlives $1"; return 1; }
	wait "$proxy" 2>/dev/null
	return 0
}
