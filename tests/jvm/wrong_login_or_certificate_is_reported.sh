# SPDX-License-Identifier: Apache-2.0
# Passwords: none, wrong, of a user with read-only access; from a file, from the
# environment, from the terminal.  Server certificates: self-signed, of another
# host, expired.  Client certificates: valid, or none.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
lab_inside && lab_tls || exit
unset SJKC_PASSWORD

# asked STATUS COMMAND OPTION…: runs the command in the JVM's network, and fails
# unless it exits with STATUS
asked() {
	asked_for=$1 asked_command=$2
	shift 2
	within_lab timeout 300 "$sjkc" "$asked_command" \
		-s "$lab_address:$jmx_port" "$@" \
		>"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
	[ $status -eq "$asked_for" ] && return
	echo "$asked_command $*: exit status $status, not $asked_for"
	cat "$scratch/out" "$scratch/err"
	return 1
}

memory='-b java.lang:type=Memory'

# shellcheck disable=SC2086 # words
passwords() {
	echo secret >"$scratch/secret"
	chmod 600 "$scratch/secret"
	lab_jvm "$1" same password &&
		asked 4 mx $memory -mg && said 'Credentials required' &&
		asked 4 mxdump && printed_nothing &&
		SJKC_PASSWORD=wrong asked 4 mx $memory -mg --user monitor &&
		said 'the JVM rejects the user or the password' &&
		SJKC_PASSWORD=secret asked 0 mx $memory -mg --user monitor \
			-f Verbose && printed 'Verbose false' &&
		said "warning: sending the password to $lab_address, port" &&
		asked 5 mx $memory -mg --user monitor --tls --timeout 2s \
			--password-file "$scratch/secret" && said TLS &&
		! said 'warning: sending' >/dev/null &&
		asked 0 mxdump --user monitor -q java.lang:type=Memory \
			--password-file "$scratch/secret" &&
		printed HeapMemoryUsage &&
		asked 0 jcmd --user control \
			--password-file "$scratch/secret" VM.version || return
	! grep -q secret "$scratch/out" "$scratch/err" ||
		{ echo 'the password was printed'; return 1; }
	# A user with read-only access changes nothing.
	asked 4 mx $memory -ms -f Verbose -v true --user monitor \
		--password-file "$scratch/secret" && said 'Access denied' &&
		asked 4 mx $memory -mc -op gc --user monitor \
			--password-file "$scratch/secret" &&
		asked 4 jcmd --user monitor \
			--password-file "$scratch/secret" VM.version &&
		asked 0 mx $memory -mg -q -f Verbose --user monitor \
			--password-file "$scratch/secret" && printed false &&
		asked 0 mx $memory -ms -f Verbose -v false --user control \
			--password-file "$scratch/secret" &&
		typed && target_end "$pid"
}

# A password that is typed on the terminal is not echoed.
typed() {
	within_lab timeout 300 python3 - "$sjkc" mx -s "$lab_address:$jmx_port" \
		-b java.lang:type=Memory -mg -q -f Verbose --user monitor \
		>"$scratch/out" <<-'END'
			import os, pty, sys
			pid, terminal = pty.fork()
			if pid == 0:
			    os.execv(sys.argv[1], sys.argv[1:])
			shown = b""
			while b"password of monitor: " not in shown:
			    shown += os.read(terminal, 1000)
			os.write(terminal, b"secret\n")
			try:
			    while True:
			        part = os.read(terminal, 1000)
			        if not part:
			            break
			        shown += part
			except OSError:
			    pass
			assert b"secret" not in shown, shown
			assert b"false" in shown, shown
			status = os.waitpid(pid, 0)[1]
			assert status == 0, status
		END
}

# shellcheck disable=SC2086 # words
certificates() {
	lab_jvm "$1" tls-registry &&
		asked 5 mx $memory -mg && asked 5 mxdump && printed_nothing &&
		asked 0 mx $memory -mg -f Verbose --cacert "$tls/ca.pem" &&
		printed 'Verbose false' &&
		asked 0 mxdump --insecure -q java.lang:type=Memory &&
		printed HeapMemoryUsage && target_end "$pid" &&
		lab_jvm "$1" tls-registry nosan &&
		asked 5 mx $memory -mg --cacert "$tls/ca.pem" &&
		asked 0 mx $memory -mg --insecure && target_end "$pid" &&
		lab_jvm "$1" tls-registry expired &&
		asked 5 mx $memory -mg --cacert "$tls/ca.pem" &&
		said 'expired' && asked 0 jcmd --insecure VM.version &&
		target_end "$pid" &&
		lab_jvm "$1" client-cert &&
		asked 4 mx $memory -mg --cacert "$tls/ca.pem" &&
		asked 0 mx $memory -mg --cacert "$tls/ca.pem" \
			--cert "$tls/client.pem" --key "$tls/client.key" &&
		asked 6 mx $memory -mg --cacert "$scratch/none" &&
		target_end "$pid"
}

check() {
	passwords "$1" && certificates "$1"
}

for_each_jdk check
