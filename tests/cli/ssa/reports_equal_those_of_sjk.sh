# Compares with the reports of SJK 0.23 on its own recordings.
expected=$SHARED/foreign/std/expected
[ -d "$expected" ] || {
	echo 'the recordings of SJK are not here'
	exit 77
}
for name in busy17 dump_v1 dump_v2 dump_v4; do
	dump=$SHARED/foreign/std/$name.std
	[ -e "$dump" ] || dump=$SHARED/own/std/$name.std
	# SJK leaves the order of equal rows to a hash table.
	sjkc ssa -q -f "$dump" --histo 2>/dev/null | sort >own
	sort "$expected/$name.std.histo.txt" | diff own - >diff ||
		echo "$name: the histograms differ"
	sjkc ssa -q -f "$dump" --thread-info 2>/dev/null |
		diff - "$expected/$name.std.threads.txt" >diff ||
		echo "$name: the threads differ"
done
