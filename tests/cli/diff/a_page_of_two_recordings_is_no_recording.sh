echo 'a;b 100' >1.txt
sjkc diff -q -o page.html 1.txt 1.txt
sjkc flame --output-format collapsed -o - page.html
