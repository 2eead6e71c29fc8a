#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/fuzz/make_elf.sh
#
# Replaces tests/fuzz/corpus/elf: libraries of at most 4 KB.  It is not part of
# `make check`, because another compiler produces other bytes.
cd "$(dirname "$0")/../.." || exit 2
corpus=$PWD/tests/fuzz/corpus/elf
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$corpus"
cd "$scratch" || exit 2

# A function as compilers generate it, a function that realigns its stack, a PLT
# entry, a signal frame, and C++ names.
cat >lib.s <<'END'
	.text
	.globl shown, _ZN6Thread3runEv
	.type shown, @function
shown:	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov %rsp, %rbp
	.cfi_def_cfa_register 6
	.cfi_remember_state
	pop %rbp
	.cfi_restore 6
	.cfi_def_cfa 7, 8
	ret
	.cfi_restore_state
	nop
	ret
	.cfi_endproc
	.size shown, . - shown
	.type _ZN6Thread3runEv, @function
_ZN6Thread3runEv:
	.cfi_startproc
	nop
	.cfi_escape 0x0f, 0x03, 0x76, 0x78, 0x06
	.cfi_escape 0x10, 0x06, 0x02, 0x76, 0x00
	nop
	.cfi_escape 0x0f, 0x0b, 0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22
	ret
	.cfi_endproc
	.size _ZN6Thread3runEv, . - _ZN6Thread3runEv
label:	.cfi_startproc
	.cfi_signal_frame
	.cfi_escape 0x0f, 0x04, 0x77, 0xa0, 0x01, 0x06
	.cfi_escape 0x10, 0x10, 0x03, 0x77, 0xa8, 0x01
	.cfi_escape 0x16, 0x03, 0x02, 0x77, 0x28
	.cfi_undefined 12
	.cfi_register 13, 14
	nop
	ret
	.cfi_endproc
END

# library NAME FLAGS...: links a library
library() {
	name=$1
	shift
	gcc -nostdlib -shared -Wl,-z,noseparate-code,-z,max-page-size=16 \
		-Wl,--build-id=none,-soname,small.so "$@" -o "$name" lib.s
}

library plain.so
library no_table.so -Wl,--no-eh-frame-hdr
{ echo '	.cfi_sections .debug_frame'; cat lib.s; } >debug.s
mv lib.s eh.s && cp debug.s lib.s
library debug_frame.so
cp eh.s lib.s
objcopy --only-keep-debug plain.so mini
xz -f mini
cp plain.so packed.so
strip packed.so
objcopy --add-section .gnu_debugdata=mini.xz packed.so
cp plain.so stripped.so
strip stripped.so
for f in plain.so no_table.so debug_frame.so packed.so stripped.so; do
	[ "$(wc -c <"$f")" -le 4096 ] || echo "$f is larger than 4 KB" >&2
	cp "$f" "$corpus/$f"
	chmod 644 "$corpus/$f"
done
