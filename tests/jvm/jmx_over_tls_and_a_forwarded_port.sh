# SPDX-License-Identifier: Apache-2.0
# Only in check-all: the parts of the client; wrong_login_or_certificate_is_reported and
# mxping_diagnoses_tls have TLS with commands.
# The JMX client of sjkc, without a command: TLS to the JMX server alone or also
# to the registry, and a JVM that is reachable only by one forwarded port.
# shellcheck disable=SC2034,SC2154 # variables of target.sh
program=$(realpath "$1") scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
target_program=Beans
count='invoke=sjkc.test:type=Operations/count()'
lab_inside && lab_tls || exit

# inside STATUS ARGUMENT…: runs ask_jmx in the inner network
inside() {
	wanted=$1
	shift
	within_lab timeout 300 "$TOOLS/ask_jmx" "$lab_address:$jmx_port" "$@" \
		>"$scratch/out" 2>"$scratch/err"
	status=$?
	[ $status -eq "$wanted" ] && return
	echo "$*: exit status $status, not $wanted"
	cat "$scratch/out" "$scratch/err"
	return 1
}

# client_works ARGUMENT…: many calls at a time, unreadable replies and
# notifications work over the connection.
client_works() {
	inside 0 "$@" quiet many=500 \
		"changes=20/sjkc.test:type=Operations/unserializable" \
		loud "$count" sleep=100 "$count" \
		"listen=sjkc.test:type=Ticker" \
		"invoke=sjkc.test:type=Ticker/send(int:1,java.lang.String:x)" \
		fetch=10000 && printed '40 replies, 20 failures' &&
		printed 'notification sjkc.tick' &&
		[ "$(grep -cx '[12]' "$scratch/out")" -eq 2 ]
}

# ttop works over TLS, and is refused without a client certificate.
threads_by_tls() {
	top="ttop -s $lab_address:$jmx_port -b -ri 100ms --iterations 1 -n 0"
	# shellcheck disable=SC2086 # words
	if ! within_lab timeout 300 "$program" $top --cacert "$tls/ca.pem" \
		--cert "$tls/client.pem" --key "$tls/client.key" \
		>"$scratch/out" 2>"$scratch/err" || ! printed ' - main'; then
		cat "$scratch/err"
		return 1
	fi
	# shellcheck disable=SC2086 # words
	within_lab timeout 300 "$program" $top --cacert "$tls/ca.pem" \
		>"$scratch/out" 2>"$scratch/err"
	[ $? -eq 4 ] && said 'certificate'
}

by_tls() {
	lab_jvm "$1" tls && client_works cacert="$tls/ca.pem" && inside 5 count &&
		inside 0 insecure count && inside 6 cacert=/nowhere count &&
		target_end "$pid" || return
	lab_jvm "$1" tls-registry password &&
		client_works cacert="$tls/ca.pem" user=control password=secret &&
		inside 4 cacert="$tls/ca.pem" user=control password=wrong &&
		inside 4 cacert="$tls/ca.pem" && target_end "$pid" || return
	lab_jvm "$1" client-cert && inside 4 cacert="$tls/ca.pem" count &&
		client_works cacert="$tls/ca.pem" cert="$tls/client.pem" \
			key="$tls/client.key" && threads_by_tls &&
		target_end "$pid" || return
	lab_jvm "$1" nosan tls && inside 5 cacert="$tls/ca.pem" count &&
		target_end "$pid"
}

# With a certificate option, sjkc sends a password only over TLS.
in_clear() {
	lab_jvm "$1" password && inside 0 user=monitor password=secret count &&
		inside 5 cacert="$tls/ca.pem" user=monitor password=secret &&
		said 'the password was not sent' && target_end "$pid"
}

forwarded() {
	lab_jvm "$1" hostname && lab_forward 29010 "$jmx_port" || return
	for target in 127.0.0.1:29010 \
		service:jmx:rmi:///jndi/rmi://127.0.0.1:29010/jmxrmi; do
		sjkc=$TOOLS/ask_jmx
		ask 5 "$target" count && said "$lab_name" &&
			ask 5 "$target" force-host count &&
			ask 0 "$target" force-host force-port count "$count" ||
			return
	done
	lab_unforward && target_end "$pid"
}

check() {
	by_tls "$1" && in_clear "$1" && forwarded "$1"
}

for_each_jdk check
