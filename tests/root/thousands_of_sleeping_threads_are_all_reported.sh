# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for samples.
# prof reports each of four thousand sleeping threads with its place and for the
# time that it slept, and samples the other threads as usual.  A thread that
# starts later is not reported as asleep all the time.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

jdk=$(jdks | head -n 1)
target "$jdk" -Xss256k -- burners=1 threads=4000 || exit 1
prof 0 --no-agent -e wall -d 2s -t -o "$scratch/wall.collapsed" "$pid" || exit 1
grep '^.idle-' "$scratch/wall.collapsed" >"$scratch/idle"
awk '
	{ asleep[$1] += $NF }
	!/;Target\.sleep;java\.lang\.Thread\.sleep.*futex/ { elsewhere++ }
	END {
		for (name in asleep) {
			threads++
			least = asleep[name] < 1800000000
			most = asleep[name] > 6000000000
			wrong += least || most
		}
		if (threads == 4000 && !wrong && elsewhere < 40)
			exit
		printf "%d threads, %d not for 2 s, %d elsewhere\n", threads,
			wrong, elsewhere
		exit 1
	}' "$scratch/idle" || { head -n 3 "$scratch/idle"; exit 1; }
has "$scratch/wall.collapsed" '^.burner-0 .*;Target\.burn'
