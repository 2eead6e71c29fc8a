# One line for each thread, quoted by RFC 4180: Python's reader gets the names
# and frames that the JSON has.
export TZ=UTC
for name in jstack-waits-jdk8.txt jcmd-threadprint-le-jdk17.txt \
	dump_to_file-jdk25.json handmade-javacore-openj9.txt; do
	sjkc threads -q --csv "$DATA/dumps/$name" >out.csv &&
		sjkc threads -q --json "$DATA/dumps/$name" >out.json &&
		python3 - <<-'END' || echo "differs: $name"
	import csv, json
	r = json.load(open("out.json"))
	rows = list(csv.DictReader(open("out.csv", newline=""), strict=True))
	assert len(rows) == len(r["threads"]), len(rows)
	none = lambda x: "" if x is None else str(x)
	for row, t in zip(rows, r["threads"]):
	    assert None not in row and None not in row.values(), row
	    for key in ("id", "tid", "state", "activity", "cpu_ns",
	                "elapsed_ns", "dumps_without_a_move"):
	        assert row[key] == none(t[key]), (key, row, t)
	    assert row["daemon"] == str(t["daemon"]).lower(), row
	    wait, b = t["waits_for"], t["blocked"]
	    assert row["waits_for"] == none(wait and wait["lock"]), (row, t)
	    assert row["owner_id"] == none(b and b["owner_id"]), (row, t)
	    assert row["deadlock"] == none(b and b["deadlock"]), (row, t)
	    frames = [] if t["stack"] is None else r["stacks"][t["stack"]]
	    assert len(row["stack"].split("\n") if row["stack"] else []) == \
	        len(frames), row
	    assert not frames or row["frame"] == frames[0], (row, frames[0])
	END
done
sjkc threads --csv "$DATA/dumps/handmade-javacore-openj9.txt"
echo '-- names that a spreadsheet would take for formulas, and quotes'
printf '%s\n' '2026-11-21 08:40:07' 'Full thread dump OpenJDK (17):' '' \
	'"=1+1,"x" #9 prio=5 tid=0x01 nid=0x02 runnable' \
	'   java.lang.Thread.State: RUNNABLE' '	at a.B.c(B.java:1)' '' \
	'JNI global refs: 1, weak refs: 0' '' |
	sjkc threads -q --csv - | cut -d , -f -3
echo '-- the name of the file selects it'
sjkc threads -q -o out.csv "$DATA/dumps/jstack-jdk25.txt" && head -c 4 out.csv
echo
sjkc threads --json -o out.csv "$DATA/dumps/jstack-jdk25.txt" 2>&1
sjkc threads --csv -o out.html "$DATA/dumps/jstack-jdk25.txt" 2>&1
echo "exit status $?"
