# SPDX-License-Identifier: Apache-2.0
# mxping performs all steps from the host name to the first MBean.  It names the
# problem if the stub has another address, if a password is required, and if the
# port is not one of JMX.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh

# steps: prints the steps of the last mxping: "ok dns ok tcp …"
steps() {
	awk '/^(ok|failed) / { printf "%s%s %s", sep, $1, $2; sep = " " }' \
		"$scratch/out"
}

# went STEPS: fails unless the last mxping printed these steps
went() {
	[ "$(steps)" = "$1" ] && return
	echo "the steps are: $(steps), not: $1"
	return 1
}

to_stub='ok dns ok tcp ok protocol ok registry ok stub'
from_login='ok login ok session ok mbean ok round-trip ok object-name'

all_the_way() {
	jmx_target "$1" && ask 0 mxping -s "127.0.0.1:$port" &&
		went "$to_stub ok server ok version $from_login" &&
		printed "the stub sends clients to 127.0.0.1, port $port" &&
		printed 'a loopback address' &&
		printed 'java_runtime_' && printed ' MBeans' &&
		printed ' ms of 10 calls, ' &&
		printed 'JMX works; the JVM requires no password' &&
		ask 0 mxping "127.0.0.1:$port" --json &&
		python3 - "$scratch/out" "127.0.0.1:$port" <<-'END' &&
			import json, sys
			d = json.load(open(sys.argv[1]))
			assert d["schema"] == "sjkc.mxping/1", d
			assert d["target"] == sys.argv[2] and d["ok"] is True, d
			assert d["verdict"] and d["remedy"] is None, d
			assert len(d["steps"]) == 12, d
			for s in d["steps"]:
			    assert s["ok"] is True and s["ms"] >= 0, s
			    assert s["name"] and s["detail"], s
		END
		SJKC_PASSWORD=any ask 0 mxping -s "127.0.0.1:$port" \
			--user nobody &&
		printed 'the JVM requires no password' &&
		printed 'it ignores the user nobody' &&
		no_session_is_left && target_end "$pid"
}

# The JVM has no object of the session after it was closed.
no_session_is_left() {
	for _ in $(seq 600); do
		"$jdk/bin/jcmd" "$pid" GC.class_histogram \
			>"$scratch/classes" || return
		grep -q 'java.lang.String' "$scratch/classes" || return
		grep -q 'remote.rmi.RMIConnectionImpl ' "$scratch/classes" ||
			return 0
		sleep 0.2
	done
	echo 'a session is left in the JVM'
	return 1
}

# The filter lets a login pass, but no call with an object name.
behind_a_filter() {
	jmx_target "$1" "$jmx.serial.filter.pattern=java.lang.String;!*" &&
		ask 5 mxping -s "127.0.0.1:$port" &&
		went "$to_stub ok server ok version ${from_login%ok *}failed object-name" &&
		printed 'serial filter rejects the classes' &&
		ask 5 mx -s "127.0.0.1:$port" -b java.lang:type=Runtime --get &&
		said 'serial.filter.pattern' &&
		ask 5 mxping "service:jmx:rmi:///jndi/rmi://127.0.0.1:$port/karaf" &&
		printed '-> use the entry jmxrmi' &&
		target_end "$pid"
}

# Nothing listens on 127.0.0.2, because the JVM's ports are bound to 127.0.0.1.
sent_elsewhere() {
	jmx_target "$1" -Djava.rmi.server.hostname=127.0.0.2 &&
		ask 5 mxping -s "127.0.0.1:$port" &&
		went "$to_stub failed server" &&
		printed "the JVM sends clients to 127.0.0.2, port $port" &&
		printed 'the same port of 127.0.0.1' &&
		printed '-> start the JVM with -Djava.rmi.server.hostname=127' &&
		grep -qE -- "127.0.0.1:[0-9]+: sjkc mxprx -s 127.0.0.1:$port -b 127.0.0.1:[0-9]+\$" "$scratch/out" &&
		printed "need --force-hostname" &&
		ask 0 mxping -s "127.0.0.1:$port" --force-hostname &&
		printed "127.0.0.1, port $port is used instead" &&
		ask 0 mxping --force-address \
			"service:jmx:rmi:///jndi/rmi://127.0.0.1:$port/jmxrmi" &&
		target_end "$pid"
}

# On Linux, 0.0.0.0 leads each client to its own machine.
sent_to_no_address() {
	jmx_target "$1" -Djava.rmi.server.hostname=0.0.0.0 &&
		ask 0 mxping -s "127.0.0.1:$port" &&
		printed "clients to 0.0.0.0, port $port, an unspecified address: each client's own machine" &&
		target_end "$pid"
}

