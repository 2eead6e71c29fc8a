# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for samples.
# --sampler dump takes thread dumps and prints their bias in messages and
# reports.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh

for jdk in $(jdks); do
	target "$jdk" -- burners=1 threads=2 || exit 1
	"$sjkc" prof --sampler dump -F 20 -d 1s "$pid" >"$scratch/out" \
		2>"$scratch/err" || { cat "$scratch/err"; exit 1; }
	{ grep -q 'thread dumps are taken only at safepoints' "$scratch/err" &&
		grep -q '^note: at safepoints only' "$scratch/out" &&
		grep -q ' recorded for [0-9]*\.[0-9]* s from ' "$scratch/out" &&
		grep -q 'Target\.burn' "$scratch/out"; } || {
		cat "$scratch/err" "$scratch/out"
		exit 1
	}
	! grep -q 'Thread\.sleep' "$scratch/out" || { cat "$scratch/out"; exit 1; }
	# The reference handler thread is RUNNABLE although it waits.
	waits=Reference.waitForReferencePendingList
	{ ! grep -q $waits "$scratch/out" &&
		grep -q '^note: samples of idle threads omitted' \
			"$scratch/out"; } || { cat "$scratch/out"; exit 1; }
	{ "$sjkc" prof --sampler dump --idle -q -d 1s "$pid" >"$scratch/out" &&
		grep -q $waits "$scratch/out" &&
		! grep -q '^note: samples of idle' "$scratch/out"; } ||
		{ cat "$scratch/out"; exit 1; }
	# A thread dump in an unknown format.
	FAULT_UPPER=1 LD_PRELOAD=$TOOLS/../../tools/faults.so \
		"$sjkc" prof --sampler dump -d 1s "$pid" \
		>"$scratch/out" 2>"$scratch/err"
	status=$?
	{ [ $status -eq 6 ] && ! grep -q -e '--format' "$scratch/err" &&
		grep -q "$pid: cannot read the JVM's thread dump, which" \
			"$scratch/err"; } ||
		{ echo "$status"; cat "$scratch/err" "$scratch/out"; exit 1; }
	"$sjkc" prof --sampler dump -e wall -d 1s -q -t \
		-o "$scratch/all.collapsed" "$pid" || exit 1
	grep -q '^.idle-0 .*Thread\.sleep' "$scratch/all.collapsed" || {
		cat "$scratch/all.collapsed"
		exit 1
	}
	"$sjkc" prof --sampler dump -e alloc -d 1s "$pid" 2>"$scratch/err"
	[ $? -eq 2 ] || { cat "$scratch/err"; exit 1; }
	target_end "$pid"
done
