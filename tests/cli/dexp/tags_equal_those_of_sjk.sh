# Compares with the tags that SJK 0.23 exports of its own recordings.
expected=$SHARED/foreign/std/expected
[ -d "$expected" ] || {
	echo 'the recordings of SJK are not here'
	exit 77
}
for name in busy17 dump_v1 dump_v2 dump_v4; do
	dump=$SHARED/foreign/std/$name.std
	[ -e "$dump" ] || dump=$SHARED/own/std/$name.std
	sjkc dexp -q -f "$dump" --tags |
		cmp - "$expected/$name.std.dexp-tags.txt"
done
