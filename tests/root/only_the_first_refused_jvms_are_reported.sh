# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# prof --all with ten JVMs that reject the agent and one that accepts it: prof
# reports eight of the ten by name, and the number of the others.
sjkc=$1
scratch=$2
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

jdk=$(jdks | head -n 1)
[ -n "$jdk" ] || { echo 'no JDK'; exit 77; }
target "$jdk" -- allocators=1 || exit 1
target_memory='-Xmx16m -XX:+UseSerialGC'
for _ in $(seq 10); do
	target "$jdk" -XX:+DisableAttachMechanism -- || exit 1
done
prof 0 --all -e alloc -d 1s -o "$scratch/all.txt" || exit 1
[ "$(grep -c 'not sampled: .*DisableAttachMechanism' "$prof_err")" -eq 8 ] &&
	[ "$(grep -c 'not sampled: ' "$prof_err")" -eq 9 ] &&
	has "$prof_err" 'not sampled: 2 more$' && exit
cat "$prof_err"
exit 1
