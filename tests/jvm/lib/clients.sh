# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after lab.sh and target.sh, by tests with real JMX clients: the
# classes of JConsole, and VisualVM from its Debian package.
# shellcheck disable=SC2154 # variables of the caller

jconsole_opened='--add-exports jdk.jconsole/sun.tools.jconsole=ALL-UNNAMED'

# jconsole_client JDK WORD…: runs JConsoleClient.java, which defines the words.
# Its output is in $scratch/jconsole.  $client_tls is the same as for
# jmx_client.
jconsole_client() {
	jconsole_jdk=$1
	shift
	# shellcheck disable=SC2086 # words
	jconsole_classes=$(target_compile "$jconsole_jdk" JConsoleClient \
		$jconsole_opened) || return
	# shellcheck disable=SC2046,SC2086 # words
	timeout 900 "$jconsole_jdk/bin/java" -Xmx128m -XX:+UseSerialGC \
		-XX:TieredStopAtLevel=1 -XX:-UsePerfData \
		-Djava.awt.headless=true $jconsole_opened \
		--add-opens jdk.jconsole/sun.tools.jconsole=ALL-UNNAMED \
		$(client_tls_options) -cp "$jconsole_classes" \
		JConsoleClient "$@" >"$scratch/jconsole" 2>&1 && return
	cat "$scratch/jconsole"
	return 1
}

visualvm_home=/usr/share/visualvm/visualvm

# visualvm_start JDK ARGUMENT…: starts VisualVM on its own X display.  It has
# its own /tmp and PID namespace, so it finds no local JVM and shows only the
# connections of its arguments.  $visualvm is its directory, with the files that
# VisualVmAgent.java describes.  It trusts the CA of lab_tls if that was called.
visualvm_start() {
	visualvm_jdk=$1
	shift
	visualvm=$scratch/visualvm
	mkdir -p "$visualvm/user/var"
	# Accept the license that VisualVM shows at its first start.
	: >"$visualvm/user/var/license_accepted"
	visualvm_jars "$visualvm_jdk" || return
	[ -z "${tls-}" ] || cp "$tls/ca.p12" "$visualvm/"
	cat >"$visualvm/start" <<-END
		mount --bind "$visualvm" /tmp || exit 1
		export HOME=/tmp
		# No exec: Xvfb does not notify a parent with PID 1 that it is
		# ready.
		timeout 900 xvfb-run -a visualvm --nosplash --userdir /tmp/user \\
			-J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC \\
			-J-javaagent:/tmp/agent.jar=/tmp -J-Duser.home=/tmp \\
			-J-Djavax.net.ssl.trustStore=/tmp/ca.p12 \\
			-J-Djavax.net.ssl.trustStorePassword=changeit "\$@"
		: >/tmp/ended
	END
	# --kill-child: all of these processes end with unshare.
	env --default-signal=QUIT,INT unshare --mount --pid --fork \
		--kill-child --mount-proc sh "$visualvm/start" "$@" \
		</dev/null >"$visualvm/log" 2>&1 &
	target_pids="$target_pids $!"
}

visualvm_jars() {
	agent=$(target_compile "$1" VisualVmAgent) &&
		client=$(target_compile "$1" VisualVmClient -cp "$(find \
			"$visualvm_home/modules" -maxdepth 1 -name '*.jar' |
			tr '\n' :)") || return
	python3 - "$visualvm/agent.jar" "$agent" "$visualvm/client.jar" \
		"$client" <<-'END'
		import os, sys, zipfile
		for jar, directory in zip(sys.argv[1::2], sys.argv[2::2]):
		    with zipfile.ZipFile(jar, "w") as z:
		        z.writestr("META-INF/MANIFEST.MF",
		                   "Premain-Class: VisualVmAgent\n")
		        for name in os.listdir(directory):
		            z.write(os.path.join(directory, name), name)
	END
}

# visualvm_shows TEXT: waits up to five minutes until a window of VisualVM has the
# text.
visualvm_shows() {
	perl "$target_await" line "$1" "$visualvm/texts" && return
	echo "VisualVM does not show $1, but:"
	cat "$visualvm/texts" "$visualvm/log"
	return 1
}

# visualvm_client WORD…: runs VisualVmClient.java, which defines the words,
# inside VisualVM.  Its output is in $scratch/visualvm.said.  Fails if VisualVM
# makes no progress for 300 s.
visualvm_client() {
	printf '%s\n' "$@" >"$visualvm/words.new"
	mv "$visualvm/words.new" "$visualvm/words"
	visualvm_step='' visualvm_waits=0
	until [ -e "$visualvm/said" ]; do
		sleep 0.5
		visualvm_waits=$((visualvm_waits + 1))
		visualvm_now=$(cat "$visualvm/progress" 2>&1)
		if [ "$visualvm_now" != "$visualvm_step" ]; then
			visualvm_step=$visualvm_now
			visualvm_waits=0
		elif [ $visualvm_waits -gt 600 ] || [ -e "$visualvm/ended" ]; then
			visualvm_is_stuck
			return 1
		fi
	done
	cp "$visualvm/said" "$scratch/visualvm.said"
	! grep -q FAILED "$visualvm/said"
}

# visualvm_is_stuck: prints the state of VisualVM, with the stacks of its threads.
visualvm_is_stuck() {
	: >"$visualvm/stuck"
	sleep 5
	echo "VisualVM makes no progress after: $visualvm_step"
	cat "$visualvm/texts" "$visualvm/log" 2>&1
}
