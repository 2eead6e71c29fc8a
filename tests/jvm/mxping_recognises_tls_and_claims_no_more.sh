# SPDX-License-Identifier: Apache-2.0
# A registry that speaks TLS; a plain one whose JMX server does.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh

# secured JVM-OPTION…
secured() {
	jmx_target "$@" -Dcom.sun.management.jmxremote.ssl=true \
		-Djavax.net.ssl.keyStore="$scratch/keys" \
		-Djavax.net.ssl.keyStorePassword=changeit
}

check() {
	rm -f "$scratch/keys"
	"$1/bin/keytool" -genkeypair -alias a -keyalg EC -dname CN=localhost \
		-keystore "$scratch/keys" -storepass changeit \
		>"$scratch/keytool" 2>&1 || { cat "$scratch/keytool"; return 1; }
	secured "$1" -Dcom.sun.management.jmxremote.registry.ssl=true &&
		ask 5 mxping -s "127.0.0.1:$port" &&
		printed 'failed  protocol' && printed 'the port speaks TLS' &&
		target_end "$pid" || return
	secured "$1" -Dcom.sun.management.jmxremote.rmi.port="$(free_port)" &&
		ask 5 mxping -s "127.0.0.1:$port" &&
		printed 'ok      stub' && printed 'failed  server' &&
		printed 'javax.rmi.ssl.SslRMIClientSocketFactory' &&
		printed 'the registry is plain, but the JMX server wants TLS' &&
		target_end "$pid"
}

for_each_jdk check
