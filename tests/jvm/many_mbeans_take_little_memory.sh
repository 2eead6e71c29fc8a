# SPDX-License-Identifier: Apache-2.0
# Only in check-all: 100,000 MBeans; mxdump_prints_valid_json_for_hostile_mbeans has fewer.
# mxdump writes MBeans as it reads them.  mx lists only the first MBeans that
# match a pattern.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
# shellcheck disable=SC2034 # for target
count=${EVERY_JDK:+100000}
count=${count:-20000}
target_program=Beans target_memory='-Xmx400m -XX:+UseSerialGC'

jmx_target "$(jdks | head -n 1)" -- many=$count &&
	ask 2 mx -s "127.0.0.1:$port" --timeout 250s -b 'sjkc.many:*' -mg &&
	said "matches $count MBeans" && said "and $((count - 20)) more" || exit
prlimit --as=300000000 timeout 300 "$sjkc" mxdump -s "127.0.0.1:$port" \
	-q 'sjkc.many:*' --timeout 60s >"$scratch/out" || { echo "exit status $?"; exit 1; }
python3 - "$scratch/out" "$count" <<-'END'
	import json, sys
	d = json.load(open(sys.argv[1]))
	assert set(d) == {"beans"}, list(d)
	ids = {b["Id"] for b in d["beans"]}
	assert ids == set(range(1, int(sys.argv[2]) + 1)), len(ids)
	assert all(b["Numbers"] == [b["Id"], -b["Id"]] for b in d["beans"])
END
