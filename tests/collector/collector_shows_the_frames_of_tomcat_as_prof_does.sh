# SPDX-License-Identifier: Apache-2.0
# Tomcat under load for a minute: what the Collector received shows the frames with
# the same shares, within 2 points, as a page of prof of the same minute.  Both
# pages are kept in $COLLECTOR, to look at.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/collector/lib.sh

(cd "$COLLECTOR" && mkdir -p tomcat &&
	{ [ -n "$(find tomcat -name 'tomcat*embed-core.jar')" ] || {
		apt-get download -qq libtomcat10-embed-java libtomcat10-java &&
		for package in libtomcat10-*.deb; do
			dpkg-deb -x "$package" tomcat || exit
		done
	}; }) >"$scratch/log" 2>&1 ||
	{ echo 'no packages libtomcat10-embed-java, libtomcat10-java'; exit 77; }
core=$(find "$COLLECTOR/tomcat" -name 'tomcat*embed-core.jar' | head -n 1)
core=$core:$(find "$COLLECTOR/tomcat" -type f -name '*annotations-api*.jar' |
	head -n 1)
jdk=$(all_jdks | head -n 1)
mkdir "$scratch/classes"
"$jdk/bin/javac" -nowarn -Xlint:-deprecation -cp "$core" -d "$scratch/classes" \
	tests/bench/TomcatLoad.java || exit 1
said=$scratch/said
env --default-signal=QUIT,INT "$jdk/bin/java" -Xmx128m \
	-Dotel.service.name=tomcat -cp "$scratch/classes:$core" \
	TomcatLoad "$scratch" </dev/null >"$said" 2>&1 &
pid=$!
target_pids="$target_pids $pid"
target_wait "$said" READY || exit 1
receiver_start || exit 1

# Two samplers with enough samples: the standard error of the difference of two
# shares is below 1 point.
prof_start -p "$pid" -F 499 -d 60s --interval 15s --shutdown-timeout 60s \
	--push "http://127.0.0.1:$http" || exit 1
timeout 200 "$sjkc" prof -p "$pid" -F 499 -d 60s \
	-o "$COLLECTOR/tomcat-prof.html" >"$scratch/beside.err" 2>&1
status=$?
case $status in 0 | 7) ;; *) cat "$scratch/beside.err"; exit 1 ;; esac
wait "$prof_job"
status=$?
case $status in 0 | 7) ;; *) cat "$prof_err"; exit 1 ;; esac
received_agrees "$prof_err" 'a minute of Tomcat' || exit 1
grep -q '^resource service.name=tomcat ' "$scratch/agrees" || exit 1

/usr/bin/python3 tests/collector/compare.py --collapsed "$received" \
	>"$scratch/received.collapsed" || exit 1
"$sjkc" flame -q -i "$COLLECTOR/tomcat-prof.html" -o "$scratch/prof.collapsed" ||
	exit 1
"$sjkc" flame -q "$received"/*.otlp -o "$COLLECTOR/tomcat-received.html" ||
	exit 1
grep -q 'org.apache.catalina.core.StandardWrapperValve.invoke' \
	"$scratch/received.collapsed" || { echo 'no frames of Tomcat'; exit 1; }
for which in self total; do
	/usr/bin/python3 tests/collector/shares.py "$which" \
		"$scratch/received.collapsed" "$scratch/prof.collapsed" 2 || exit 1
done
