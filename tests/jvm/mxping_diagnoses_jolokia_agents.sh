# SPDX-License-Identifier: Apache-2.0
# mxping -u, mx -u and the real agent: plain, with Basic authentication, a
# token, HTTPS, a client certificate and policies; wrong URLs, whose fixes work.
# One JVM has all these agents, another those with the fixed policies.
sjkc=$(realpath "$1") scratch=$(realpath "$2")
. tests/jvm/lib/lab.sh
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh
unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY

echo 'right & wrong' >"$scratch/password"
echo wrong >"$scratch/wrong"
echo abc.def-123 >"$scratch/token"
chmod 600 "$scratch/password" "$scratch/wrong" "$scratch/token"

runtime="-b java.lang:type=Runtime --get -f VmName -q"

# reads OPTION…: fails unless mx reads an attribute from the agent at $url.
reads() {
	# shellcheck disable=SC2086 # words
	ask 0 mx -u "$url" $runtime "$@" && printed VM
}

# fix_works: fails unless the fix that the last mxping printed leads to an
# agent.
fix_works() {
	fix=$(sed -n 's/^-> sjkc mxping -u \([^ ]*\).*/\1/p' "$scratch/out")
	[ -n "$fix" ] || { echo 'no fix'; cat "$scratch/out"; return 1; }
	ask "${1-0}" mxping -u "$fix" && printed "${2-Jolokia works}"
}

plain() {
	jolokia_at plain
	base=${url%/jolokia}
	reads && ask 0 mxping -u "$url" && printed 'protocol 7.2' &&
		printed 'read, list, search, exec allowed' &&
		printed 'anyone who reaches the port can run code' &&
		ask 0 mxping -u "$url" --json && printed '"ok":true' || return
	SJKC_PASSWORD=secret ask 0 mxping -u "$url" --user me &&
		printed 'none required; the server ignores the user me' &&
		printed 'anyone who reaches the port can run code' &&
		ask 3 mxping -u "$base/no/such" &&
		printed 'not checked: the server returned HTTP 404' || return
	ask 3 mxping -u "$base" && printed "answers at $url" && fix_works &&
		ask 3 mxping -u "$base/no/such" && printed 'HTTP 404' &&
		fix_works || return
	ask 5 mxping -u "https://${url#http://}" &&
		printed 'does not speak TLS' && fix_works || return
	ask 3 mx -u "$base/other" -b a:b=c --get &&
		said 'HTTP 404: no Jolokia agent' || return
	ask 2 mx -u "$url" --user me --tls -b a:b=c --get </dev/null
}

# The JVM has ended.
gone() {
	jolokia_at plain
	ask 3 mxping -u "$url" && printed 'nothing listens on the port' &&
		ask 3 mx -u "$url" -b a:b=c --get && said 'Connection refused'
}

basic() {
	jolokia_at basic
	echo secret >"$scratch/password"
	reads --user me --password-file "$scratch/password" || return
	# The token also works in the environment, and is in no argument.
	SJKC_PASSWORD=secret reads --user me || return
	ask 4 mx -u "$url" -b a:b=c --get &&
		said 'requires a login (Basic realm=' &&
		ask 4 mx -u "$url" -b a:b=c --get --user me \
			--password-file "$scratch/wrong" &&
		said "rejected the user 'me' or the password" || return
	! grep -q -e secret -e wrong "$scratch/err" || return
	ask 4 mxping -u "$url" && printed 'requires a user and a password' &&
		ask 4 mxping -u "$url" --user me --password-file \
			"$scratch/wrong" &&
		printed 'rejects this user and password' &&
		ask 0 mxping -u "$url" --user me --password-file \
			"$scratch/password" &&
		grep -qx 'Jolokia works, with a login' "$scratch/out" &&
		ask 0 mxping -u "$url" --user me --password-file \
			"$scratch/password" \
			--http-proxy "http://127.0.0.1:$port" &&
		printed 'with a login that is sent in clear' &&
		ask 3 mxping -u "${url%/jolokia}" &&
		printed "a login is required at $url" && fix_works 4 'a user and'
}

