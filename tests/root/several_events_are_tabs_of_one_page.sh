# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for samples.
# One run of prof samples all events.  Allocations are weighed by bytes and
# waits for monitors by time; their leaf is the Java method.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

for jdk in $(jdks); do
	target "$jdk" -- allocators=1 || exit 1
	prof 0 -e cpu,offcpu,wall,alloc --alloc-interval 64k -d 4s "$pid" ||
		exit 1
	for event in cpu offcpu wall alloc; do
		has "$prof_out" "^$event of Target \\($pid\\): [0-9,]+ samples?" ||
			exit 1
	done
	has "$prof_out" '^alloc of .* samples taken every 64 KB on average, ' &&
		has "$prof_out" '^note: an estimate: each sample represents' || exit 1
	prof 0 -e alloc -d 2s -o "$scratch/alloc.collapsed" "$pid" || exit 1
	at_least 99 "$(weight_of "$scratch/alloc.collapsed" \
		';Target\.allocate;[^;]+ [0-9]+$')" 'allocated there' || exit 1
	prof 0 -e cpu,wall,alloc -d 1s -o "$scratch/all.json" "$pid" || exit 1
	for event in cpu wall alloc; do
		has "$scratch/all.json" \
			"\"type\":\"sampled\",\"name\":\"$event\"" || exit 1
	done
	prof 2 -e cpu,nonesuch "$pid" &&
		has "$prof_err" "invalid event 'nonesuch'" || exit 1
	target_end "$pid"
done
