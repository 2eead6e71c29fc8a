printf 'no recording' | sjkc flame -o x.html -
printf 'a;b 1\n' | sjkc flame --from 5s -o x.html -
