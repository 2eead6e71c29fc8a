# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# The old version of a method has its own constant pool, which its class no
# longer has.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

for jdk in $(jdks); do
	printf 'Premain-Class: Redefined\nCan-Redefine-Classes: true\n' \
		>"$scratch/manifest"
	"$jdk/bin/jar" cfm "$scratch/agent.jar" "$scratch/manifest" \
		-C tests/jvm/lib Redefined.java || exit 1
	# shellcheck disable=SC2034 # target's
	target_program=Redefined
	target "$jdk" -Xint "-javaagent:$scratch/agent.jar" || exit 1
	prof 0 --no-agent -d 1s --thread-name spinner \
		-o "$scratch/out.collapsed" "$pid" || exit 1
	at_least 95 "$(weight_of "$scratch/out.collapsed" \
		';Spinning\.spin(;Spinning\.step)?(;| )')" \
		'where the thread was' || exit 1
	target_end "$pid"
done
