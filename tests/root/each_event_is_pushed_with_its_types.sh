# SPDX-License-Identifier: Apache-2.0
# prof --push sends each event with the types by which backends recognize it, and with
# the interval of allocations: cpu and offcpu without an agent, wall over a unix socket,
# alloc and lock with an agent, nativemem and pagefault.  The official classes of OpenTelemetry read the same from
# the bytes that the receiver got.  Names of threads, a class and a method that are no
# valid UTF-8 arrive as valid UTF-8.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

target_program=Hostile
target "$(jdks | head -n 1)" || exit 1
classes=build/otlp/usr/lib/python3/dist-packages

# start_engine NAME OPTION…: starts another receiver, in a directory of that name
start_engine() {
	engine=$scratch/$1
	shift
	mkdir "$engine"
	python3 tests/tools/otlp_engine.py "$engine" --raw "$@" \
		>"$scratch/engine.err" 2>&1 &
	target_jobs="$target_jobs $!"
	target_wait "$engine/port" . "$!" || { cat "$scratch/engine.err"; return 1; }
}

# received TYPES…: fails unless the receiver has profiles of exactly these types
received() {
	engine_accepts && has "$prof_err" ': delivered ([1-9][0-9]*) of \1 samples?' ||
		return 1
	printf 'profile %s\n' "$@" | sort >"$scratch/wanted"
	cat "$engine"/*.txt | grep '^profile ' | sort -u >"$scratch/types"
	diff "$scratch/wanted" "$scratch/types" || return 1
	PYTHONPATH=$classes /usr/bin/python3 tests/tools/otlp_check.py \
		--official "$engine"/*.pb >"$scratch/official" 2>&1
	status=$?
	[ $status -ne 77 ] || echo "# SKIP $(cat "$scratch/official")"
	[ $status -eq 77 ] || [ $status -eq 0 ] || { cat "$scratch/official"; return 1; }
}

start_engine running || exit 1
prof 0 -p "$pid" -e cpu,offcpu -F 99 -d 3s --interval 1s --shutdown-timeout 60s \
	--push "http://127.0.0.1:$(cat "$engine/port")" || exit 1
received 'samples/count period cpu/nanoseconds 10101010' \
	'off_cpu/nanoseconds period - 0' || exit 1
! grep '/\.sjkc-' "/proc/$pid/maps" || { echo 'an agent was loaded'; exit 1; }
python3 - "$engine"/*.txt <<-'END' || exit 1
	import sys
	lines = "".join(open(path, encoding="utf-8").read() for path in sys.argv[1:])
	for name in ("Hostile$o\U0001f600o.m\u2400\ufffdxm", " thread.name=\ufffd",
	             "half \ufffd", "pair \U0001f600", "nul\u2400nul", "\u241b[#mred",
	             "<U+#E>gnp.exe"):
	    assert name in lines, name
END

start_engine waiting --unix "$scratch/engine.sock" || exit 1
prof 0 -p "$pid" -e wall -F 19 -d 2s --interval 1s --shutdown-timeout 60s \
	--push "unix:$scratch/engine.sock" || exit 1
received 'wall/nanoseconds period wall/nanoseconds 52631578' || exit 1

start_engine allocating || exit 1
prof 0 -p "$pid" -e alloc,lock --agent -d 2s --interval 1s --shutdown-timeout 60s \
	--push "http://127.0.0.1:$(cat "$engine/port")" || exit 1
received 'alloc_space/bytes period memory/bytes 524288' \
	'delay/nanoseconds period mutex/count 1' || exit 1
grep -q 'Hostile.allocate;byte\[\]' "$engine"/*.txt &&
	grep -q 'Hostile.contend' "$engine"/*.txt ||
	{ head -n 20 "$engine"/1.txt; exit 1; }

start_engine pyroscope || exit 1
prof 0 -p "$pid" -e alloc,wall --agent --alloc-interval 64k -F 19 -d 2s --interval 1s \
	--shutdown-timeout 60s --push "http://127.0.0.1:$(cat "$engine/port")/ingest" || exit 1
engine_accepts && engine_agrees "$prof_err" || exit 1
for line in 'alloc_objects/count alloc_space/bytes period space/bytes 65536' \
	'wall_samples/count wall/nanoseconds period wall/nanoseconds 52631578'; do
	cat "$engine"/*.txt | grep -qx "types $line" ||
		{ echo "no $line:"; cat "$engine"/*.txt | grep ^types | sort -u; exit 1; }
done

target_end "$pid"
target_program=NativeLeak
target "$(jdks | head -n 1)" -XX:MaxDirectMemorySize=512m -- "$scratch/go" || exit 1
start_engine native || exit 1
prof_start "$pid" -e nativemem,pagefault --alloc-interval 64k --interval 1s \
	--shutdown-timeout 60s --push "http://127.0.0.1:$(cat "$engine/port")" || exit 1
target_wait "$prof_err" 'sending profiles' "$prof_job" || exit 1
: >"$scratch/go"
target_wait "$said" DONE || exit 1
kill -INT "$prof_pid"
prof_end 0 || exit 1
received 'inuse_space/bytes period memory/bytes 65536' \
	'pagefault/bytes period pagefault/bytes 1' || exit 1
grep -q 'NativeLeak.leakBuffer' "$engine"/*.txt