token() {
	jolokia_at token
	reads --bearer-file "$scratch/token" &&
		ask 4 mxping -u "$url" && printed 'requires a token' &&
		ask 4 mxping -u "$url" --bearer-file "$scratch/wrong" &&
		printed 'rejects the token' &&
		ask 0 mxping -u "$url" --bearer-file "$scratch/token"
}

https() {
	jolokia_at https https
	mkdir -p "$scratch/trusted" && cp "$tls/server.pem" \
		"$scratch/trusted/$(openssl x509 -hash -noout \
			-in "$tls/server.pem").0" || return
	reads --cacert "$tls/server.pem" && reads --insecure &&
		(export SSL_CERT_FILE="$tls/server.pem" && reads) &&
		(export SSL_CERT_DIR="$scratch/trusted" && reads) &&
		ask 5 mx -u "$url" -b a:b=c --get &&
		said "certificate is not trusted" &&
		ask 5 mxping -u "$url" && printed 'self-signed and not trusted' &&
		ask 0 mxping -u "$url" --cacert "$tls/server.pem" &&
		printed 'trusted and valid for 127.0.0.1' &&
		ask 0 mxping -u "$url" --insecure &&
		printed 'accepts a certificate that is not trusted' || return
	# Plain HTTP to the same port.
	ask 5 mxping -u "http://${url#https://}" &&
		printed 'the port requires TLS' &&
		fix_works 5 'self-signed and not trusted' && named && redirected
}

# The URL has another host than the certificate, as that of a port forward.
named() {
	url=https://localhost:$port/jolokia
	trusted="--cacert $tls/server.pem"
	name=--tls-server-name
	# shellcheck disable=SC2086 # words
	ask 5 mx -u "$url" $trusted -b a:b=c --get && said "localhost" &&
		ask 5 mxping -u "$url" $trusted && printed 'not for localhost' &&
		reads $trusted $name server.example.invalid &&
		reads $trusted $name 127.0.0.1 &&
		ask 0 ttop -u "$url" $trusted $name server.example.invalid -b \
			--iterations 1 -ri 100ms &&
		ask 0 mxping -u "$url" $trusted $name server.example.invalid &&
		printed 'trusted and valid for server.example.invalid' &&
		ask 5 mx -u "$url" $trusted $name other.example.invalid \
			-b a:b=c --get && said other.example.invalid &&
		ask 5 mxping -u "$url" $trusted $name other.example.invalid &&
		printed 'not for other.example.invalid'
}

# A server that redirects to its own name is not another server.
redirected() {
	cat >"$scratch/redirects.py" <<-'END'
		import http.server, signal, ssl, sys
		signal.alarm(120)
		class Redirects(http.server.BaseHTTPRequestHandler):
		    def do_POST(self):
		        host = self.headers["Host"]
		        print("POST", self.path, host, flush=True)
		        to = {"/a": "/b", "/b": f"https://{host}/c"}.get(self.path)
		        self.send_response(307 if to else 404)
		        self.send_header("Location", to or "")
		        self.send_header("Content-Length", "0")
		        self.end_headers()
		server = http.server.HTTPServer(("127.0.0.1", 0), Redirects)
		context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
		context.load_cert_chain(sys.argv[1] + ".pem", sys.argv[1] + ".key")
		server.socket = context.wrap_socket(server.socket, server_side=True)
		print("port", server.server_port, flush=True)
		server.serve_forever()
	END
	: >"$scratch/redirects"
	python3 "$scratch/redirects.py" "$tls/server" >"$scratch/redirects" 2>&1 &
	target_pids="$target_pids $!"
	target_wait "$scratch/redirects" port "$!" || return
	port=$(sed -n 's/^port //p' "$scratch/redirects")
	ask 3 mx -u "https://127.0.0.1:$port/a" --cacert "$tls/server.pem" \
		--tls-server-name server.example.invalid -b a:b=c --get &&
		grep -q "^POST /c server.example.invalid:$port$" \
			"$scratch/redirects" ||
		{ cat "$scratch/redirects" "$scratch/err"; return 1; }
}

