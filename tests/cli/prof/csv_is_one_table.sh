printf '%s\n' 'main;=cmd|calc;"say", he 3' 'main;b 1' >in.folded
sjkc prof --csv --format collapsed -i in.folded
sjkc prof --csv --show threads --format collapsed -i in.folded
sjkc prof --csv --show calls --format collapsed -i in.folded
echo '-- the same by the extension'
sjkc prof -q -o out.csv -n 1 --format collapsed -i in.folded
cat out.csv
