# SPDX-License-Identifier: Apache-2.0
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/samples.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
for jdk in $(jdks); do
	target "$jdk" -XX:+DisableAttachMechanism -- threads=1 || exit 1
	samples "$pid" sample sleep=100 sample
	samples_have 'note names absent: kernel names'
	samples_have 'note allocation absent: '
	grep -q ' jit .* name=C1 CompilerThre$' "$got" ||
		{ echo "$jdk: kinds by the kernel's names:"; cat "$got"; exit 1; }
	[ "$(grep -c ' unknown .* cpu=[0-9]* .* name=idle-0$' "$got")" = 2 ] ||
		{ echo "$jdk: idle-0 twice:"; cat "$got"; exit 1; }
	! grep -q 'Full thread dump' "$said" ||
		{ echo "$jdk: it printed its threads"; exit 1; }
	target_end "$pid"

	# sjkc does not attach while the JVM is stopped, and attaches
	# afterwards.
	target "$jdk" -- threads=1 || exit 1
	target_stop "$pid" || exit 1
	samples "$pid" sample sample
	samples_have ' STOPPED '
	samples_have 'note names absent: '
	samples_fail 5 "$pid" sample stack=idle-0
	samples_have 'is stopped'
	kill -CONT "$pid"
	samples "$pid" names=Thread.print stack=idle-0
	samples_have 'note names given: Thread.print, '
	samples_have '"idle-0" #'

	# The JVM is killed between two samples.
	samples_fail 3 "$pid" until=nobody &
	watcher=$!
	sleep 1
	target_end "$pid"
	wait $watcher || exit 1
	samples_have "process $pid has exited"
done
