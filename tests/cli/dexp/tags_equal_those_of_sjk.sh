# Compares with the tags that SJK 0.23 exports of its own recordings. SJK lists
# the values of a tag in the order of a Java HashSet; truncated lists may then
# lack others.
expected=$SHARED/foreign/std/expected
[ -d "$expected" ] || {
	echo 'the recordings of SJK are not here'
	exit 77
}
sorted() {
	python3 -c 'import re, sys
for line in sys.stdin:
    head, has_list, values = line.rstrip("\n").partition("  [")
    if values.endswith("]"):
        values = ", ".join(sorted(values[:-1].split(", ")))
    elif has_list:
        values = "%d bytes" % len(values)
    print(head, has_list, values)'
}
for name in busy17 dump_v1 dump_v2 dump_v4; do
	dump=$SHARED/foreign/std/$name.std
	[ -e "$dump" ] || dump=$SHARED/own/std/$name.std
	sorted <"$expected/$name.std.dexp-tags.txt" >expected
	sjkc dexp -q -f "$dump" --tags | sorted | cmp - expected
done
