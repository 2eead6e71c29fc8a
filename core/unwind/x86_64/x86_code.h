/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86_code: reads x86-64 machine code: which part of its frame code has set up
 * or released, and the path to its return.
 *
 * HotSpot gives the frame size of compiled code only for the middle of a
 * method.  Near the ends and in out-of-line code, the instructions show it.
 * The patterns cover the instructions that HotSpot's assembler emits
 * (macroAssembler_x86, c1_MacroAssembler, x86_64.ad of JDK 17 to 25).
 */
#ifndef CORE_UNWIND_X86_64_X86_CODE_H
#define CORE_UNWIND_X86_64_X86_CODE_H

#include "core/unwind/arch.h"

/* Returns true if a call instruction ends at `at`. */
bool x86_is_after_call(const struct machine_code *c, size_t at);

/*
 * If a direct call ends at `at`, sets *distance from `at` to the called
 * function and returns true.
 */
bool x86_called(const struct machine_code *c, size_t at, int64_t *distance);

/*
 * Sets *out to the frame as the prologue that begins at entry has built it
 * before `at`.
 */
void x86_prologue(const struct machine_code *c, size_t entry, size_t at,
		  struct frame_edge *out);

/*
 * Returns true in an epilogue, with the rest of the frame in *out, and false
 * while the frame is complete.
 */
bool x86_epilogue(const struct machine_code *c, size_t at,
		  struct frame_edge *out);

/* Returns true if `at` is a jump to the address in R13. */
bool x86_is_jump_r13(const struct machine_code *c, size_t at);

/*
 * Returns true if RAX has the return address at `at` and the following code,
 * without a jump, pushes it again.
 */
bool x86_return_is_in_ax(const struct machine_code *c, size_t at);

/*
 * Returns true if the code before `at`, without a jump, has saved the caller's
 * SP, which is just above the return address, in R13.
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

/* Follows the code from `at` up to a return or a jump. */
void x86_straight(const struct machine_code *c, size_t at,
		  struct code_path *out);

/* The same through unconditional jumps. */
void x86_follow(const struct machine_code *c, size_t at, struct code_path *out);

/* Searches both directions of each jump for the nearest return. */
void x86_search(const struct machine_code *c, size_t at, struct code_path *out);

#endif
