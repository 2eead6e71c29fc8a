# SPDX-License-Identifier: Apache-2.0
# mxping -u, mx -u and the real agent: plain, with Basic authentication, a
# token, HTTPS, a client certificate and a policy; wrong URLs, whose fixes work.
sjkc=$(realpath "$1") scratch=$(realpath "$2")
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
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
	jolokia_target "$1" Beans || return
	base=${url%/jolokia}
	reads && ask 0 mxping -u "$url" && printed 'protocol 7.2' &&
		printed 'read, list, search, exec allowed' &&
		printed 'anyone who reaches the port can run code' &&
		ask 0 mxping -u "$url" --json && printed '"ok":true' || return
	SJKC_PASSWORD=secret ask 0 mxping -u "$url" --user me &&
		printed 'none required; the server ignores the user me' &&
		printed 'anyone who reaches the port can run code' &&
		ask 3 mxping -u "$base/no/such" &&
		printed 'the server asked for none at this URL' || return
	ask 3 mxping -u "$base" && printed "answers at $url" && fix_works &&
		ask 3 mxping -u "$base/no/such" && printed 'HTTP 404' &&
		fix_works || return
	ask 5 mxping -u "https://${url#http://}" &&
		printed 'does not speak TLS' && fix_works || return
	ask 3 mx -u "$base/other" -b a:b=c --get &&
		said 'HTTP 404: no Jolokia agent' || return
	ask 2 mx -u "$url" --user me --tls -b a:b=c --get </dev/null
	target_end "$pid"
	ask 3 mxping -u "$url" && printed 'nothing listens on the port' &&
		ask 3 mx -u "$url" -b a:b=c --get && said 'Connection refused'
}

basic() {
	jolokia_target "$1" Beans '-Dserve.user=me' \
		-Dserve.password=secret || return
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
	status=$?
	target_end "$pid"
	return $status
}

token() {
	jolokia_target "$1" Beans -Dserve.bearer=abc.def-123 || return
	reads --bearer-file "$scratch/token" &&
		ask 4 mxping -u "$url" && printed 'requires a token' &&
		ask 4 mxping -u "$url" --bearer-file "$scratch/wrong" &&
		printed 'rejects the token' &&
		ask 0 mxping -u "$url" --bearer-file "$scratch/token"
	status=$?
	target_end "$pid"
	return $status
}

# key NAME: makes a key with a self-signed certificate, as PKCS #12 store and as
# PEM.
key() {
	"$jdk/bin/keytool" -genkeypair -alias it -keyalg EC -dname "CN=$1" \
		-ext san=ip:127.0.0.1 -storetype PKCS12 -storepass changeit \
		-keystore "$scratch/$1.p12" >/dev/null 2>&1 &&
		openssl pkcs12 -in "$scratch/$1.p12" -passin pass:changeit \
			-nodes -nokeys -out "$scratch/$1.pem" 2>/dev/null &&
		openssl pkcs12 -in "$scratch/$1.p12" -passin pass:changeit \
			-nodes -nocerts -out "$scratch/$1.key" 2>/dev/null
}

https() {
	key server && key client && key stranger &&
		"$jdk/bin/keytool" -importcert -noprompt -alias client \
			-file "$scratch/client.pem" -storetype PKCS12 \
			-storepass changeit \
			-keystore "$scratch/trust.p12" 2>/dev/null || return
	jolokia_scheme=https
	jolokia_target "$1" Beans -Dserve.keystore="$scratch/server.p12" \
		-Dserve.storepass=changeit || return
	reads --cacert "$scratch/server.pem" && reads --insecure &&
		ask 5 mx -u "$url" -b a:b=c --get &&
		said "certificate is not trusted" &&
		ask 5 mxping -u "$url" && printed 'self-signed and not trusted' &&
		ask 0 mxping -u "$url" --cacert "$scratch/server.pem" &&
		printed 'trusted and valid for 127.0.0.1' &&
		ask 0 mxping -u "$url" --insecure &&
		printed 'accepts a certificate that is not trusted' || return
	# Plain HTTP to the same port.
	ask 5 mxping -u "http://${url#https://}" &&
		printed 'the port requires TLS' &&
		fix_works 5 'self-signed and not trusted' || return
	target_end "$pid"
	jolokia_target "$1" Beans -Dserve.keystore="$scratch/server.p12" \
		-Dserve.storepass=changeit \
		-Dserve.truststore="$scratch/trust.p12" || return
	trusted="--cacert $scratch/server.pem"
	own="--cert $scratch/client.pem --key $scratch/client.key"
	other="--cert $scratch/stranger.pem --key $scratch/stranger.key"
	# shellcheck disable=SC2086 # words
	reads $trusted $own && ask 0 mxping -u "$url" $trusted $own &&
		printed 'with a client certificate' &&
		ask 4 mx -u "$url" $trusted -b a:b=c --get &&
		said 'requires a client certificate' &&
		ask 4 mxping -u "$url" $trusted &&
		printed 'requires a client certificate' &&
		ask 4 mxping -u "$url" $trusted $other &&
		printed 'rejects the client certificate'
	status=$?
	target_end "$pid"
	jolokia_scheme=
	return $status
}

