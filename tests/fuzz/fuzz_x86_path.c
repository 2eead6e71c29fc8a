/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes machine code; the first two bytes are the position where to start.
 * Each function must end within the limits of x86_path.h and return consistent
 * values.
 */
#include "core/unwind/x86_64/x86_code.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_place(const struct code_place *p)
{
	if (p->offset < -X86_FARTHEST || p->offset > X86_FARTHEST)
		abort();
}

static void check(const struct code_path *p, size_t most)
{
	if (p->instructions > most)
		abort();
	if (p->is_return && (p->given_back || p->sp_from))
		abort();
	if (!p->is_return && p->has_saved_fp)
		abort();
	if (p->sp_from > 15 || p->given_back < -X86_FARTHEST ||
	    p->given_back > X86_FARTHEST)
		abort();
	check_place(&p->return_address);
	check_place(&p->saved_fp);
}

static bool is_same(const struct code_place *a, const struct code_place *b)
{
	return a->is_from_fp == b->is_from_fp && a->offset == b->offset;
}

static void follow(const struct machine_code *c, size_t at)
{
	struct code_path straight, followed, searched;

	memset(&straight, 0xa5, sizeof(straight));
	followed = searched = straight;
	x86_straight(c, at, &straight);
	check(&straight, X86_MOST_STRAIGHT);
	x86_follow(c, at, &followed);
	check(&followed, X86_MOST_STRAIGHT);
	x86_search(c, at, &searched);
	check(&searched, X86_MOST_SEARCHED);
	if (searched.given_back || searched.sp_from)
		abort();
	/* If no jump precedes the return, both must find the same path. */
	if (straight.is_return &&
	    (!followed.is_return ||
	     followed.instructions != straight.instructions ||
	     !is_same(&straight.return_address, &followed.return_address)))
		abort();
}

/* Calls the functions that examine only one position. */
static void look(const struct machine_code *c, size_t at)
{
	struct frame_edge f = { 0, -1 };
	int64_t distance;

	x86_prologue(c, at / 2, at, &f);
	x86_epilogue(c, at, &f);
	x86_is_jump_r13(c, at);
	x86_saves_sp(c, at);
	x86_return_is_in_ax(c, at);
	if (x86_called(c, at, &distance) && !x86_is_after_call(c, at))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct machine_code code;
	size_t at;

	if (size < 2)
		return 0;
	at = data[0] | data[1] << 8;
	/* An exact allocation, so that the sanitizer finds a read beyond it. */
	code.len = size - 2;
	code.bytes = memcpy(malloc(code.len + 1), data + 2, code.len);
	code.bytes = realloc((void *)code.bytes, code.len ? code.len : 1);
	if (at <= code.len)
		look(&code, at);
	follow(&code, at);
	free((void *)code.bytes);
	return 0;
}
