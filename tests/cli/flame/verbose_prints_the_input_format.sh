printf 'main;work 3\nmain;rest 1\n' >in.folded
sjkc flame -v in.folded
