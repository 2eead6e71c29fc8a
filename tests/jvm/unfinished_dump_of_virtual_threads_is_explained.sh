# SPDX-License-Identifier: Apache-2.0
# Only in check-all: starts 100,000 virtual threads.
# Newest JDK: only JDK 21 and later have virtual threads.
# The cost of a dump of virtual threads is printed before.  If the JVM does not
# finish in time, the message explains that the JVM continues, the directory is
# removed, and a later dump is complete.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

target_memory='-Xmx600m -XX:+UseSerialGC'
target "$(jdks | tail -n 1)" -- virtual=100000 || exit 1
tries=0
until ask 5 threads --virtual --timeout 300ms "$pid" >/dev/null &&
	grep -q 'did not finish its dump in time' "$scratch/err"; do
	# The JVM finished the dump in time, or was too busy to begin one.
	[ $((tries += 1)) -lt 20 ] || { cat "$scratch/err"; exit 1; }
	ask 0 jcmd "$pid" VM.uptime || exit 1
done
said 'for a million virtual threads' && said 'serves other requests' || exit 1
announced=$(sed -n 's|.*its threads to a file in \(/[^ ]*\), which .*|\1|p' \
	"$scratch/err")
[ ! -e "/proc/$pid/root$announced" ] || { ls -la "$announced"; exit 1; }
ask 0 threads --virtual --timeout 290s "$pid" && printed '100,0' && alive "$pid"
