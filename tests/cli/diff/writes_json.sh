printf 'a;b;c 100\na;d 50\n' >1.txt
printf 'a;b;c 200\na;e 30\n' >2.txt
sjkc diff --json -o - 1.txt 2.txt
sjkc diff --json -o out.json -q 1.txt 2.txt && head -c 24 out.json
sjkc diff -o by_extension.json -q 1.txt 2.txt && cmp out.json by_extension.json
sjkc diff -o out.csv -q 1.txt 2.txt && head -n 1 out.csv
sjkc diff -o out.txt -q 1.txt 2.txt && head -n 1 out.txt
