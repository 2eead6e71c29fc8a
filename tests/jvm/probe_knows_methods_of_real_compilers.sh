# SPDX-License-Identifier: Apache-2.0
# Only in check-all: runs the compiler of Kotlin, and fetches 80 MB the first time.
# sjkc probe on a program of Kotlin 2.2.20 with coroutines, instrumented by JaCoCo
# 0.8.15, and on one of Clojure 1.12: it notes that a suspend function is called
# again by each resumption, omits JaCoCo's method, and names the class of a function.
sjkc=$(realpath "$1") scratch=$(realpath "$2")
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/maven.sh

# start JVM-OPTION…: starts a JVM, which prints READY; sets $pid
start() {
	target_number=$((target_number + 1))
	said=$scratch/said.$target_number
	env --default-signal=QUIT,INT "$jdk/bin/java" -Xmx128m \
		-XX:+UseSerialGC "$@" </dev/null >"$said" 2>&1 &
	pid=$!
	target_pids="$target_pids $pid"
	target_wait "$said" READY "$pid"
}

cat >"$scratch/App.kt" <<-'END'
	import kotlinx.coroutines.*

	class Orders {
	    suspend fun fetchPrice(n: Long): Long {
	        delay(5)
	        return compute(n)
	    }

	    suspend fun alone(n: Long): Long = compute(n)

	    fun compute(n: Long): Long = n * 31
	}

	fun main() = runBlocking {
	    val orders = Orders()
	    orders.alone(1)
	    println("READY")
	    while (true)
	        orders.fetchPrice(2)
	}
END
cat >"$scratch/app.clj" <<-'END'
	(ns demo.core)
	(defn crunch-all [n] (reduce + (range n)))
	(println "READY")
	(while true (crunch-all 100) (Thread/sleep 5))
END
maven_fetch '' org.jetbrains.kotlin:kotlin-compiler-embeddable:2.2.20 \
	org.jetbrains.kotlinx:kotlinx-coroutines-core-jvm:1.10.2 \
	org.clojure:clojure:1.12.0 org.jacoco:org.jacoco.agent:0.8.15:runtime
jdk=$(jdks | tail -n 1)
"$jdk/bin/java" -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$jars" \
	org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -nowarn -no-stdlib \
	-no-reflect -classpath "$jars" -d "$scratch/classes" "$scratch/App.kt" \
	>"$scratch/compiled" 2>&1 || { cat "$scratch/compiled"; exit 1; }

start "-javaagent:$(maven_jar org.jacoco.agent)=output=none" \
	-cp "$scratch/classes:$jars" AppKt || exit 1
ask 0 probe -p "$pid" --csv --yes -d 2s 'Orders.*' '!Orders.alone' </dev/null ||
	exit 1
printed 'Orders,fetchPrice,' && printed 'Orders,compute,' &&
	said 'Orders.fetchPrice(long, Continuation) is a suspend function:' ||
	exit 1
! grep jacoco "$scratch/out" "$scratch/err" || exit 1
# Each call begins and is resumed once.
/usr/bin/python3 - "$scratch/out" <<-'END' || exit 1
	import csv, sys
	calls = {r["method"]: int(r["calls"]) for r in csv.DictReader(open(sys.argv[1]))}
	print("#", calls)
	if abs(calls["fetchPrice"] - 2 * calls["compute"]) > 2:
	    sys.exit("resumptions")
END
ask 0 probe -p "$pid" --list 'Orders.*' </dev/null &&
	said 'and 1 other method are suspend functions: each resumption counts' ||
	exit 1
ask 0 probe -p "$pid" --list 'Orders.$jacoco*' </dev/null &&
	printed 'jacocoInit()' || exit 1
alive "$pid" || exit 1
target_end "$pid"

start -cp "$jars" clojure.main "$scratch/app.clj" || exit 1
function='demo.core$crunch_all.invoke*'
ask 3 probe -p "$pid" -d 100ms demo.core/crunch-all </dev/null &&
	said "for a Clojure function, use '$function'" || exit 1
ask 0 probe -p "$pid" --csv --yes -d 1s "$function" </dev/null &&
	printed 'demo.core$crunch_all,invokeStatic,' || exit 1
alive "$pid"
