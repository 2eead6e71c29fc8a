#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/native.sh SJKC
#
# Measures the cost of symbols and call frame information of libjvm (complete
# and stripped), of the C library, and of the kernel.
set -u
cd "$(dirname "$0")/../.." || exit 2
lib=build/cc/libsjkc.a
out=build/bench
mkdir -p "$out"
make --no-print-directory "$lib" >/dev/null || exit 1
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -I. -o "$out/measure_elf" \
	tests/bench/measure_elf.c "$lib" -Wl,-Bstatic -ldw -lbpf -lelf -llzma -lbz2 \
	-lz -liberty -Wl,-Bdynamic || exit 1

echo 'symbols and call frame information, CPU time (a row: at most 1 us):'
for file in /usr/lib/jvm/*/lib/server/libjvm.so \
	/lib/x86_64-linux-gnu/libc.so.6; do
	[ -e "$file" ] && [ "$(realpath "$file")" = "$file" ] ||
		[ "${file##*/}" = libc.so.6 ] || continue
	echo " $file"
	"$out/measure_elf" "$file"
	strip -o "$out/stripped.so" "$file" || continue
	echo " the same, stripped"
	"$out/measure_elf" "$out/stripped.so"
	rm -f "$out/stripped.so"
done
echo ' /proc/kallsyms (at most 60 ms)'
"$out/measure_elf"
