/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_walks: compares the unwinder's walk with a walk along frame pointers.
 *
 * The walk along frame pointers, like the kernel's own (perf_callchain_user),
 * finds a frame for each value of BP: the word at BP + 8.  So it has all frames
 * of the unwinder's walk except those whose callee has no frame pointer, where
 * BP is the same in both.  The unwinder's walk may have only these frames in
 * addition, at their places.  All other differences are errors, unless BP is
 * provably not the base of a frame; such samples are counted by reason.
 */
#ifndef TESTS_ROOT_LIB_COMPARE_WALKS_H
#define TESTS_ROOT_LIB_COMPARE_WALKS_H

#include "core/unwind/unwinder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum verdict {
	WALKS_SAME,
	WALKS_ONE_LONGER, /* one more frame, whose callee has no frame pointer
			   */
	WALKS_LONGER,     /* several more, each of this kind */
	WALKS_DIFFER,
	WALKS_COMPARED,
	/* The walks cannot be compared. */
	WALKS_LOST = WALKS_COMPARED,
	WALKS_SHORT,
	WALKS_BELOW,
	WALKS_NO_CODE,
	WALKS_NO_BASE,
	WALKS_FROZEN,
	WALKS_FRAMELESS,
	VERDICTS,
};

/* The reasons of walks that cannot be compared. */
static const char *const incomparable[] = {
	"our walk did not reach the root",
	"the other did not: 127 frames, or BP was not in the copy of the stack",
	"BP was below SP: of frames that are left, or on another stack",
	"the kernel's took for a return address what is no code",
	"BP was no base by call frame information: C without frame pointers",
	"BP was none yet, or no more, of a virtual thread's thawed frames",
	"several were left out, all but one of what has no base at all",
};

/* The kernel's limit, perf_event_max_stack. */
enum { FRAME_POINTERS = 127 };

/* The instruction and return addresses along frame pointers, leaf first. */
static size_t walk_frame_pointers(const struct unwind_start *from,
				  uint64_t pcs[FRAME_POINTERS])
{
	uint64_t bp = from->registers[DWARF_BP], pair[2];
	size_t count = 0;

	pcs[count++] = from->pc;
	while (count < FRAME_POINTERS && bp >= from->registers[DWARF_SP] &&
	       bp - from->registers[DWARF_SP] + sizeof(pair) <=
		       from->stack_bytes) {
		memcpy(pair, from->stack + (bp - from->registers[DWARF_SP]),
		       sizeof(pair));
		if (!pair[1])
			break;
		pcs[count++] = pair[1];
		bp = pair[0];
	}
	return count;
}

static bool is_frame_of(const struct unwound_frame *f, uint64_t pc)
{
	return f->pc == pc || (f->kind == UNWOUND_COMPILED &&
			       (f->blob->deopt_handler == pc ||
				f->blob->deopt_mh_handler == pc));
}

/*
 * Returns true for the routine that brings more frames of a virtual thread to
 * the stack, if BP is not the base of its caller: BP has the value from the
 * stack where the frames were frozen, perhaps another thread's.
 */
static bool is_frozen(const struct unwound_frame *f)
{
	return f->kind == UNWOUND_GENERATED && f->blob &&
	       strstr(f->blob->name, "continuation") && f->bp != f[1].bp;
}

/*
 * Returns the reason why the kernel's walk went wrong at the callee `f` and
 * used pc as its return address; the next frame is the caller.
 */
static enum verdict astray(const struct unwound_frame *f, uint64_t pc,
			   bool has_code(uint64_t))
{
	if (is_frozen(f))
		return WALKS_FROZEN;
	if (f->bp < f->sp)
		return WALKS_BELOW;
	if (!has_code(pc))
		return WALKS_NO_CODE;
	/* After a native frame, SP is its canonical frame address. */
	if (f->kind == UNWOUND_NATIVE && f[1].sp != f->bp + 16)
		return WALKS_NO_BASE;
	return WALKS_DIFFER;
}

/*
 * Returns true when the callee `f` has no frame of its own: call frame
 * information proves it, or it is a routine of continuations.
 */
static bool is_frameless(const struct unwound_frame *f)
{
	if (f->kind == UNWOUND_NATIVE)
		return f[1].sp != f->bp + 16;
	return f->kind == UNWOUND_GENERATED && f->blob &&
	       strstr(f->blob->name, "continuation");
}

/*
 * Returns the verdict by the number of frames that the kernel omitted, and the
 * number of those that are unclear.
 */
static enum verdict by_length(size_t more, size_t unclear)
{
	if (more <= 1)
		return more ? WALKS_ONE_LONGER : WALKS_SAME;
	return unclear <= 1 ? WALKS_FRAMELESS : WALKS_LONGER;
}

static enum verdict compare_walks(const struct unwound *u, const uint64_t *pcs,
				  size_t count, bool has_code(uint64_t))
{
	size_t k = 0, more = 0, unclear = 0;

	if (u->end != UNWIND_ROOT)
		return WALKS_LOST;
	for (size_t i = 1; i < count && k + 1 < u->count; i++) {
		uint64_t bp = u->frames[k].bp;
		size_t first = k++;

		while (k + 1 < u->count && u->frames[k].bp == bp)
			unclear += !is_frameless(&u->frames[k++ - 1]);
		more += k - first - 1;
		/* The barrier at a method's entry stores a mark there. */
		if (pcs[i] == UINT64_MAX)
			more++, unclear++;
		else if (!is_frame_of(&u->frames[k], pcs[i]))
			return astray(&u->frames[k - 1], pcs[i], has_code);
	}
	/*
	 * The kernel's walk ends at the thread's function or one frame before
	 * it.
	 */
	if (k + 3 < u->count || count < 2)
		return WALKS_SHORT;
	return by_length(more, unclear);
}

#endif
