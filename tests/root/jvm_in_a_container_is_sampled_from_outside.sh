# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# The JVM has another user and its own mount, PID and user namespaces with a
# private /tmp.  Stacks are complete with the agent, which leaves no file there,
# and without the agent if /tmp is read-only.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

check() {
	at_least 99 "$(weight_of "$scratch/out.collapsed" \
		"\];$at_root.*;java\.lang\.Thread\.run;.*;Target\.burn[; ]" \
		'^.burner-0 ')" 'to the root' || return
	[ -z "$(find "/proc/$pid/root/tmp" -name '*sjkc*' 2>/dev/null)" ] ||
		{ find "/proc/$pid/root/tmp"; return 1; }
}

for jdk in $(jdks); do
	target_contained "$jdk" -- burners=1 || exit 1
	prof 0 -d 2s -t -o "$scratch/out.collapsed" "$pid" && check || exit 1
	! grep -q 'cannot load the sjkc agent' "$prof_err" || { cat "$prof_err"; exit 1; }
	prof 0 -e alloc,cpu -d 1s -o "$scratch/both.html" "$pid" || exit 1
	target_end "$pid"
	tmp_options=ro
	target_contained "$jdk" -- burners=1 || exit 1
	tmp_options=rw
	prof 0 -d 2s -t -o "$scratch/out.collapsed" "$pid" && check || exit 1
	has "$prof_err" 'cannot load the sjkc agent, names come from' || exit 1
	target_end "$pid"
done
