# SPDX-License-Identifier: Apache-2.0
# Only in check-all: it waits for a backend; push_test has the queue.
# prof --push keeps what it cannot send while the backend is away, sends it in order
# when the backend is back, and sends the last interval when it gets SIGTERM.  What
# the backend refuses is counted.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

jdk=$(jdks | head -n 1)
target "$jdk" -Dtarget.duty=25 -- burners=2 || exit 1
engine_start || exit 1
# The target's own number of samples must not be lost to the load of the machine.
prof_start --pid "$pid" -F 49 --push "http://127.0.0.1:$engine_port" --interval 1s \
	--shutdown-timeout 60s || exit 1
target_wait "$engine/times" . || exit 1
engine_end
target_wait "$prof_err" 'cannot send to .* trying again' || exit 1
# Pyroscope 2.0 answers so for a while.
printf '1 starting 500\n1 starting 422\n' >"$engine/answer"
engine_start || exit 1
target_wait "$prof_err" 'sending to .* again' || exit 1
kill -TERM "$prof_pid"
prof_end 0 || exit 1
engine_accepts && engine_agrees "$prof_err" || exit 1
has "$prof_err" 'perhaps stored again: [1-9][0-9]* samples' || exit 1
sort -c -n "$engine/times" || exit 1

# A backend that stores a part of a request before it refuses the request.
other=$pid
target "$jdk" -Dtarget.duty=25 -- burners=1 || exit 1
rm -f "$engine"/*.txt "$engine/log"
printf '1 limited 500\n1 ok\n1 limited 422\n' >"$engine/answer"
prof_start --pid "$pid" --pid "$other" -F 49 --push "http://127.0.0.1:$engine_port" \
	--interval 1s --shutdown-timeout 60s || exit 1
target_wait "$engine/log" ' 422$' || exit 1
kill -TERM "$prof_pid"
prof_end 0 || exit 1
stored=$(engine_samples)
sent=$(sed -n 's/.*: delivered \([0-9]*\) of \1 samples.*/\1/p' "$prof_err")
twice=$(sed -n 's/.*perhaps stored again: \([0-9]*\) samples.*/\1/p' "$prof_err")
[ "$stored" -gt "${sent:-$stored}" ] && [ "$((stored - sent))" -le "${twice:-0}" ] || {
	echo "delivered '$sent', perhaps stored again '$twice', the backend has $stored"
	cat "$prof_err" "$engine/log"
	exit 1
}
target_end "$pid"
pid=$other

# The last interval alone; the backend rejects a part of it.
rm -f "$engine"/*.txt
echo partial >"$engine/answer"
prof_start --pid "$pid" --push "http://127.0.0.1:$engine_port" --interval 5m || exit 1
target_wait "$prof_err" 'sending profiles' || exit 1
# A second of CPU time has samples.
cpu_second
kill -TERM "$prof_pid"
prof_end 7 || exit 1
engine_agrees "$prof_err" || exit 1
grep -q 'rejected 1 profile: bad profile' "$prof_err" ||
	{ cat "$prof_err"; exit 1; }

# Requests that the backend refuses are lost, and prof counts them.
prof_start -p "$pid" --push "http://127.0.0.1:$engine_port/v1/profiles"
target_wait "$prof_err" 'sending profiles' || exit 1
cpu_second
kill -TERM "$prof_pid"
prof_end 7 || exit 1
for message in 'refused a request, which is dropped: HTTP status 404: 404 page not found' \
	'lost: [1-9][0-9]* samples? in 1 request: the backend refused'; do
	grep -Eq "$message" "$prof_err" || { cat "$prof_err"; exit 1; }
done
