# The bytes before the cut are read; standard input, too.
seq 1 20000 | sed 's/^/main;work;part/; s/$/ 1/' >whole
python3 -c 'import zipfile
zipfile.ZipFile("whole.zip", "w", zipfile.ZIP_DEFLATED).write("whole")'
for pack in 'gzip -c' 'zstd -1qc' 'lz4 -qBD -B4 -c' 'xz -0c --block-size=50000' \
	'cat whole.zip #'; do
	eval "$pack whole" >packed
	echo "-- ${pack%% *}"
	head -c $(($(wc -c <packed) * 2 / 3)) packed >cut
	sjkc flame -q -o out.folded cut 2>&1 | sed 's/lines skipped: 1.*/lines skipped/'
	sjkc flame -q -o - --output-format collapsed - <cut 2>/dev/null >stdin.folded
	echo "exit status $?"
	cmp out.folded stdin.folded
	[ "$(wc -l <out.folded)" -gt 5000 ] && [ "$(wc -l <out.folded)" -lt 20000 ] &&
		echo 'a part of it is written'
	{ cat packed; echo 'something else'; } >more
	sjkc flame -q -o out.folded more 2>&1
	echo "exit status $?"
	wc -l <out.folded
done
