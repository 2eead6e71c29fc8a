: >empty.jfr
sjkc flame empty.jfr
echo "exit status $?"
sjkc flame - </dev/null
echo "exit status $?"
for format in $(sjkc --list-options | awk -F '\t' '
	$1 == "flame" && $3 == "--format" { gsub("[|]", " ", $4); print $4 }'); do
	sjkc flame --format "$format" empty.jfr 2>/dev/null
	status=$?
	[ $status -eq 6 ] || echo "$format: exit status $status"
done
ls
