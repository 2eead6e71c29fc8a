# SPDX-License-Identifier: Apache-2.0
# mem prints a document again, compares two, and rejects other files.
run() {
	echo "-- $*"
	"$@" 2>&1
	status=$?
	[ $status -eq 0 ] || echo "status $status"
}
# part NAME BYTES
part() {
	printf '{"name":"%s","resident_bytes":%s,"committed_bytes":%s},' "$1" "$2" "$2"
}
# document SECONDS BLOCKS: an account in which Inflaters grow
document() {
	printf '{"schema":"sjkc.mem/1","pid":4711,"time_ns":%s000000000,' "$1"
	printf '"allocator":"glibc","rss_bytes":%s,"parts_bytes":%s,"parts":[' \
		$((600000000 + $2 * 39952)) $((600000000 + $2 * 39952))
	part heap 400000000
	part metaspace 50000000
	part malloc $((100000000 + $2 * 39952))
	printf '{"name":"unknown","resident_bytes":50000000}],'
	printf '"heap":{"collector":"G1","max_bytes":800000000},'
	printf '"arenas":[{"main":true,"resident_bytes":%s,"in_use_bytes":%s,' \
		$((100000000 + $2 * 39952)) $((40000000 + $2 * 39952))
	printf '"in_use_resident_bytes":%s,"free_resident_bytes":60000000,' \
		$((40000000 + $2 * 39952))
	printf '"trimmable_bytes":59000000,"blocks":%s}],' $((1000 + $2 * 2))
	printf '"sizes":[{"size_bytes":32784,"blocks":%s},' "$2"
	printf '{"size_bytes":7168,"blocks":%s}]}\n' "$2"
}
document 1790000000 20 >before.json
document 1790000060 620 >after.json
run sjkc mem before.json
run sjkc mem before.json after.json
run sjkc mem --diff before.json after.json
sed 's/"pid":4711/"pid":4712/' after.json >other.json
run sjkc mem --diff before.json other.json
run sjkc mem --diff before.json after.json --json
run sjkc mem --diff before.json after.json -o growth.html
run sjkc mem --diff before.json
run sjkc mem before.json --watch 5s
run sjkc mem before.json --json -o again.json
run sjkc mem --diff before.json again.json
head -c 300 before.json >cut.json
run sjkc mem cut.json
run sjkc mem --watch 10ms 1
run sjkc mem --trim --watch 1s 1
