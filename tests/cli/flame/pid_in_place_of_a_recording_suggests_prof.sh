# A running process gets the advice, a number that is no process does not.
sjkc flame $$ 2>&1 | sed "s/$$/PID/g"
sjkc flame 99999999 2>&1
