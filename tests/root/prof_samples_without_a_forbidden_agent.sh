# SPDX-License-Identifier: Apache-2.0
# Newest JDK: JDK 21 and later print a warning.
# Begins early: waits for JVMs.
# If the agent may not be loaded, prof reports it and reads names from the JVM's
# memory; events that need the agent fail with the JVM's reason. With
# --no-agent-warning and --no-agent, the JVM prints no warning, which it would
# print on JDK 21 and later.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

for jdk in $(jdks); do
	for flag in -XX:-EnableDynamicAgentLoading -XX:+DisableAttachMechanism; do
		target "$jdk" $flag -Dtarget.duty=25 -- burners=1 || exit 1
		prof 0 -d 1s -o "$scratch/out.collapsed" "$pid" || exit 1
		has "$prof_err" "cannot load the sjkc agent, names come from the JVM's" &&
			has "$prof_err" "${flag#-XX:?}" &&
			has "$scratch/out.collapsed" ';Target\.burn' || exit 1
		prof 5 -e alloc -d 1s "$pid" && has "$prof_err" "${flag#-XX:?}" || exit 1
		! grep -e '--no-agent' "$prof_err" || exit 1
		[ "${flag#*Dynamic}" = "$flag" ] ||
			has "$prof_err" 'omit that option, or use --jfr$' ||
			exit 1
		! grep -q 'Full thread dump' "$said" ||
			{ echo "$flag: it was signalled"; exit 1; }
		target_end "$pid"
	done
	target "$jdk" -Dtarget.duty=25 -- burners=1 || exit 1
	for quiet in --no-agent --no-agent-if-warned; do
		prof 0 $quiet -d 1s -o "$scratch/out.collapsed" "$pid" &&
			has "$scratch/out.collapsed" ';Target\.burn' || exit 1
		[ "$(cat "$said")" = READY ] || { cat "$said"; exit 1; }
		[ $quiet != --no-agent ] ||
			! grep "/\.sjkc-" "/proc/$pid/maps" || exit 1
		[ $quiet != --no-agent ] ||
			! grep 'loaded the sjkc agent' "$prof_err" || exit 1
	done
	# Thread names are complete: they come from the JVM's heap.
	prof 0 --no-agent -e wall -d 1s -t -o "$scratch/out.collapsed" "$pid" &&
		has "$scratch/out.collapsed" '^\[Reference Handler tid=' &&
		has "$scratch/out.collapsed" '^\[main tid=' || exit 1
	# prof prints nothing either, and shows no progress on a terminal.
	for quiet in '' -q; do
		timeout 60 script -qec "$sjkc prof $quiet --no-agent -d 2s -o \
			$scratch/out.collapsed $pid" /dev/null </dev/null \
			>"$scratch/typed$quiet" || [ $? -eq 7 ] || exit 1
	done
	has "$scratch/typed" '% sampling' || exit 1
	! grep '% sampling' "$scratch/typed-q" || exit 1
	prof 3 --no-agent -d 1s --tid $$ "$pid" &&
		has "$prof_err" "tid $$: no such thread in Target" || exit 1
	prof 0 -d 1s -o "$scratch/out.collapsed" "$pid" || exit 1
	! grep -q '/\.sjkc-' "/proc/$pid/maps" || has "$prof_err" \
		"loaded the sjkc agent into Target \($pid\) for method names; --no-agent avoids it" ||
		exit 1
	if grep -q WARNING "$said"; then
		has "$prof_err" 'loading the sjkc agent: the JVM will print a warning' ||
			exit 1
	fi
	target_end "$pid"
done
