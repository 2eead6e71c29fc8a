#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mxprx -u towards the real agent by HTTPS with a client certificate, Basic and
# Bearer authentication and another path; several agents at one port; by a
# command, by kubectl (a stand-in for it) and into a JVM's network, also for
# --rmi; TLS towards clients. Wrong certificates are reported, and no password is printed or
# forwarded.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh

lab_tls || exit 1
jdk=$(jdks | head -n 1)

# asks SCHEME PATH STATUS TEXT [HEADER VALUE]: fails unless the proxy returns
# STATUS and a body with TEXT.
asks() {
	python3 - "$proxy_port" "$tls/ca.pem" "$@" <<-'END' && return
		import ssl, sys, urllib.error, urllib.request
		port, ca, scheme, path, status, text = sys.argv[1:7]
		r = urllib.request.Request("%s://localhost:%s%s" %
		    (scheme, port, path), None, dict([sys.argv[7:9]])
		    if sys.argv[7:] else {})
		context = ssl.create_default_context(cafile=ca)
		try:
		    with urllib.request.urlopen(r, None, 30, context=context) as a:
		        got, body = a.status, a.read().decode()
		except urllib.error.HTTPError as e:
		    got, body = e.code, e.read().decode()
		assert (got, text in body) == (int(status), True), (got, body)
	END
	echo "asks $*:"
	cat "$proxy_said"
	return 1
}

# said TEXT: fails unless a message of mxprx has TEXT and none has a password.
said() {
	grep -q -- "$1" "$proxy_said" || { echo "not said: $1"
		cat "$proxy_said"; return 1; }
	! grep -q 'secret' "$proxy_said" "$proxy_printed"
}

echo secret >"$scratch/password"
chmod 600 "$scratch/password"
jolokia_scheme=https
jolokia_target "$jdk" Beans -Dserve.keystore="$tls/server.p12" \
	-Dserve.storepass=changeit -Dserve.truststore="$tls/ca.p12" \
	-Dserve.user=admin -Dserve.password=secret \
	-Dserve.path=/actuator/jolokia || exit
agent=https://127.0.0.1:$port/actuator/jolokia
secure="--cacert $tls/ca.pem --cert $tls/client.pem --key $tls/client.key"
login="--user admin --password-file $scratch/password"

# shellcheck disable=SC2086 # words
proxy -u "$agent" -b 0 $secure $login --tls --tls-cert "$tls/proxy.pem" \
	--tls-key "$tls/proxy.key" --log || exit 1
grep -q "is at https://127.0.0.1:$proxy_port/jolokia" "$proxy_printed" ||
	{ cat "$proxy_printed"; exit 1; }
asks https /jolokia/version 200 '"agent":"1.7' || exit 1
# mxprx replaces the client's password by the configured one.
asks https /jolokia 200 '"agent":"1.7' Authorization 'Basic eDp5' || exit 1
asks https /jolokia/read/java.lang:type=Runtime/VmName 200 '"value":' || exit 1
asks https /actuator/jolokia 404 'use /jolokia' || exit 1
# Plain HTTP gets no response, and the reason is printed.
printf 'GET /jolokia HTTP/1.1\r\nHost: localhost\r\n\r\n' |
	timeout 20 socat -t 5 - "TCP:127.0.0.1:$proxy_port" \
	>"$scratch/plain" 2>/dev/null
! grep -q 200 "$scratch/plain" || { cat "$scratch/plain"; exit 1; }
said 'TLS handshake with the client failed' || exit 1
proxy_end TERM || exit 1

# mxprx reports that the agent rejects the configured login: at start, and to
# clients, whom no login would help.
echo wrong >"$scratch/wrong"
chmod 600 "$scratch/wrong"
# shellcheck disable=SC2086
proxy -u "$agent" -b 0 $secure --user admin --password-file "$scratch/wrong" ||
	exit 1
rejected='the Jolokia agent rejected the user or the password of --user'
target_wait "$proxy_said" "$agent: $rejected" || exit 1
asks http /jolokia 502 "$rejected" || exit 1
asks http /metrics 502 "$rejected" || exit 1
said "client 127.0.0.1: $rejected" || exit 1
ask 5 mxping -u "http://127.0.0.1:$proxy_port/jolokia" &&
	printed 'mxprx responds, but not the Jolokia agent behind it' &&
	printed "$rejected" && ! grep -- '-> use --user' "$scratch/out" || exit 1
ask 5 mx -u "http://127.0.0.1:$proxy_port/jolokia" -b java.lang:type=Memory \
	--get -f Verbose && grep -q "$rejected" "$scratch/err" || exit 1
proxy_end TERM || exit 1

# Nothing listens at the agent's address, or it is not the agent's path.
proxy -u http://127.0.0.1:1/jolokia -b 0 || exit 1
target_wait "$proxy_said" 'Connection refused; mxprx tries again' || exit 1
proxy_end TERM || exit 1
# shellcheck disable=SC2086
proxy -u "${agent%/actuator*}/other" -b 0 $secure || exit 1
target_wait "$proxy_said" '/other: HTTP 404: no Jolokia agent at this path' ||
	exit 1
