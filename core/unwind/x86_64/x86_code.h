/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86_code: reads a little of x86-64's machine code: how far it has come with
 * setting up its frame, or with taking it down.
 *
 * HotSpot says of compiled code how large its frames are, but only for the
 * middle of it.  At either end, and in what is out of line, instructions tell:
 * those that HotSpot's assembler emits (macroAssembler_x86, c1_MacroAssembler,
 * x86_64.ad, of JDK 17 to 25) and no others are known here.
 */
#ifndef CORE_UNWIND_X86_64_X86_CODE_H
#define CORE_UNWIND_X86_64_X86_CODE_H

#include "core/unwind/arch.h"

/* True when a call instruction ends right before `at`. */
bool x86_is_after_call(const struct machine_code *c, size_t at);

/*
 * How far from `at` the function is that a direct call right before it has
 * called; false when there is no such call.
 */
bool x86_called(const struct machine_code *c, size_t at, int64_t *distance);

/* What the prologue that begins at entry has done before `at`. */
void x86_prologue(const struct machine_code *c, size_t entry, size_t at,
		  struct frame_edge *out);

/*
 * True when the frame is being taken down at `at`: what is left of it.  False:
 * all of it is there.
 */
bool x86_epilogue(const struct machine_code *c, size_t at,
		  struct frame_edge *out);

/* True when a jump to where R13 points is at `at`. */
bool x86_is_jump_r13(const struct machine_code *c, size_t at);

/*
 * True when the return address, which stood at SP, is in AX at `at`, from where
 * it is put on the stack again, straight on.
 */
bool x86_return_is_in_ax(const struct machine_code *c, size_t at);

/*
 * True when what runs straight on to `at` has put the caller's SP, which is
 * behind the return address, into R13.
 */
bool x86_saves_sp(const struct machine_code *c, size_t at);

/*
 * ---- paths (x86_path.c) ----
 *
 * Follow code from a position to its return, and track RSP and RBP, to find the
 * return address.  Pushes, pops, sums with RSP, leave, and setting RSP from RBP
 * are followed; a call is assumed to leave RSP unchanged.  All ways of a
 * function have the same depth where they meet, so the first way will do.
 */
enum {
	X86_MOST_STRAIGHT = 200,  /* instructions that are looked at */
	X86_MOST_SEARCHED = 3000, /* of all ways together */
	X86_FARTHEST = 1 << 24,   /* bytes that SP moves at most */
};

/* Straight on from `at`: to a return, or to where it jumps. */
void x86_straight(const struct machine_code *c, size_t at,
		  struct code_path *out);

/* The same, going on where it jumps to. */
void x86_follow(const struct machine_code *c, size_t at, struct code_path *out);

/* The same, looking into both ways of each jump: to the nearest return. */
void x86_search(const struct machine_code *c, size_t at, struct code_path *out);

#endif