policy() {
	cat >"$scratch/policy.xml" <<-'END'
		<restrict>
		  <commands>
		    <command>read</command>
		    <command>version</command>
		    <command>list</command>
		    <command>search</command>
		  </commands>
		</restrict>
	END
	jolokia_target "$1" Beans \
		-Dagent.policyLocation="file://$scratch/policy.xml" \
		-Dagent.maxCollectionSize=5 || return
	reads && ask 0 mxping -u "$url" && printed 'exec denied' &&
		printed 'maxCollectionSize 5' && printed 'which ttop and jcmd need' &&
		ask 4 mx -u "$url" -b java.lang:type=Memory --call \
			--operation gc &&
		ask 4 ttop -u "$url" -b --iterations 1 -ri 100ms &&
		said 'invoke operations (RMI: readwrite; Jolokia: exec)'
	status=$?
	target_end "$pid"
	return $status
}

# denied RULE VERDICT: fails unless a policy of this rule leads to the verdict,
# and a policy with the printed addition to the rule to an agent.
denied() {
	printf '<restrict>%s</restrict>\n' "$1" >"$scratch/policy.xml"
	jolokia_target "$home" Beans \
		-Dagent.policyLocation="file://$scratch/policy.xml" || return
	ask 4 mxping -u "$url" && printed "the agent's policy denies $2" ||
		return
	target_end "$pid"
	added=$(sed -n 's/^-> add \(<.*>\) to <.*/\1/p' "$scratch/out" |
		sed 's/ADDRESS/127.0.0.1/')
	[ -n "$added" ] || { echo 'no fix'; return 1; }
	printf '<restrict>%s</restrict>\n' "$1" |
		sed "s,</[a-z]*></restrict>,$added&," >"$scratch/policy.xml"
	jolokia_target "$home" Beans \
		-Dagent.policyLocation="file://$scratch/policy.xml" || return
	ask 0 mxping -u "$url" && printed 'Jolokia works'
	status=$?
	target_end "$pid"
	return $status
}

# An agent that permits the operations of some MBeans only.
some_operations() {
	cat >"$scratch/policy.xml" <<-'END'
		<restrict>
		  <commands>
		    <command>read</command>
		    <command>version</command>
		    <command>list</command>
		    <command>search</command>
		  </commands>
		  <allow>
		    <mbean>
		      <name>java.lang:type=Threading</name>
		      <operation>*</operation>
		    </mbean>
		  </allow>
		</restrict>
	END
	jolokia_target "$1" Beans \
		-Dagent.policyLocation="file://$scratch/policy.xml" || return
	ask 0 mxping -u "$url" &&
		printed 'search, exec allowed; some operations denied' &&
		printed 'requires no login, but denies some operations'
	status=$?
	target_end "$pid"
	return $status
}

denials() {
	home=$1
	denied '<commands><command>read</command></commands>' \
		'the command version' &&
		denied '<remote><host>10.9.9.9</host></remote>' \
			'access from this host' &&
		denied '<http><method>get</method></http>' POST
}

check() {
	for part in plain basic token https policy some_operations \
		denials; do
		"$part" "$1" || { echo "$part"; return 1; }
	done
}

for_each_jdk check
