# SPDX-License-Identifier: Apache-2.0
# While a key requests a stack trace, the screen shows the last sample and its
# names, although a second, longer thread dump has arrived.  The second dump
# arrives so soon that sjkc does not compare the two and reuses the memory of
# the first.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/samples.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
for jdk in $(jdks); do
	target "$jdk" -- later=3 || exit 1
	samples "$pid" names=Thread.print again sleep=4000 deadlocks again
	awk -v to="$scratch/sample" '/^sample / { n++ }
		/^thread / { print >to n }
		END { print n }' "$got" >"$scratch/count"
	last=$(cat "$scratch/count")
	[ -s "$scratch/sample$last" ] || { echo 'no sample'; exit 1; }
	diff "$scratch/sample$((last - 1))" "$scratch/sample$last" || exit 1
	target_end "$pid"
done
