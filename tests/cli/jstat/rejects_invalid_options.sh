exec 2>&1
try() {
	echo "-- $*" | sed "s/ $$/ PID/"
	sjkc jstat "$@" >out 2>&1
	status=$?
	sed "s/\b$$\b/PID/g" out
	echo "exit status $status"
}
try $$
try -gc -gcutil $$
try -gcnew $$
try -compiler $$
try -gcutil 2147483647
try -gcutil $$ 1s
try -gcutil -h x $$
try -gcutli $$
