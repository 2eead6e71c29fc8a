#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mxprx -s --http logs in to a JVM by TLS, with the user of --user, and serves it by
# TLS.  mxping, mx, mxdump, ttop and jcmd work through it as directly, and a second
# mxprx reads its metrics.  A wrong password is reported, and --read-only obeyed.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/proxy.sh

command -v curl >/dev/null || { echo 'no curl'; exit 77; }
lab_tls || exit 1
unset SJKC_PASSWORD
jmx=-Dcom.sun.management.jmxremote
echo 'admin secret' >"$scratch/users"
echo 'admin readwrite' >"$scratch/access"
echo secret >"$scratch/password"
echo wrong >"$scratch/wrong"
chmod 600 "$scratch/users" "$scratch/password" "$scratch/wrong"
target_program=Beans
jmx_target "$(jdks | head -n 1)" $jmx.ssl=true $jmx.registry.ssl=true \
	$jmx.authenticate=true $jmx.password.file="$scratch/users" \
	$jmx.access.file="$scratch/access" \
	-Djavax.net.ssl.keyStore="$tls/server.p12" \
	-Djavax.net.ssl.keyStorePassword=changeit || exit 1
# shellcheck disable=SC2154 # port: jmx.sh
jvm=127.0.0.1:$port
direct="-s $jvm --cacert $tls/ca.pem --user admin
	--password-file $scratch/password"

# shellcheck disable=SC2086 # words
ask 4 mxprx -s "$jvm" --http 0 --cacert "$tls/ca.pem" --user admin \
	--password-file "$scratch/wrong" &&
	said 'the JVM rejects the user or the password' || exit 1
# mxprx does not wait for a certificate to become trusted.
ask 5 mxprx -s "$jvm" --http 0 --user admin \
	--password-file "$scratch/password" &&
	said 'not trusted' || exit 1

# shellcheck disable=SC2086,SC2154 # words; proxy_port: proxy.sh
{
	proxy $direct --http 0 --tls-cert "$tls/proxy.pem" \
		--tls-key "$tls/proxy.key" || exit 1
	bridge="https://localhost:$proxy_port/jolokia"
	by_http="-u $bridge --cacert $tls/ca.pem"
}

# same COMMAND ARGUMENT...: its output is the same directly and by the bridge
# shellcheck disable=SC2086 # words
same() {
	command=$1
	shift
	ask 0 "$command" $direct "$@" && mv "$scratch/out" "$scratch/direct" &&
		ask 0 "$command" $by_http "$@" || return
	cmp -s "$scratch/direct" "$scratch/out" && return
	echo "$command $*:"
	diff "$scratch/direct" "$scratch/out"
	return 1
}

# shellcheck disable=SC2086 # words
clients_work() {
	ask 0 mxping $by_http && printed 'Jolokia works' &&
		same mx -b sjkc.test:type=Types --get -f LongMax -q &&
		same mx -b sjkc.test:type=Open --get -f Item --json &&
		same mx -b sjkc.test:type=Operations --call \
			--operation 'sum(int,int)' -a 2 -a 3 -q &&
		same mx -b sjkc.test:type=Settable --set -f String -v 'a/b!c' &&
		same mx -b sjkc.test:type=Settable --get -f String -q &&
		printed 'a/b!c' &&
		ask 3 mx $by_http -b sjkc.test:type=No --get -f X &&
		ask 0 mxdump $by_http -q 'java.lang:*' &&
		printed '"name":"java.lang:type=Runtime"' &&
		same jcmd VM.version &&
		ask 0 ttop $by_http --batch --iterations 2 \
			--interval 1s -c && printed 'thread count' &&
		printed ' - main' && printed 'wait=' || return
	! grep -q 'secret' "$proxy_said" "$proxy_printed" "$scratch/err"
}

# The metrics of the bridge, and those that another mxprx reads through it.
metrics_work() {
	first=$proxy
	# shellcheck disable=SC2086 # words
	proxy $by_http -b 0 || return
	for url in "${bridge%/jolokia}" "http://127.0.0.1:$proxy_port"; do
		curl -s -f --cacert "$tls/ca.pem" "$url/metrics" \
			>"$scratch/metrics" || { echo "no $url/metrics"; return 1; }
		for line in 'sjkc_scrape_unreadable 0' 'jmx_scrape_error 0' \
			'jvm_threads_state{state="RUNNABLE"}'; do
			grep -qF "$line" "$scratch/metrics" ||
				{ cat "$scratch/metrics"; return 1; }
		done
	done
	proxy_end TERM
	proxy=$first
}

clients_work || { cat "$proxy_said"; exit 1; }
metrics_work && proxy_end TERM || exit 1
# shellcheck disable=SC2086 # words
proxy $direct --http 0 --read-only || exit 1
by_http="-u http://127.0.0.1:$proxy_port/jolokia"
# shellcheck disable=SC2086 # words
ask 4 mx $by_http --set -f String -b sjkc.test:type=Settable -v x &&
	same mx -b sjkc.test:type=Settable \
	--get -f String -q && printed 'a/b!c' && proxy_end TERM
