# SPDX-License-Identifier: Apache-2.0
# The wall clock is set an hour ahead, an hour back, and right again while prof --push
# runs.  Each sample arrives once, with the time of the clock; no profile lasts longer
# for it, and no file is removed for its age.  A time in Retry-After is that of the
# engine's clock.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

# set_clock SECONDS: how much the clock is ahead
set_clock() {
	echo "$1" >"$scratch/jump.new" && mv "$scratch/jump.new" "$scratch/jump"
}

# await_time SECONDS: waits for a request whose profiles are so much ahead
await_time() {
	for _ in $(seq 600); do
		last=$(tail -n 1 "$engine/times" 2>/dev/null)
		ahead=$((${last:-0} / 1000000000 - $(date +%s) - $1))
		[ $ahead -lt -900 ] || [ $ahead -gt 900 ] || return 0
		sleep 0.1
	done
	echo "no profile is $1 s ahead, but $((ahead + $1)) s"
	cat "$prof_err"
	return 1
}

target "$(jdks | head -n 1)" -- burners=1 || exit 1
engine_start || exit 1
set_clock 0
mkdir "$scratch/dir"
LD_PRELOAD=$(realpath "$TOOLS/../../tools/clock_jump.so") || exit 1
CLOCK_JUMP=$scratch/jump
export LD_PRELOAD CLOCK_JUMP
prof_start --pid "$pid" -F 49 --push "http://127.0.0.1:$engine_port" --interval 1s \
	--shutdown-timeout 60s -o "$scratch/dir" --keep-time 10m || exit 1
unset LD_PRELOAD
for jump in 0 3600 -3600; do
	set_clock $jump
	await_time $jump || exit 1
done
echo '503 date' >"$engine/answer"
target_wait "$engine/log" ' 503$' || exit 1
set_clock 0
await_time 0 || exit 1
kill -TERM "$prof_pid"
prof_end 0 || exit 1
engine_accepts && engine_agrees "$prof_err" || exit 1
set -- "$scratch"/dir/sjkc-*.otlp.gz
[ $# -ge 4 ] && grep -q ": wrote \([0-9]*\) of \1 samples in $# files" "$prof_err" ||
	{ echo "$# files"; cat "$prof_err"; exit 1; }
PYTHONPATH=tests/tools python3 - "$@" <<-'END'
	import gzip, sys, otlp_check
	for path in sys.argv[1:]:
	    with gzip.open(path) as file:
	        request = otlp_check.decode(file.read(), "Request")
	    for resource in request["resource_profiles"]:
	        for scope in resource["scope_profiles"]:
	            for profile in scope["profiles"]:
	                # An interval may last long on a busy machine.
	                assert profile["duration"] < 900e9, (path, profile["duration"])

	END
