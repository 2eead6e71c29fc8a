/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86_code: reads x86-64 machine code: how much of its frame code has set up or
 * released, and the path to its return.
 *
 * HotSpot gives the frame size of compiled code only for the middle of a
 * method.  Near the ends and in out-of-line code, the instructions tell.  The
 * patterns cover the instructions that HotSpot's assembler emits
 * (macroAssembler_x86, c1_MacroAssembler, x86_64.ad of JDK 17 to 25).
 */
#ifndef CORE_UNWIND_X86_64_X86_CODE_H
#define CORE_UNWIND_X86_64_X86_CODE_H

#include "core/unwind/arch.h"

/* Returns true when a call instruction ends at `at`. */
bool x86_is_after_call(const struct machine_code *c, size_t at);

/*
 * Sets *distance from `at` to the function that a direct call just before it
 * called; false when there is no such call.
 */
bool x86_called(const struct machine_code *c, size_t at, int64_t *distance);

/* Reports the effect of the prologue that begins at entry before `at`. */
void x86_prologue(const struct machine_code *c, size_t entry, size_t at,
		  struct frame_edge *out);

/*
 * Returns true in an epilogue, with the rest of the frame in *out, and false
 * while the frame is complete.
 */
bool x86_epilogue(const struct machine_code *c, size_t at,
		  struct frame_edge *out);

/* Returns true when `at` is a jump to the address in R13. */
bool x86_is_jump_r13(const struct machine_code *c, size_t at);

/*
 * Returns true when the return address is in RAX at `at` and the code straight
 * ahead pushes it again.
 */
bool x86_return_is_in_ax(const struct machine_code *c, size_t at);

/*
 * Returns true when code that runs straight to `at` has saved the caller's SP,
 * just above the return address, in R13.
 */
bool x86_saves_sp(const struct machine_code *c, size_t at);

/*
 * ---- paths (x86_path.c) ----
 *
 * Follow code from a position to its return and track RSP and RBP, to find the
 * return address.  Pushes, pops, sums with RSP, leave, and setting RSP from RBP
 * are followed; a call is assumed to leave RSP unchanged.  All paths of a
 * function have the same depth where they meet, so the first path is enough.
 */
enum {
	X86_MOST_STRAIGHT = 200,  /* instructions */
	X86_MOST_SEARCHED = 3000, /* instructions of all paths together */
	X86_FARTHEST = 1 << 24,   /* maximum bytes by which SP moves */
};

/* Goes straight from `at` to a return or a jump. */
void x86_straight(const struct machine_code *c, size_t at,
		  struct code_path *out);

/* Follows unconditional jumps as well. */
void x86_follow(const struct machine_code *c, size_t at, struct code_path *out);

/* Searches both directions of each jump for the nearest return. */
void x86_search(const struct machine_code *c, size_t at, struct code_path *out);

#endif
