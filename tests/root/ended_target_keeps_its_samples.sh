# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# A JVM is killed during sampling: prof writes the samples soon, with status 7.
# If the JVM ended before the first sample, prof reports it with status 3.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

for jdk in $(jdks); do
	target "$jdk" -- burners=1 || exit 1
	prof_start -d 60s -v -o "$scratch/cut.collapsed" "$pid" &&
		target_wait "$prof_err" 'sampling Target' || exit 1
	sleep 1
	kill -KILL "$pid"
	before=$(date +%s%N)
	prof_end 7 || exit 1
	took=$((($(date +%s%N) - before) / 1000000))
	[ $took -lt 10000 ] || { echo "it took $took ms"; exit 1; }
	has "$prof_err" "Target \\($pid\\) has exited; its samples until then are kept" &&
		has "$scratch/cut.collapsed" 'Target\.burn' || exit 1
	killed=$pid
	# One of two JVMs has ended: prof keeps all samples of the other.
	target "$jdk" -- burners=1 || exit 1
	first=$pid
	target "$jdk" -- burners=1 || exit 1
	prof_start -d 3s -v -t -o "$scratch/two.collapsed" -p "$first" "$pid" &&
		target_wait "$prof_err" 'sampling 2 JVMs' || exit 1
	kill -KILL "$first"
	prof_end 7 &&
		has "$scratch/two.collapsed" 'Target\.burn' || exit 1
	prof 3 -p "$killed" -d 1s || exit 1
	[ ! -s "$prof_out" ] || { cat "$prof_out"; exit 1; }
	target_end "$pid"
done
