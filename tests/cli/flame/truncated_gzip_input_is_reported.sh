seq 1 20000 | sed 's/^/main;work;part/; s/$/ 1/' | gzip >whole.gz
head -c 20000 whole.gz >cut.gz
sjkc flame -o out.folded cut.gz
status=$?
[ -s out.folded ] && [ "$(wc -l <out.folded)" -lt 20000 ] &&
	echo 'a part of it is written'
exit $status
