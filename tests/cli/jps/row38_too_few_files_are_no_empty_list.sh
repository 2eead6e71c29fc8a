# With all of them taken no process can be looked into: that is not none.
prlimit --nofile=4 sjkc jps >out 2>&1
echo "status $?"
sed 's/[0-9][0-9]*/PID/g' out
