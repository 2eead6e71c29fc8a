echo 'main;work 3' >a.folded
sjkc flame -q a.folded
sjkc flame -q a.folded missing.folded
