/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk: where a walk along a stack is: registers, and the copy of the stack.
 *
 * A step goes from a frame to its caller.  Whoever takes one only reads the
 * copy: it is of the moment of the sample, what is in the target by now is not.
 */
#ifndef CORE_UNWIND_WALK_H
#define CORE_UNWIND_WALK_H

#include "core/elf/elf_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum step {
	STEP_ON,   /* the walk is at the caller */
	STEP_ROOT, /* there is none */
	STEP_CUT,  /* the copy of the stack ends before it is known */
	STEP_LOST, /* why, in words */
};

struct walk {
	uint64_t pc;
	bool is_exact;          /* pc is no return address */
	bool is_cut;            /* something beyond the copy was wanted */
	uint32_t scanned;       /* slots, for what continuations returned to */
	uint32_t known;         /* a bit for each register that has a value */
	uint64_t registers[16]; /* as DWARF numbers them */
	const uint8_t *stack;
	uint64_t stack_at; /* its address */
	size_t stack_bytes;
	const char *why; /* static text, of STEP_LOST */
};

static inline uint64_t walk_sp(const struct walk *w)
{
	return w->registers[DWARF_SP];
}

static inline uint64_t walk_bp(const struct walk *w)
{
	return w->registers[DWARF_BP];
}

static inline bool walk_knows(const struct walk *w, unsigned reg)
{
	return w->known >> reg & 1;
}

/* Its value, or 0. */
static inline uint64_t walk_register(const struct walk *w, unsigned reg)
{
	return walk_knows(w, reg) ? w->registers[reg] : 0;
}

/* Eight bytes of the stack; false when the copy has not all of them. */
static inline bool walk_read(struct walk *w, uint64_t address, uint64_t *value)
{
	uint64_t offset = address - w->stack_at;

	if (address < w->stack_at)
		return false;
	if (w->stack_bytes < 8 || offset > w->stack_bytes - 8) {
		/* Far off it is no stack. */
		if (offset < w->stack_bytes + (8u << 20))
			w->is_cut = true;
		return false;
	}
	memcpy(value, w->stack + offset, 8);
	return true;
}

/* The step that a want of the stack ends with. */
static inline enum step walk_lost(struct walk *w, const char *why)
{
	w->why = why;
	return w->is_cut ? STEP_CUT : STEP_LOST;
}

/*
 * To the caller, which has not been interrupted but calls.  Code of HotSpot's
 * keeps no other register than these for it.
 */
static inline enum step walk_to(struct walk *w, uint64_t pc, uint64_t sp,
				uint64_t bp)
{
	w->pc = pc;
	w->registers[DWARF_SP] = sp;
	w->registers[DWARF_BP] = bp;
	w->known = 1u << DWARF_SP | 1u << DWARF_BP;
	w->is_exact = false;
	return STEP_ON;
}

#endif
