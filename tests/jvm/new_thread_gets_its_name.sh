# SPDX-License-Identifier: Apache-2.0
# The second thread dump is requested ten seconds after the first, or sixty if
# the first was slow.  It contains the name of a new thread.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/samples.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
watchers=
for jdk in $(jdks); do
	target "$jdk" -Dtarget.duty=10 -- later=4 || exit 1
	"$TOOLS/show_samples" "$pid" until=came-later \
		>"$scratch/$(basename "$jdk")" 2>&1 &
	watchers="$watchers $!"
done
for watcher in $watchers; do
	wait "$watcher" || { echo "$watcher failed"; exit 1; }
done
for jdk in $(jdks); do
	got=$scratch/$(basename "$jdk")
	# First the thread has the kernel's name and no kind, then Java's.
	for what in ' id=0 .* unknown ' ' id=[1-9][0-9]* .* java [^ ]* '; do
		grep -q "$what.* name=came-later\$" "$got" ||
			{ echo "$jdk: no $what"; cat "$got"; exit 1; }
	done
	# The second dump updates the allocation; there is no third.
	dumps=$(grep -c '^thread .* alloc=[0-9].* name=main$' "$got")
	[ "$dumps" = 2 ] || { echo "$jdk: $dumps thread dumps"; exit 1; }
	samples_have 'note allocation given: ~ mean of each thread'
	grep -q 'note allocation given: ~ mean of [1-9][0-9]* s, from' "$got" ||
		{ echo "$jdk: no mean between dumps"; cat "$got"; exit 1; }
done
