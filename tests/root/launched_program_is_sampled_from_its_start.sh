# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# prof -- PROGRAM samples the program and the JVM that it becomes or starts,
# however late, until all have exited.  prof reports how the program exited, and
# its exit status is that of the program.  A missing program is an error with status 1.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

# On a busy machine, the burner has its CPU time later.
burned=-Dtarget.burned=1000

for jdk in $(jdks); do
	classes=$(target_compile "$jdk") || exit 1
	out=$scratch/out.collapsed
	prof 0 -F 499 -t -o "$out" -- "$jdk/bin/java" "$burned" -Dtarget.seconds=2 \
		-cp "$classes" Target burners=1 || exit 1
	# The launcher, before it starts the JVM, and the JVM's threads.
	has "$out" '^.java tid=' &&
		has "$out" "^.burner-0 tid=[0-9]+\];$at_root.*;Target\.burn" || exit 1
	prof 3 -F 199 -o "$out" -- sh -c "'$jdk/bin/java' $burned -Dtarget.seconds=3 \
		-cp '$classes' Target burners=1; exit 3" || exit 1
	has "$out" "^$at_root.*;Target\.burn" &&
		has "$prof_err" 'sh exited with status 3' || exit 1
	# A JVM that starts between two searches of all processes, by exec or as
	# a grandchild.
	for how in '' 'exec '; do
		prof 0 -F 499 -t --no-agent -o "$out" -- sh -c "sleep 2.5; \
			$how'$jdk/bin/java' $burned -Dtarget.seconds=2 \
			-cp '$classes' Target burners=1" || exit 1
		has "$out" "^.burner-0 tid=[0-9]+\];$at_root.*;Target\.burn" || exit 1
	done
done
# The title counts the samples from before the program became a JVM. The shell
# starts no other program: one that ends at once may be lost, with its samples.
# shellcheck disable=SC2016 # for the inner shell
prof 0 -F 199 --samples --output-format speedscope -o "$scratch/became.json" \
	-- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done
		exec "$@"' sh \
	"$jdk/bin/java" "$burned" -Dtarget.seconds=4 -cp "$classes" Target burners=1 &&
	python3 -c '
import json, re, sys
page = json.load(open(sys.argv[1]))
told = re.match(r".*?, (\d+) samples, ", page["name"])
told = int(told[1]) if told else page["name"]
had = sum(sum(p["weights"]) for p in page["profiles"])
sys.exit(None if told == had else f"{told} samples told of {had}")
' "$scratch/became.json" || exit 1
prof 1 -- "$scratch/nonesuch" &&
	has "$prof_err" "cannot start .*nonesuch: No such file" || exit 1
prof 2 -p 1 -- true && has "$prof_err" 'either'