# ask_either COMMAND…: status 4, or 5 of a JVM that resets the connection instead of
# sending an alert (JDK 17.0.21)
ask_either() {
	ask 4 "$@" >"$scratch/said" || ask 5 "$@"
}

client_certificate() {
	jolokia_at client https
	trusted="--cacert $tls/server.pem"
	own="--cert $tls/client.pem --key $tls/client.key"
	other="--cert $tls/stranger.pem --key $tls/stranger.key"
	# shellcheck disable=SC2086 # words
	reads $trusted $own && ask 0 mxping -u "$url" $trusted $own &&
		printed 'with a client certificate' &&
		ask_either mx -u "$url" $trusted -b a:b=c --get &&
		said 'requires a client certificate' &&
		ask_either mxping -u "$url" $trusted &&
		printed 'requires a client certificate' &&
		ask_either mxping -u "$url" $trusted $other &&
		printed 'rejects the client certificate'
}

policy() {
	jolokia_at policy
	# shellcheck disable=SC2086 # words
	ask 7 mx -u "$url" $runtime && printed VM &&
		said 'maxCollectionSize=5 of the Jolokia agent truncates' &&
		ask 7 mx -u "$url" -b java.lang:type=Runtime --get -f NoSuch &&
		said 'truncated list of attributes' &&
		ask 7 mxdump -u "$url" && said maxCollectionSize=5 &&
		ask 7 mxdump -u "$url" --prometheus &&
		said maxCollectionSize=5 &&
		proxy -u "$url" -b 0 --rmi && proxy_end TERM &&
		grep maxCollectionSize=5 "$proxy_said" &&
		ask 0 mxping -u "$url" && printed 'exec denied' &&
		printed 'maxCollectionSize 5' && printed 'which ttop and jcmd need' &&
		ask 4 mx -u "$url" -b java.lang:type=Memory --call \
			--operation gc &&
		ask 4 ttop -u "$url" -b --iterations 1 -ri 100ms &&
		said 'invoke operations (RMI: readwrite; Jolokia: exec)'
}

# An agent that permits the operations of some MBeans only.
some_operations() {
	jolokia_at some
	ask 0 mxping -u "$url" &&
		printed 'search, exec allowed; some operations denied' &&
		printed 'requires no login, but denies some operations'
}

# Attributes with exact names need no description.
reading() {
	jolokia_at reading
	memory='-b java.lang:type=Memory --get'
	# shellcheck disable=SC2086 # words
	reads && ask 0 mx -u "$url" $memory -f HeapMemoryUsage.used -q &&
		ask 4 mx -u "$url" $memory -f 'Heap*' && said LIST &&
		! grep 'no attribute' "$scratch/err" && ask 7 mxdump -u "$url" -q \
		'java.lang:type=Memory*' && said 'cannot read 1 of 1 MBeans' &&
		ask 0 mxping -u "$url" &&
		printed 'denies list, which mxdump and mx need'
}

# A policy that denies single attributes and MBeans.
some_beans() {
	jolokia_at beans
	ask 4 mx -u "$url" -b java.lang:type=Memory --get -f HeapMemoryUsage &&
		ask 4 mx -u "$url" -b java.lang:type=Runtime --get -f VmName &&
		ask 0 mxping -u "$url" &&
		printed 'policy denies the MBean java.lang:type=Runtime'
}

# denied NAME RULE VERDICT: fails unless the policy of this agent, a rule, leads
# to the verdict.  Writes the policy with the printed addition to the rule.
denied() {
	jolokia_at "$1"
	ask 4 mxping -u "$url" && printed "the Jolokia agent's policy denies $3" ||
		return
	added=$(sed -n 's/^-> add \(<.*>\) to <.*/\1/p' "$scratch/out" |
		sed 's/ADDRESS/127.0.0.1/')
	[ -n "$added" ] || { echo 'no fix'; return 1; }
	printf '<restrict>%s</restrict>\n' "$2" |
		sed "s,</[a-z]*></restrict>,$added&," >"$scratch/fixed.$1.xml"
}

