echo 'main;work 3' | gzip >in.folded.gz
sjkc flame -o - --output-format collapsed in.folded.gz
gzip -c </dev/null >empty.gz
sjkc flame -o - empty.gz 2>&1
echo "exit status $?"
