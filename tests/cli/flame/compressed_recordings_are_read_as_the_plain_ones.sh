# Each format in each compression, from a file and from standard input.
zip_of() { # as the only file, in a directory
	python3 - "$1" <<-'END'
		import sys, zipfile
		with zipfile.ZipFile("packed.zip", "w", zipfile.ZIP_DEFLATED) as z:
		    z.writestr("d/", "")
		    z.write(sys.argv[1], "d/recording")
	END
	cat packed.zip
}
for recording in jfr/ap-lock.jfr std/*.std nps/cpu*.nps dumps/jdk17.txt \
	perf/*.txt pprof/*.pb.gz otlp/*.pb firefox/*.json; do
	for file in "$DATA"/$recording; do
		[ -e "$file" ] || continue
		tried=$((tried + 1))
		sjkc flame --list-events "$file" >plain 2>/dev/null
		status=$?
		for pack in 'gzip -c' 'zstd -qc' 'lz4 -qc' 'xz -0c' zip_of; do
			$pack "$file" >packed
			sjkc flame --list-events packed 2>/dev/null >got
			[ $? = $status ] && cmp -s plain got ||
				echo "${file##*/} by $pack"
			sjkc flame --list-events - <packed 2>/dev/null >got
			[ $? = $status ] && cmp -s plain got ||
				echo "standard input: ${file##*/} by $pack"
		done
		break
	done
done
[ "$tried" -ge 6 ] && echo "enough recordings"
