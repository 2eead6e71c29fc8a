# SPDX-License-Identifier: Apache-2.0
# Ten seconds after the first thread dump there may be another; sixty, when the
# first took long, as on a busy machine.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/samples.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
watchers=
for jdk in $(jdks); do
	target "$jdk" -- later=4 || exit 1
	"$TOOLS/show_samples" "$pid" until=came-later \
		>"$scratch/$(basename "$jdk")" 2>&1 &
	watchers="$watchers $!"
done
for watcher in $watchers; do
	wait "$watcher" || { echo "$watcher failed"; exit 1; }
done
for jdk in $(jdks); do
	got=$scratch/$(basename "$jdk")
	# First by the kernel's name, of no kind; then as what it is.
	for what in ' id=0 .* unknown ' ' id=[1-9][0-9]* .* java [A-Z]* '; do
		grep -q "$what.* name=came-later\$" "$got" ||
			{ echo "$jdk: no $what"; cat "$got"; exit 1; }
	done
	# Of the second dump allocation is known once more, and no oftener.
	dumps=$(grep -c '^thread .* alloc=[0-9].* name=main$' "$got")
	[ "$dumps" = 2 ] || { echo "$jdk: $dumps thread dumps"; exit 1; }
	has 'note allocation given: ~ mean of each thread'
	grep -q 'note allocation given: ~ mean of [1-9][0-9]* s, from' "$got" ||
		{ echo "$jdk: no mean between dumps"; cat "$got"; exit 1; }
done
