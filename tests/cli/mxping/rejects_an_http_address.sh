exec 2>&1
sjkc mxping -s http://127.0.0.1:8080/jolokia
echo "exit status $?"
