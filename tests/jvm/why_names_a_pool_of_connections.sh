# SPDX-License-Identifier: Apache-2.0
# Only in check-all: fetches the pools of four libraries.
# Threads that wait for a connection of a pool are a cause, with the caller of the
# pool as their place: HikariCP, Tomcat, DBCP and both clients of Apache.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/maven.sh

maven_fetch '' com.zaxxer:HikariCP:5.1.0 org.apache.tomcat:tomcat-jdbc:10.1.20 \
	org.apache.commons:commons-dbcp2:2.12.0 com.h2database:h2:2.2.224 \
	org.apache.httpcomponents:httpclient:4.5.14 \
	org.apache.httpcomponents.client5:httpclient5:5.3.1 || exit
jdk=$(jdks | head -n 1)
case $jdk in *-8* | *jdk8*) jdk=$(newest_jdk) ;; esac
mkdir "$scratch/classes"
"$jdk/bin/javac" -nowarn -cp "$jars" -d "$scratch/classes" tests/jvm/lib/pools/Pools.java ||
	exit 1
for pool in hikari tomcat dbcp http4 http5; do
	env --default-signal=QUIT,INT "$jdk/bin/java" -Xmx64m -XX:+UseSerialGC \
		-cp "$scratch/classes:$jars" Pools $pool >"$scratch/said" 2>&1 &
	pid=$! starter=$! said=$scratch/said
	target_pids="$target_pids $pid"
	target_ready || exit 1
	sleep 1
	timeout 60 "$sjkc" why -q "$pid" -d 2s >"$scratch/out" 2>&1 &&
		grep -q 'all 8 threads of request-\* wait for a connection of a pool' \
			"$scratch/out" && grep -q 'in Pools\.[a-z0-9$]*:' "$scratch/out" ||
		{ echo "$pool:"; cat "$scratch/out"; "$sjkc" threads "$pid"; exit 1; }
	target_end "$pid"
done
