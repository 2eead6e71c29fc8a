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

#include "core/unwind/x86_64/x86_code.h"

enum {
	X86_MOST_STRAIGHT = 200,  /* instructions that are looked at */
	X86_MOST_SEARCHED = 3000, /* of all ways together */
	X86_FARTHEST = 1 << 24,   /* bytes that SP moves at most */
};

/* An address that is so far from SP, or from BP, as they are at the start. */
struct x86_place {
	bool is_from_bp;
	int32_t offset;
};

struct x86_path {
	bool is_return; /* the code returns, by what stands at: */
	struct x86_place return_address;
	bool has_saved_bp; /* and takes BP from the stack before: from */
	struct x86_place saved_bp;
	int32_t given_back; /* else: how much of the stack before it jumps, */
	uint8_t sp_from; /* or before SP is that register's value; 0: never */
	uint16_t looked_at; /* instructions */
};

/* Straight on from `at`: to a return, or to where it jumps. */
void x86_straight(const struct x86_code *c, size_t at, struct x86_path *out);

/* The same, going on where it jumps to. */
void x86_follow(const struct x86_code *c, size_t at, struct x86_path *out);

/* The same, looking into both ways of each jump: to the nearest return. */
void x86_search(const struct x86_code *c, size_t at, struct x86_path *out);

#endif
