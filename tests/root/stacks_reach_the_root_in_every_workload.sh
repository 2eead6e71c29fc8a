# SPDX-License-Identifier: Apache-2.0
# In a JVM without flags, 99.5 % of the samples reach the root of their stack,
# with each collector (without EVERY_JDK, G1), in threads that work as frameworks do
# and in virtual threads.
# Only in check-all: it compares samples statistically, for each workload;
# prof_unwinds_complete_stacks_of_a_jvm_without_flags has one.
scratch=$2
. tests/jvm/lib/target.sh

target_program=Workload
for jdk in $(jdks); do
	: >"$scratch/walks"
	collectors=0
	for collector in G1 ${EVERY_JDK:+Z Serial}; do
		target_memory="-Xmx256m -XX:+Use${collector}GC"
		collectors=$((collectors + 1))
		target "$jdk" -XX:TieredStopAtLevel=4 -- 40 || exit 1
		# With 600 samples or more, 0.5 % are three: one that is lost by chance
		# does not fail the test.
		for _ in $(seq 60); do
			timeout 60 "$TOOLS/walk_samples" "$pid" 2000 499 \
				worker-,ForkJoin show >"$scratch/walk" ||
				{ cat "$scratch/walk"; exit 1; }
			sed "s|^|$(basename "$jdk") $collector |" "$scratch/walk" |
				tee -a "$scratch/walks"
			awk -v least=$((600 * collectors)) '$3 == "samples" { n += $4 }
				END { exit !(n >= least) }' "$scratch/walks" && break
		done
		target_end "$pid"
	done
	awk -v least=$((600 * collectors)) '$3 == "samples" { samples += $4; root += $6 }
		END { print "samples", samples, "at the root", root
			exit !(samples >= least && root >= 0.995 * samples) }' \
		"$scratch/walks" || exit 1
done
