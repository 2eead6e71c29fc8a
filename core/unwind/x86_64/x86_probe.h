/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86_probe: the place in a function where a uprobe costs least.
 *
 * The kernel emulates push, nop, jmp, jcc and call at a uprobe (about 1 us).
 * It steps over any other instruction (about 7 us; arch/x86/kernel/uprobes.c).
 */
#ifndef CORE_UNWIND_X86_64_X86_PROBE_H
#define CORE_UNWIND_X86_64_X86_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	X86_PROBE_BYTES = 64,    /* enough of a function for x86_probe_skip() */
	X86_PROBE_ARGUMENTS = 6, /* in registers, at most */
};

/* True if the kernel emulates the instruction at the start of the code. */
bool x86_probe_is_emulated(const uint8_t *code, size_t len);

/*
 * Returns the offset of a function's first emulated instruction, if SP and the
 * registers of the first count integer arguments are unchanged there; SIZE_MAX
 * = there is none in the first len bytes.
 */
size_t x86_probe_skip(const uint8_t *code, size_t len, size_t count);

#endif