proxy_end TERM || exit 1

# Without a configured login, the agent asks the client, and the client's login
# is passed on.
# shellcheck disable=SC2086
proxy -u "$agent" -b 0 $secure || exit 1
asks http /jolokia 401 '' || exit 1
asks http /jolokia 200 '"agent"' Authorization \
	"Basic $(printf admin:secret | base64)" || exit 1
asks http /metrics 401 'give it to mxprx by --user' || exit 1
asks http /metrics 401 'rejected the login of this request' Authorization \
	"Basic $(printf admin:wrong | base64)" || exit 1
asks http /metrics 200 jvm_ Authorization \
	"Basic $(printf admin:secret | base64)" || exit 1
[ ! -s "$proxy_said" ] || { cat "$proxy_said"; exit 1; }
proxy_end TERM || exit 1

# The response and the messages name the TLS failure.
proxy -u "$agent" -b 0 --cacert "$tls/ca.pem" || exit 1
asks http /jolokia 502 'client certificate' || exit 1
said 'client certificate' || exit 1
proxy_end TERM || exit 1
# shellcheck disable=SC2086
proxy -u "$agent" -b 0 --cert "$tls/client.pem" --key "$tls/client.key" || exit 1
asks http /jolokia 502 'certificate' || exit 1
proxy_end TERM || exit 1
proxy -u "$agent" -b 0 --insecure --cert "$tls/client.pem" \
	--key "$tls/client.key" || exit 1
asks http /jolokia 401 '' || exit 1
proxy_end TERM || exit 1
proxy -u "http://127.0.0.1:$port/actuator/jolokia" -b 0 || exit 1
asks http /jolokia 502 'mxprx:' || exit 1
proxy_end TERM || exit 1
first=$agent
first_pid=$pid

# A bearer token, and a command for each connection.
jolokia_scheme=http
jolokia_target "$jdk" Beans -Dserve.bearer=secret-token || exit
echo secret-token >"$scratch/token"
chmod 600 "$scratch/token"
proxy -u "http://other.example.invalid:$port/jolokia" -b 0 \
	--bearer-file "$scratch/token" --proxy-command 'socat - TCP:127.0.0.1:{port}' ||
	exit 1
asks http /jolokia 200 '"agent"' || exit 1
asks http /jolokia/version 200 '"agent"' || exit 1
proxy_end TERM || exit 1

# --rmi names another mxprx as the way to an agent that only a dialer reaches.
rmi_reads() {
	first_proxy=$proxy
	ask 2 mxprx -u "$url" -b 0 --rmi "$@" &&
		grep -q -- '--rmi and --[a-z-]* cannot be used together' "$scratch/err" &&
		proxy -u "http://127.0.0.1:$proxy_port/jolokia" -b 0 --rmi &&
		ask 0 mx -s "127.0.0.1:$proxy_port" -q --get -f Verbose \
			-b java.lang:type=Memory && proxy_end TERM || return
	proxy=$first_proxy
}

# A connection from the JVM's network namespace.
proxy -u "$url" -p "$pid" -b 0 --bearer-file "$scratch/token" || exit 1
asks http /jolokia 200 '"agent"' || exit 1
rmi_reads -p "$pid" && proxy_end TERM || exit 1
target_end "$pid"

# A fake kubectl, which forwards a port by socat.
jolokia_target "$jdk" Beans || exit
mkdir -p "$scratch/bin"
cat >"$scratch/bin/kubectl" <<-END
	#!/bin/sh
	echo "\$@" >>"$scratch/kubectl.asked"
	[ "\$1" != get ] || { echo kind Pod; echo pod web-0 u Running stays; exit; }
	echo "Forwarding from 127.0.0.1:17999 -> $port"
	exec socat TCP-LISTEN:17999,bind=127.0.0.1,fork,reuseaddr TCP:127.0.0.1:$port
END
chmod +x "$scratch/bin/kubectl"
PATH=$scratch/bin:$PATH
proxy -u http://localhost/jolokia --kubectl "web-0:$port" --namespace shop \
	-b 0 || exit 1
asks http /jolokia 200 '"agent"' || exit 1
grep -q 'shop' "$scratch/kubectl.asked" || exit 1
rmi_reads --kubectl "web-0:$port" && proxy_end TERM || exit 1

# Two agents at one port.
# shellcheck disable=SC2086
proxy -u "web=$first" "db=$url" -b 0 $secure --log || exit 1
asks http /web/version 401 '' || exit 1
asks http /db/version 200 '"agent"' || exit 1
asks http /db 200 '"agent"' || exit 1
asks http /jolokia 404 'with a <name> of -u' || exit 1
asks http /webb 404 '' || exit 1
proxy_end TERM || exit 1
target_end "$pid"
target_end "$first_pid"
