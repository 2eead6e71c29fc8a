# SPDX-License-Identifier: Apache-2.0
# Each JDK: it needs two JDKs.
# Only in check-all: tests/unit reads recordings of two JDKs in one file, too.
# The file is made by `cat 17.jfr 25.jfr`.  The JDK's own tool rejects it,
# because the type ids of both recordings start at 1 and denote different types.
. tests/jvm/lib/jfr.sh
[ "$(jdks | wc -l)" -ge 2 ] || { echo 'fewer than two JDKs'; exit 77; }
for jdk in $(jdks); do
	record "$jdk" "$2/one.jfr" 2 || exit 1
	counts "$1" "$2/one.jfr" >>"$2/each"
	cat "$2/one.jfr" >>"$2/all.jfr"
	rm "$2/one.jfr"
done
awk '{ sum[$1] += $2 } END { for (e in sum) print e, sum[e] }' "$2/each" |
	sort >"$2/wanted"
counts "$1" "$2/all.jfr" >"$2/got"
[ -s "$2/wanted" ] || { echo 'nothing was recorded'; exit 1; }
diff "$2/wanted" "$2/got" || exit 1
gzip "$2/all.jfr"
counts "$1" "$2/all.jfr.gz" | diff "$2/wanted" - || { echo 'of gzip'; exit 1; }
