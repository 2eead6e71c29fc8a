printf 'main;work 3\nmain;rest 1\n' >in.folded
sjkc flame --list-events in.folded
sjkc flame --list-events --json in.folded
