# SPDX-License-Identifier: Apache-2.0
# prof -e nativemem finds the functions of jemalloc, which a JVM preloads, beside those
# of glibc: the weights are the program's own numbers.
# Only in check-all: samples are compared statistically, and a package is downloaded.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/root/lib/prof.sh
. tests/root/lib/native_memory.sh

# find_jemalloc: prints the path of the library, from Debian's package if it is not
# installed
find_jemalloc() {
	ldconfig -p | sed -n 's/.*libjemalloc\.so\.2.* => //p' | grep . && return
	(cd "$scratch" && timeout 300 apt-get download -qq libjemalloc2 &&
		dpkg-deb -x libjemalloc2_*.deb . ) >"$scratch/apt" 2>&1
	find "$scratch/usr" -name libjemalloc.so.2 2>/dev/null | grep .
}

start_preloaded() {
	LD_PRELOAD=$library target "$@"
}

root_only
library=$(find_jemalloc) || { echo "# SKIP no jemalloc: $(tail -n 1 "$scratch/apt")"; exit 0; }
jdk=$(jdks | head -n 1)
start=start_preloaded
live_leaks && grep -q 'libjemalloc' "/proc/$pid/maps" && target_end "$pid"
