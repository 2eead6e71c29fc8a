# Nothing listens on port 1. Omit the duration of steps.
sjkc mxping -s 127.0.0.1:1 2>&1 | sed 's/ *[0-9.]* ms/ MS/'
sjkc mxping -s 127.0.0.1:1 --json 2>/dev/null | sed 's/"ms":[0-9.e-]*/"ms":MS/g'
sjkc mxping -s 127.0.0.1:1 >/dev/null 2>&1
echo "exit status $?"
