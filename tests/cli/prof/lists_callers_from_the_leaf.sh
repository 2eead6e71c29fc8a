cat >in.folded <<'EOF'
main;serve;parse;read 5
main;serve;query;read 60
main;serve;query;read;read 10
main;serve;query 3
idle;read 2
EOF
sjkc prof -i in.folded --reverse --show calls
echo '-- callers of query only'
sjkc prof -i in.folded --callers-of '^query$' --show calls
sjkc prof -i in.folded --inverted --show calls --csv
echo '-- no match'
sjkc prof -i in.folded --callers-of absent --show calls
echo '-- a match below the minimum'
sjkc prof -i in.folded --callers-of '^parse$' --min-percent 50 --show calls
sjkc prof -i in.folded --callers-of '(' --show calls 2>&1
# A drawing is reversed as that of flame is.
sjkc prof -q -i in.folded -r -o a.collapsed
sjkc flame -q in.folded -r -o b.collapsed
cmp a.collapsed b.collapsed
