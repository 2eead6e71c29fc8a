# For each event of a recording, the weights of each export that sjkc reads.
input=$DATA/jfr/ap-lock.jfr
for file in x.pb.gz x.json x.json.gz x.html; do
	sjkc flame -q -o "$file" "$input"
	for event in lock park; do
		sjkc flame -q -e $event --total -o - --output-format collapsed \
			"$input" >wanted
		sjkc flame -q -e $event --total -o - --output-format collapsed \
			"$file" >got
		[ -s got ] || echo "$file: no $event"
		cmp got wanted || diff wanted got | head -n 4
	done
done
# What was read is written again as it was.
for file in x.pb.gz x.json; do
	sjkc flame -q --title x -o "1$file" "$file"
	sjkc flame -q --title x -o "2$file" "1$file"
	cmp "1$file" "2$file"
done
