# SPDX-License-Identifier: Apache-2.0
# The RMI client reads and writes attributes and invokes operations, by address
# and by service URL, with and without a password, and returns errors.
# shellcheck disable=SC2016,SC2034,SC2154 # "$error" is text; variables of target.sh
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
target_program=Beans
beans=sjkc.test

# jmx STATUS ARGUMENT…: like ask, with ask_jmx instead of sjkc.
jmx() {
	sjkc=$TOOLS/ask_jmx ask "$@"
}

values() {
	jmx 0 "127.0.0.1:$port" version count \
		"get=java.lang:type=Runtime/VmVersion,Nope,Pid" \
		"get=java.lang:type=Memory/HeapMemoryUsage" \
		"info=$beans:type=Operations" query=java.lang:type=M* &&
		printed '"Nope":{"$error":"javax.management.Attribute' &&
		printed "\"Pid\":$pid" && printed '"committed":' &&
		printed 'class Beans$Operations' &&
		printed 'operation count' &&
		printed 'java.lang:type=Memory' && printed '1 names' &&
		"$jdk/bin/java" -version 2>"$scratch/version" &&
		grep -qF "$(head -n 1 "$scratch/out" | cut -d + -f 1)" \
			"$scratch/version"
}

failures() {
	jmx 3 "127.0.0.1:$port" "get=$beans:type=Failing/Nope" &&
		printed 'AttributeNotFoundException' &&
		jmx 3 "127.0.0.1:$port" 'get=no.such:type=a/X' &&
		printed 'InstanceNotFoundException' &&
		jmx 3 "127.0.0.1:$port" "invoke=$beans:type=Operations/no()" &&
		jmx 2 "127.0.0.1:$port" 'get=no name/X' &&
		jmx 5 "127.0.0.1:$port" \
			"get=$beans:type=Failing/NotSerializable" &&
		printed 'not serializable: java.lang.Object' &&
		jmx 0 "127.0.0.1:$port" \
			"get=$beans:type=Failing/Fine,NotSerializable,Throws,HalfSerializable,Fine" \
			quiet "changes=20/$beans:type=Operations/unserializable" \
			loud "changes=10/$beans:type=Operations/count" \
			"invoke=$beans:type=Operations/count()" &&
		printed '{"Fine":1,"NotSerializable":{"$error":"not serializable: java.lang.Object"},' &&
		printed ',"Fine":1}' && printed '40 replies, 20 failures' &&
		printed '20 replies, 0 failures' &&
		[ "$(tail -n 1 "$scratch/out")" = 11 ]
}

# The signature selects the overload.
arguments() {
	o="invoke=$beans:type=Operations"
	jmx 0 "127.0.0.1:$port" "$o/type(int:7)" "$o/type(long:7)" \
		"$o/type(boolean:true)" "$o/type(java.lang.String:x)" \
		"$o/type([I:1;2;3)" "$o/only(java.lang.Long:-7)" \
		"$o/text(java.lang.String:null)" \
		"$o/texts([Ljava.lang.String;:a;b)" "$o/mean([D:1;2)" \
		"$o/sum(double:0.5,double:1)" \
		"$o/nameOf(javax.management.ObjectName:b:c=d)" "$o/nothing()" &&
		cat >"$scratch/wanted" <<-'END' &&
			"int 7"
			"long 7"
			"boolean true"
			"String x"
			"int[] [1, 2, 3]"
			"Long -7"
			"null"
			"[a, b]"
			1.5
			1.5
			"b:c=d"
			null
		END
		diff "$scratch/wanted" "$scratch/out"
}

changes() {
	jmx 0 "127.0.0.1:$port" \
		set=java.lang:type=Memory/Verbose=boolean:true \
		get=java.lang:type=Memory/Verbose \
		set=java.lang:type=Memory/Verbose=boolean:false &&
		printed true &&
		jmx 0 "127.0.0.1:$port" \
			set=java.lang:type=Memory/Verbose=boolean:maybe &&
		printed "failed 2 argument 1 of Verbose: 'maybe' is not a valid boolean"
}

notifications() {
	gc="java.lang:type=GarbageCollector,name=*"
	jmx 0 "127.0.0.1:$port" "listen=$gc" invoke=java.lang:type=Memory/gc \
		fetch=10000 &&
		printed 'com.sun.management.gc.notification' &&
		printed '"gcCause":"System.gc()"' &&
		jmx 0 "127.0.0.1:$port" "listen=$beans:type=Ticker" \
			"invoke=$beans:type=Ticker/send(int:5,java.lang.String:x)" \
			fetch=10000 fetch=0 &&
		[ "$(grep -c '^notification sjkc.tick' "$scratch/out")" -eq 5 ] &&
		jmx 0 "127.0.0.1:$port" "listen=$beans:type=Ticker" \
			"invoke=$beans:type=Ticker/send(int:1500,java.lang.String:x)" \
			fetch=10000 fetch=0 &&
		printed 'notification sjkc.lost of  500 ' &&
		[ "$(grep -c '^notification sjkc.tick' "$scratch/out")" -eq 1000 ]
}

# The stub in the URL of the local JMX connector is a plain serialized object,
# without the annotations of RMI.
urls() {
	stub=$("$jdk/bin/jcmd" "$pid" PerfCounter.print |
		sed -n 's/^sun.management.JMXConnectorServer.address="\(.*\)"/\1/p')
	case $stub in service:jmx:rmi://*/stub/*) ;; *)
		echo "no stub: $stub"
		return 1 ;;
	esac
	jmx 0 "$stub" get=java.lang:type=Runtime/Pid && printed "$pid" &&
		jmx 0 "service:jmx:rmi:///jndi/rmi://127.0.0.1:$port/jmxrmi" \
			get=java.lang:type=Runtime/Pid && printed "$pid" &&
		jmx 5 "service:jmx:rmi:///jndi/rmi://127.0.0.1:$port/other" &&
		said 'NotBoundException'
}

# The stub contains another address than the JVM's.
sent_elsewhere() {
	jmx_target "$1" -Djava.rmi.server.hostname=127.0.0.2 &&
		jmx 5 "127.0.0.1:$port" count &&
		said "sends clients to 127.0.0.2, port $port" &&
		jmx 0 "127.0.0.1:$port" force-host count &&
		target_end "$pid"
}

with_a_password() {
	printf 'monitor rosebud\ncontrol citizen\n' >"$scratch/passwords"
	printf 'monitor readonly\ncontrol readwrite\n' >"$scratch/access"
	chmod 600 "$scratch/passwords" "$scratch/access"
	jmx_target "$1" "$jmx.authenticate=true" \
		"$jmx.password.file=$scratch/passwords" \
		"$jmx.access.file=$scratch/access" &&
		jmx 4 "127.0.0.1:$port" && said 'Credentials required' &&
		jmx 4 "127.0.0.1:$port" user=monitor password=rosebut &&
		said 'Invalid username or password' &&
		! grep -q rosebut "$scratch/err" &&
		jmx 4 "127.0.0.1:$port" user=monitor password=rosebud count \
			invoke=java.lang:type=Memory/gc &&
		printed 'Access denied' &&
		jmx 0 "127.0.0.1:$port" user=control password=citizen \
			invoke=java.lang:type=Memory/gc count &&
		target_end "$pid"
}

check() {
	jmx_target "$1" && values && failures && arguments && changes &&
		notifications && urls && target_end "$pid" &&
		sent_elsewhere "$1" && with_a_password "$1"
}

for_each_jdk check
