echo 'main;work 3' >-in.folded
sjkc flame -o - --output-format collapsed -- -in.folded
