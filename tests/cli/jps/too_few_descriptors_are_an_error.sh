# Without a free descriptor, sjkc cannot inspect processes: an empty list would
# be wrong.
prlimit --nofile=4 sjkc jps >out 2>&1
echo "status $?"
sed 's/[0-9][0-9]*/PID/g' out
