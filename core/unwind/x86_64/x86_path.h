/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86_path: where code comes to from a place in it, and what SP and BP are by
 * then: at its return SP is where the return address stands.
 *
 * What is followed are pushes, pops, sums with SP, leave, and what has SP
 * from BP; a call is taken to leave SP as it was.  A function's ways all have
 * the same depth where they meet, so the first that is found will do.
 */
#ifndef CORE_UNWIND_X86_64_X86_PATH_H
#define CORE_UNWIND_X86_64_X86_PATH_H

#include "core/unwind/arch.h"

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
