# SPDX-License-Identifier: Apache-2.0
# Only in check-all: 64 clients at once.
# mxprx --rmi with --read-only, --log, TLS and logins; 64 clients at once; an agent
# that dies, is slow, or sends no JSON.
# shellcheck disable=SC2015,SC2154 # variables of the libraries
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh

memory=java.lang:type=Memory
settable=sjkc.test:type=Settable
slow=sjkc.test:type=Slow

# fails STATUS TEXT COMMAND…: the command fails so, and prints the text.
fails() {
	wanted=$1 text=$2
	shift 2
	ask "$wanted" "$@" || return
	grep -q -- "$text" "$scratch/out" "$scratch/err" && return
	echo "$*: not $text, but:"
	cat "$scratch/out" "$scratch/err"
	return 1
}

reads() {
	ask 0 mx -s "127.0.0.1:$proxy_port" "$@" -b $memory --get -f Verbose -q
}

read_only() {
	proxy -u "$url" -b 0 --rmi --read-only --log && reads || return
	to=127.0.0.1:$proxy_port
	fails 4 'read-only' mx -s "$to" -b $settable --set -f Int -v 7 &&
		fails 4 'read-only' mx -s "$to" -b $memory --call --operation gc &&
		ask 0 mx -s "$url" -b $settable --get -f Int -q && printed 0 &&
		ask 0 mxping -s "$to" && printed 'the server denies operations' &&
		! grep anyone "$scratch/out" || return
	grep -q "	setAttribute	$settable	-	refused" "$proxy_printed" &&
		grep -q "	invoke	$memory	gc	refused" "$proxy_printed" &&
		grep -q "	getAttribute.*	ok	" "$proxy_printed" ||
		{ cat "$proxy_printed"; return 1; }
	proxy_end TERM
}

# Clients speak TLS to mxprx.
tls() {
	lab_tls && proxy -u "$url" -b 0 --rmi --tls-cert "$tls/proxy.pem" \
		--tls-key "$tls/proxy.key" || return
	client_tls=trust jmx_client "$1" registry=tls "127.0.0.1:$proxy_port" \
		attributes loop 5 churn 2 &&
		reads --cacert "$tls/ca.pem" && proxy_end TERM
}

# Each client has several connections, more in all than there are workers.
many_clients() {
	proxy -u "$url" -b 0 --rmi || return
	classes=$(target_compile "$1" JmxClient) || return
	words="127.0.0.1:$proxy_port loop 5"
	for _ in $(seq 63); do
		words="$words -- 127.0.0.1:$proxy_port loop 5"
	done
	# shellcheck disable=SC2086 # words
	timeout 300 "$1/bin/java" -Xmx128m -XX:TieredStopAtLevel=1 \
		-Dat.once=true -cp "$classes" JmxClient $words \
		>"$scratch/clients" 2>&1 || { cat "$scratch/clients"; return 1; }
	[ "$(grep -c '^loop: 5 calls' "$scratch/clients")" = 64 ] &&
		proxy_end TERM
}

# Without a login on the command line, the agent gets the clients' logins.
logins() {
	jolokia_target "$1" Beans -Dserve.user=control -Dserve.password=secret &&
		proxy -u "$url" -b 0 --rmi || return
	echo secret >"$scratch/secret"
	echo wrong >"$scratch/wrong"
	fails 4 "the Jolokia agent rejected the user 'control' or the password" \
		mx -s "127.0.0.1:$proxy_port" --user control \
		--password-file "$scratch/wrong" -b $memory --get -f Verbose &&
		fails 4 'the Jolokia agent requires a user name and a password$' \
			mx -s "127.0.0.1:$proxy_port" -b $memory --get \
			-f Verbose &&
		reads --user control --password-file "$scratch/secret" &&
		proxy_end TERM || return
	proxy -u "$url" -b 0 --rmi --user control \
		--password-file "$scratch/secret" && reads && proxy_end TERM &&
		target_end "$pid"
}

# The agent dies during a call, and another takes its port.
agent_dies() {
	proxy -u "$url" -b 0 --rmi || return
	to=127.0.0.1:$proxy_port
	"$sjkc" mx -s "$to" -b $slow --call --operation sleep -a 20000 \
		>"$scratch/slept" 2>&1 &
	caller=$!
	for _ in $(seq 300); do
		"$sjkc" jcmd "$pid" Thread.print | grep -q 'Beans.Slow.sleep' &&
			break
		sleep 0.1
	done
	target_end "$pid"
	wait "$caller" && { echo 'the call of a dead agent succeeds'; return 1; }
	cat "$scratch/slept"
	grep -q 'sjkc: ' "$scratch/slept" || return
	# Each call fails, none hangs, and none ends the proxy.
	fails 5 'Connection refused' mx -s "$to" -b $memory --get -f Verbose &&
		jolokia_target_at "$port" "$1" Beans && reads && proxy_end TERM
}

jolokia_target_at() {
	free_port_was=$1
	shift
	free_port() {
		echo "$free_port_was"
	}
	jolokia_target "$@"
}

# What is no agent: no bytes, no JSON, endless JSON.
no_agent() {
	head='HTTP/1.0 200 OK\r\n'
	for reply in pass "c.sendall(b'$head\r\n<html>'); c.close()" \
		"c.sendall(b'$head\r\n' + b'[' * 9999); c.close()" \
		"c.sendall(b'${head}Content-Length: 9\r\n\r\n{'); c.close()"; do
		python_server "$reply" || return
		proxy -u "http://127.0.0.1:$port/jolokia" -b 0 --rmi \
			--timeout 2s || return
		! "$sjkc" mx -s "127.0.0.1:$proxy_port" -b $memory --get \
			-f Verbose --timeout 10s >"$scratch/out" 2>&1 ||
			{ echo "$reply: it is read"; return 1; }
		grep -q 'sjkc: ' "$scratch/out" || { cat "$scratch/out"; return 1; }
		proxy_end TERM || return
	done
}

refuses() {
	for option in '-p 1' '--kubectl pod:1' '--proxy-command cat' \
		'--allow-host a' '--metrics a:b=c'; do
		# shellcheck disable=SC2086 # words
		fails 2 "$(echo "$option" | sed 's/^-p.*/-p/; s/ .*//')" \
			mxprx -u "$url" -b 0 --rmi $option || return
	done
}

check() {
	jolokia_target "$1" Beans && refuses && read_only && tls "$1" &&
		many_clients "$1" && agent_dies "$1" || return
	target_end "$pid"
	logins "$1" && no_agent
}

for_each_jdk check
