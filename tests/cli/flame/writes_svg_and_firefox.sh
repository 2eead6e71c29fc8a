# A static image: no script, names escaped, text only where it fits.
printf 'main;a.B.<init>;"x" & y 6\nmain;work 3\nmain;tiny 1\n' >in.folded
sjkc flame -q --title 'a <b> & "c"' -o - --output-format svg in.folded
# It is XML without scripts and links, for a recording with many frames, too.
sjkc flame -q -e lock -o lock.svg "$DATA/jfr/ap-lock.jfr"
python3 -c 'import sys, xml.etree.ElementTree as e
tags = {t.tag.split("}")[1] for t in e.parse(sys.argv[1]).iter()}
print(sorted(tags))' lock.svg
# Each thread is a track of the Firefox Profiler.
sjkc flame -q -o out.json.gz in.folded
python3 "$DATA/../tools/firefox_stacks.py" out.json.gz
# All events of a recording: the sums are those of collapsed output.
for event in lock park; do
	sjkc flame -q -e $event --samples -o $event.json.gz "$DATA/jfr/ap-lock.jfr"
	python3 "$DATA/../tools/firefox_stacks.py" $event.json.gz |
		sed 's/^[^;]*: //' | awk '{ n += $NF } END { print n }'
	sjkc flame -q -e $event -o - --output-format collapsed \
		"$DATA/jfr/ap-lock.jfr" | awk '{ n += $NF } END { print n }'
done
sjkc flame -q -o all.json.gz "$DATA/jfr/ap-lock.jfr"
python3 "$DATA/../tools/firefox_stacks.py" all.json.gz | cut -d: -f1 | sort -u
