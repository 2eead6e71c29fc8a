# SPDX-License-Identifier: Apache-2.0
# Each JDK: the proxy must not depend on the way that a JDK reads arguments.
#
# A JVM that fails to read an argument executes the following bytes as further
# calls.  Calls inside other calls, at all places where a JVM may fail, reach no
# JVM, neither before nor after the login, and the clients of the JDK still
# work.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/proxy.sh

no_call_is_smuggled() {
	smuggling=$(target_compile "$1" Smuggling) &&
		jmx_target "$1" -Djdk.serialFilter=maxarray=250000 &&
		jvm_port=$port jvm=$pid || return
	proxy -s "127.0.0.1:$jvm_port" -b 0 --read-only || return
	"$1/bin/java" -XX:TieredStopAtLevel=1 -XX:-UsePerfData -cp "$smuggling" \
		Smuggling "$jvm_port" "$proxy_port" >"$scratch/out" 2>&1
	[ "$(grep -c '^kept ' "$scratch/out")" -eq 24 ] &&
		[ "$(wc -l <"$scratch/out")" -eq 24 ] ||
		{ cat "$scratch/out"; return 1; }
	proxy_end TERM && proxy -s "127.0.0.1:$jvm_port" -b 0 &&
		jmx_client "$1" "127.0.0.1:$proxy_port" operations recording &&
		proxy_end TERM && target_end "$jvm"
}

for_each_jdk no_call_is_smuggled
