exec 2>&1
i=0
while [ $i -lt 10 ]; do
	echo 'This line is text and belongs to no recording.'
	i=$((i + 1))
done >text
for format in jfr std nps jstack jstack-json; do
	sjkc flame --format $format text
	echo "exit status $?"
done
