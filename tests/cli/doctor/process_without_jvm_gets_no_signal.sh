# A signal would end the process.
exec 2>&1
try() {
	$no_jvm sjkc doctor "$@" >said 2>&1
	status=$?
	# Other users may run JVMs on this machine.
	sed "s/$sleeper/SLEEPER/g; s/; no permission to inspect.*//" said
	echo "exit status $status"
}
sleep 60 &
sleeper=$!
# Wait until the shell has executed sleep.
# shellcheck disable=SC2034 # only counts
for i in $(seq 1 300); do
	grep -q '^Name:.sleep' "/proc/$sleeper/status" && break
	sleep 0.1
done
for pid in 0 -1 2147483648 4294967297 99999999999999999999 +0 ''; do
	try -- "$pid"
done
no_jvm=$NO_JVM
try abc-of-no-jvm
no_jvm=
try "$sleeper"
kill -0 $sleeper && echo 'it runs'
kill $sleeper
