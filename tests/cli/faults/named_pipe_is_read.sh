mkfifo pipe
(sleep 0.2; echo 'main;work 3'; sleep 0.2; echo 'main;rest 1') >pipe &
sjkc flame -o - --output-format collapsed pipe
