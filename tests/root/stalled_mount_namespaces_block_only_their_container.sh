# SPDX-License-Identifier: Apache-2.0
# A container has 40 processes that look like JVMs, each in a mount namespace of its
# own, on a file system that stops replying. A JVM that starts afterwards is sampled
# with its names, and few children of sjkc wait for the file system.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

[ -c /dev/fuse ] || { echo 'no FUSE'; exit 77; }
# --all finds only the JVMs of this test, and no other process sees its mounts.
if [ -z "${ALONE-}" ]; then
	export ALONE=1
	exec unshare --pid --fork --kill-child --mount --propagation private \
		--mount-proc sh "$0" "$@"
fi
# JVMs of other namespaces with the same PIDs have files in /tmp.
echo $(($(od -An -N2 -tu2 /dev/urandom) % 30000 + 1000)) \
	>/proc/sys/kernel/ns_last_pid
jdk=$(readlink -f "$(jdks | head -n 1)")
mkdir -p "$scratch/source/tmp" "$scratch/served"
cp -L "$jdk/lib/server/libjvm.so" "$jdk/release" "$scratch/source"
python3 tests/root/lib/stalling_files.py "$scratch/source" "$scratch/served" \
	"$scratch/stall" >"$scratch/serving" 2>&1 &
target_jobs="$target_jobs $!"
target_wait "$scratch/serving" READY || { cat "$scratch/serving"; exit 1; }
python3 - "$scratch/served" "$scratch/ready" <<-'END' &
	import ctypes, mmap, os, signal, sys
	libc = ctypes.CDLL(None, use_errno=True)
	served, ready = sys.argv[1:]
	assert libc.unshare(0x20000000) == 0  # CLONE_NEWPID
	if os.fork():
	    signal.pause()
	libc.prctl(1, signal.SIGKILL)  # its end ends all others
	for number in range(40):
	    there, here = os.pipe()
	    if os.fork() == 0:
	        assert libc.unshare(0x20000) == 0  # CLONE_NEWNS
	        library = os.open(served + "/libjvm.so", os.O_RDONLY)
	        mapped = mmap.mmap(library, 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
	        assert libc.mount((served + "/tmp").encode(), b"/tmp", None, 4096, None) == 0
	        os.write(here, b".")
	        signal.pause()
	    os.read(there, 1)
	print("READY", file=open(ready, "w"), flush=True)
	signal.pause()
END
target_jobs="$target_jobs $!"
target_wait "$scratch/ready" READY || exit 1
# The memory of the processes can be read.
cat "$scratch/served/libjvm.so" >/dev/null
touch "$scratch/stall"
target "$jdk" -Dtarget.duty=25 -- burners=1 || exit 1
prof_start --all --min-age 0s -d 5s -o "$scratch/all.collapsed" || exit 1
# The children that cannot end are those of prof.
most=0
while kill -0 "$prof_pid" 2>/dev/null; do
	now=$(grep -sl '^State:.*D' $(sed 's|[0-9]*|/proc/&/status|g' \
		"/proc/$prof_pid/task/$prof_pid/children" 2>/dev/null) | wc -l)
	[ "$now" -le "$most" ] || most=$now
	sleep 0.2
done
wait "$prof_job" || [ $? -eq 7 ] || { cat "$prof_err"; exit 1; }
echo "# $most children"
has "$scratch/all.collapsed" '^\[?[^;]*Target[^;]*\]?;.*Target\.burn' &&
	[ "$most" -le 8 ] || { cat "$prof_err"; exit 1; }
