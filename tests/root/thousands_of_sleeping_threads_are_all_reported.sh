# SPDX-License-Identifier: Apache-2.0
# Only in check-all: 4,000 threads; thread_with_short_waits_is_not_reported_as_asleep has few.
# Begins early: waits for samples.
# prof reports each of four thousand sleeping threads with its place and for the
# time that it slept, and samples the other threads as usual.  A thread that
# starts later is not reported as asleep all the time.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

jdk=$(jdks | head -n 1)
# A loaded machine starts four thousand threads slowly.
AWAIT_LIMIT=120
export AWAIT_LIMIT
target "$jdk" -Xss256k -Dtarget.duty=25 -- burners=1 threads=4000 || exit 1
# On a busy machine, prof counts threads for which it had no time.  Then it
# gets more time.
for seconds in 2 6 20 60; do
	rm -f "$prof_err"
	prof 0 --no-agent -e wall -d ${seconds}s -t \
		-o "$scratch/wall.collapsed" "$pid" || exit 1
	grep -q 'threads not checked: ' "$prof_err" || break
done
grep '^.idle-' "$scratch/wall.collapsed" >"$scratch/idle"
awk -v least="${seconds}e9" '
	{ asleep[$1] += $NF }
	!/;Target\.sleep;java\.lang\.Thread\.sleep.*futex/ { elsewhere++ }
	END {
		for (name in asleep) {
			threads++
			wrong += asleep[name] < 0.9 * least ||
				asleep[name] > 3 * least
		}
		if (threads == 4000 && !wrong && elsewhere < 40)
			exit
		printf "%d threads, %d not for %s s, %d elsewhere\n", threads,
			wrong, least / 1e9, elsewhere
		exit 1
	}' "$scratch/idle" || { head -n 3 "$scratch/idle"; exit 1; }
has "$scratch/wall.collapsed" '^.burner-0 .*;Target\.burn'
