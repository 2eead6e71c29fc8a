mkfifo pipe
timeout 60 sjkc flame -o out.html pipe
echo "exit status $?"
