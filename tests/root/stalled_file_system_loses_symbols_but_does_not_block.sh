# SPDX-License-Identifier: Apache-2.0
# A library of the JVM is on a file system that another process serves, and prof
# reads it like any other.  Once that process stops replying, prof waits for a
# second and reports the file; only functions in that library have no names.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

[ -c /dev/fuse ] || { echo 'no FUSE'; exit 77; }
# No other process sees the mount over a library of the JDK.
if [ -z "${ALONE-}" ]; then
	export ALONE=1
	exec unshare --mount --propagation private sh "$0" "$@"
fi

# serve JDK: starts a process that serves an unchanged copy of the JDK's libzip
serve() {
	rm -rf "$scratch/source" "$scratch/stall"
	mkdir -p "$scratch/source" "$scratch/served" &&
		cp "$1/lib/libzip.so" "$scratch/source" || return
	python3 tests/root/lib/stalling_files.py "$scratch/source" \
		"$scratch/served" "$scratch/stall" >"$scratch/serving" 2>&1 &
	server=$!
	target_jobs="$target_jobs $server"
	target_wait "$scratch/serving" READY &&
		mount --bind "$scratch/served/libzip.so" "$1/lib/libzip.so"
}

unserve() {
	umount -l "$1/lib/libzip.so" "$scratch/served"
	kill "$server"
	wait "$server"
	return 0
}

# A blocked reader cannot end before it gets its reply, so it must not hold
# descriptors that make the kernel go on sampling.
stuck_have_none() {
	find /proc/[0-9]*/fd -maxdepth 1 -lname '*/libzip.so' 2>/dev/null |
	while read -r file; do
		echo "$file" >>"$scratch/readers"
		find "${file%/*}" -lname '*bpf*' -o -lname '*perf_event*'
	done >"$scratch/kept"
	[ -s "$scratch/readers" ] ||
		{ echo "no reader is stuck"; return 1; }
	[ ! -s "$scratch/kept" ] || { cat "$scratch/kept"; return 1; }
}

check() {
	prof 0 -d 1s -o "$scratch/some.collapsed" "$pid" || return
	has "$scratch/some.collapsed" ';Java_java_util_zip_Deflater_deflate' &&
		at_least 99 "$(weight_of "$scratch/some.collapsed" \
			"^$at_root" 'Deflater')" 'to the root' || return
	touch "$scratch/stall"
	before=$(date +%s%N)
	prof 7 -d 2s -o "$scratch/some.collapsed" "$pid" || return
	took=$((($(date +%s%N) - before) / 1000000))
	[ $took -lt 12000 ] || { echo "it took $took ms"; return 1; }
	stuck_have_none || return
	has "$prof_err" 'files omitted: 1 .their file system' &&
		has "$scratch/some.collapsed" 'Workload\.reflected' &&
		at_least 90 "$(weight_of "$scratch/some.collapsed" \
			"^$at_root" 'reflected')" 'to the root' || return
	! grep -q 'Java_java_util_zip_Deflater' "$scratch/some.collapsed" ||
		{ echo 'it did not stall'; return 1; }
}

target_program=Workload
for jdk in $(jdks); do
	serve "$jdk" || { cat "$scratch/serving"; exit 1; }
	target "$jdk" -- 100 zlib reflection || exit 1
	target_wait "/proc/$pid/maps" " 00:.*libzip" "$pid" >/dev/null ||
		{ echo "libzip is not mapped"; exit 1; }
	check || exit 1
	target_end "$pid"
	unserve "$jdk"
done
