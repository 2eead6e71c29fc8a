echo 'main;work 3' >a.folded
echo 'main;work 4' >b.folded
echo 'main;rest 1' >c.folded
echo '-- with -i, with -f as SJK has it, without, and on standard input'
sjkc flame -i a.folded b.folded -i c.folded -o - --output-format collapsed
sjkc flame -f a.folded b.folded c.folded -o - --output-format collapsed
sjkc flame a.folded -o - b.folded --output-format collapsed c.folded
sjkc flame a.folded - -o - --output-format collapsed <b.folded
