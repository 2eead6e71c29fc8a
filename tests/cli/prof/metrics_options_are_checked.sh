exec 2>&1
try() {
	echo "-- $*" | sed "s/ $$\$/ PID/"
	sjkc prof "$@"
}
try --metrics 9464 $$
try --allow 10.0.0.0/8 $$
try --push http://h --allow 10.0.0.0/8 $$
try --push http://h --allow-host h $$
try --push http://h --metrics localhost $$
try --push http://h --metrics 0.0.0.0:0 $$
try --push http://h --metrics '[::]:0' $$
try --push http://h --metrics 0.0.0.0:0 --allow 10.0.0.1/8 $$
