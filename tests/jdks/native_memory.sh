# SPDX-License-Identifier: Apache-2.0
# prof -e nativemem reports the leaks of a program as it counts them, with each
# version of glibc and with musl.
sjkc=$1
scratch=$2
version=$3
. tests/jvm/lib/target.sh
. tests/jvm/lib/jdk.sh
. tests/root/lib/prof.sh
. tests/root/lib/native_memory.sh

leaks() {
	cat "$scratch/leaks"
	return "$status"
}

jdk=$version start=jdk_target
live_leaks >"$scratch/leaks" 2>&1
status=$?
cell 'native memory: leaks' leaks