no_version='<commands><command>read</command></commands>'
no_host='<remote><host>10.9.9.9</host></remote>'
no_post='<http><method>get</method></http>'

denials() {
	denied version "$no_version" 'the command version' &&
		denied host "$no_host" 'access from this host' &&
		denied post "$no_post" POST
}

# The agents with the policies that denied has written.
fixes() {
	jolokia_agents 'version host post' "$1" Beans \
		$(policies fixed version host post) || return
	for name in version host post; do
		jolokia_at $name
		ask 0 mxping --timeout 60s -u "$url" && printed 'Jolokia works' ||
			{ echo "$name"; return 1; }
	done
	target_end "$pid"
}

# policies FILE NAME…: prints the options for these policy files of the agents
policies() {
	file=$1
	shift
	for name in "$@"; do
		echo "-Dagent.$name.policyLocation=file://$scratch/$file.$name.xml"
	done
}

write_policies() {
	commands='<command>read</command><command>version</command>
		<command>list</command><command>search</command>'
	cat >"$scratch/policy.policy.xml" <<-END
		<restrict><commands>$commands</commands></restrict>
	END
	cat >"$scratch/policy.some.xml" <<-END
		<restrict>
		  <commands>$commands</commands>
		  <allow>
		    <mbean>
		      <name>java.lang:type=Threading</name>
		      <operation>*</operation>
		    </mbean>
		  </allow>
		</restrict>
	END
	cat >"$scratch/policy.reading.xml" <<-END
		<restrict><commands><command>read</command>
		<command>version</command><command>search</command>
		</commands></restrict>
	END
	cat >"$scratch/policy.beans.xml" <<-END
		<restrict><deny>
		  <mbean><name>java.lang:type=Memory</name>
		    <attribute>HeapMemoryUsage</attribute></mbean>
		  <mbean><name>java.lang:type=Runtime</name>
		    <attribute>*</attribute></mbean>
		</deny></restrict>
	END
	echo "<restrict>$no_version</restrict>" >"$scratch/policy.version.xml"
	echo "<restrict>$no_host</restrict>" >"$scratch/policy.host.xml"
	echo "<restrict>$no_post</restrict>" >"$scratch/policy.post.xml"
}

# certificates: makes self-signed certificates, see lab_store
certificates() {
	tls=$scratch
	for name in server client stranger; do
		openssl req -x509 -newkey ec -pkeyopt \
			ec_paramgen_curve:prime256v1 -nodes -days 2 \
			-subj "/CN=$name" -addext \
			"subjectAltName=IP:127.0.0.1,DNS:$name.example.invalid" \
			-keyout "$tls/$name.key" -out "$tls/$name.pem" &&
			lab_store $name || return
	done 2>"$scratch/openssl" || { cat "$scratch/openssl"; return 1; }
}

start_agents() {
	certificates && write_policies || return
	stored="keystore=$tls/server.p12"
	# shellcheck disable=SC2046 # words
	jolokia_agents 'plain basic token https client policy some reading beans version host post' \
		"$1" Beans -Dserve.basic.user=me -Dserve.basic.password=secret \
		-Dserve.token.bearer=abc.def-123 "-Dserve.https.$stored" \
		-Dserve.https.storepass=changeit "-Dserve.client.$stored" \
		-Dserve.client.storepass=changeit \
		-Dserve.client.truststore="$tls/client.p12" \
		-Dagent.policy.maxCollectionSize=5 \
		$(policies policy policy some reading beans version host \
			post)
}

check() {
	start_agents "$1" || return
	for part in plain basic token https client_certificate policy \
		some_operations reading some_beans denials; do
		"$part" || { echo "$part"; return 1; }
	done
	target_end "$pid"
	gone && fixes "$1"
}

for_each_jdk check