with_a_password() {
	echo 'monitor geheim-äß' >"$scratch/passwords"
	echo 'geheim-äß' >"$scratch/password"
	echo 'secret' >"$scratch/another"
	chmod 600 "$scratch/password" "$scratch/another"
	echo 'monitor readonly' >"$scratch/access"
	chmod 600 "$scratch/passwords" "$scratch/access"
	jmx_target "$1" "$jmx.authenticate=true" \
		"$jmx.password.file=$scratch/passwords" \
		"$jmx.access.file=$scratch/access" &&
		ask 4 mxping -s "127.0.0.1:$port" &&
		went "$to_stub ok server ok version failed login" &&
		printed 'Credentials required' &&
		printed 'the JVM requires a user and a password' &&
		printed '-> use --user NAME, with the password from' &&
		said 'requires a user and a password' &&
		ask 0 mxping -s "127.0.0.1:$port" --user monitor \
			--password-file "$scratch/password" &&
		went "$to_stub ok server ok version $from_login" &&
		printed 'as monitor' && printed 'sent in clear' &&
		ask 4 mxping -s "127.0.0.1:$port" --user monitor \
			--password-file "$scratch/another" &&
		went "$to_stub ok server ok version failed login" &&
		printed 'rejects this user and password' &&
		[ "$(SJKC_PASSWORD='geheim-äß' ask 0 mxping --user monitor \
			-s "127.0.0.1:$port")" = '' ] &&
		target_end "$pid" && nothing_listens
}

# The JVM has exited.
nothing_listens() {
	ask 3 mxping -s "127.0.0.1:$port" && went 'ok dns failed tcp' &&
		printed 'nothing listens on the port' &&
		ask 3 mxping -s "127.0.0.1:$port" --json &&
		python3 - "$scratch/out" <<-'END'
			import json, sys
			d = json.load(open(sys.argv[1]))
			assert d["ok"] is False and d["remedy"], d
			assert d["verdict"] == "nothing listens on the port", d
			assert [s["ok"] for s in d["steps"]] == [True, False], d
		END
}

check() {
	all_the_way "$1" && behind_a_filter "$1" && sent_elsewhere "$1" &&
		sent_to_no_address "$1" && with_a_password "$1"
}

for_each_jdk check

python_server 'pass' && ask 5 mxping --timeout 5s -s "127.0.0.1:$port" &&
	went 'ok dns ok tcp failed protocol' &&
	printed 'accepts the connection, but sends nothing' || exit

python_server 'c.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")' &&
	ask 5 mxping -s "127.0.0.1:$port" &&
	went 'ok dns ok tcp failed protocol' &&
	printed 'a web server listens on the port' || exit

# This one waits for a request line.
python_server 'c.settimeout(60); r = c.recv(100); b"GET" in r and c.sendall(b"HTTP/1.0 200 OK\r\n\r\n")' &&
	ask 5 mxping --timeout 2s -s "127.0.0.1:$port" &&
	printed 'a web server listens on the port' || exit

python_server 'c.recv(100); c.close(); kept.clear()' &&
	ask 5 mxping -s "127.0.0.1:$port" &&
	printed 'closes the connection without a reply' || exit

# A greeting with a hostile host name, and then bytes that are not a return.
python_server 'c.sendall(b"N\0\4\x1b[2J\0\0\0\1" + b"\x1b[2J" * 9)' &&
	ask 5 mxping -s "127.0.0.1:$port" &&
	went 'ok dns ok tcp ok protocol failed registry' &&
	printed 'another message in place of a return' || exit
! grep -q "$(printf '\033')" "$scratch/out" "$scratch/err" ||
	{ echo 'an escape sequence was printed'; exit 1; }

# A greeting without a reply to the call.
python_server 'c.sendall(b"N\0\1x\0\0\0\1")' &&
	ask 5 mxping --timeout 5s -s "127.0.0.1:$port" &&
	went 'ok dns ok tcp ok protocol failed registry' &&
	printed 'does not reply to a call in time' || exit

# Names are resolved only from files, so the test does not depend on a name
# server.
root_only
echo 'hosts: files' >"$scratch/nsswitch.conf"
cat >"$scratch/named" <<-END
	mount --bind "$scratch/nsswitch.conf" /etc/nsswitch.conf &&
		exec "$sjkc" mxping -s nobody.invalid:9010
END
unshare --mount sh "$scratch/named" >"$scratch/out" 2>"$scratch/err"
status=$?
[ $status -eq 3 ] || { echo "exit status $status, not 3"; exit 1; }
went 'failed dns' && printed 'the host name does not resolve'
