# SPDX-License-Identifier: Apache-2.0
# The recording that tests/bench/make_jfr.c makes is valid for the JDK's jfr
# and, if it is installed, for jfrconv.  `make bench` compares the cost of
# reading it.
. tests/jvm/lib/jfr.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
lib=build/cc/libsjkc.a
[ -e "$lib" ] || { echo 'not built by gcc'; exit 77; }
"${CC:-cc}" -std=c11 -D_GNU_SOURCE -O1 -I. -o "$2/make_jfr" \
	tests/bench/make_jfr.c tests/bench/workload.c "$lib" -lz || exit 1
"$2/make_jfr" "$2/made.jfr" 1 50 2>/dev/null || exit 1
for jdk in $(jdks); do
	same_counts "$1" "$jdk" "$2/made.jfr" || exit 1
	printed=$("$jdk/bin/jfr" print --json --stack-depth 1 "$2/made.jfr" |
		grep -c '"name": "[a-z]') || exit 1
	[ "$printed" -gt 0 ] || { echo "$jdk: methods have no names"; exit 1; }
done
command -v jfrconv >/dev/null || exit 0
jfrconv -o collapsed "$2/made.jfr" "$2/theirs" >/dev/null || exit 1
"$1" flame -q -o "$2/ours.collapsed" "$2/made.jfr" || exit 1
for of in theirs ours.collapsed; do
	# jfrconv prints slashes in class names, and the kind of each frame.
	sed 's/_\[[01ijk]\]//g; s,/,.,g' "$2/$of" | awk '
		{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n }
		END { for (stack in sum) print stack, sum[stack] }' |
		sort >"$2/$of.sorted"
done
diff "$2/theirs.sorted" "$2/ours.collapsed.sorted" >"$2/diff" ||
	{ head -n 5 "$2/diff"; exit 1; }
