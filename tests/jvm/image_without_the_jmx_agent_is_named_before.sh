# SPDX-License-Identifier: Apache-2.0
# Only in check-all: jlink takes 5 s of CPU time.
# jlink's images lack the module jdk.management.agent unless it is added. doctor
# says that JMX does not work by PID, and mx does not announce an agent that the
# JVM cannot start.
sjkc=$(realpath "$1") scratch=$(realpath "$2")
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

jdk=$(jdks | tail -n 1)
classes=$(target_compile "$jdk")
"$jdk/bin/jlink" --add-modules java.base,java.management,java.logging \
	--strip-debug --output "$scratch/image" >"$scratch/jlink" 2>&1 ||
	{ cat "$scratch/jlink"; exit 77; }
# The image has no compiler.
compiler=$jdk
target "$scratch/image" || exit 1
ask 0 doctor "$pid" || [ "$status" -eq 8 ] || exit 1
printed 'run-time image lacks the module jdk.management.agent' &&
	printed "jlink's option --add-modules" &&
	grep -q '^does not work: .*mx -p (local JMX)' "$scratch/out" ||
	{ cat "$scratch/out"; exit 1; }
ask 8 mx -p "$pid" -b java.lang:type=Runtime --get &&
	said 'lacks the module jdk.management.agent' || exit 1
! grep 'starting the local JMX connector' "$scratch/err" || exit 1
ask 0 jcmd "$pid" VM.uptime && alive "$pid"
