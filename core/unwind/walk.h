/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk: the state of a walk along a stack: registers and a copy of the stack.
 *
 * A step goes from a frame to its caller.  Steps read the copy of the stack,
 * never the target's stack, which has changed since the sample.
 */
#ifndef CORE_UNWIND_WALK_H
#define CORE_UNWIND_WALK_H

#include "core/elf/elf_image.h"
#include "core/unwind/arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct walk {
	const struct arch *arch;
	uint64_t pc;
	bool is_exact;    /* pc is the next instruction, not a return address */
	bool is_cut;      /* a step needed more than the copy has */
	bool is_guessed;  /* the last step took FP for a frame pointer */
	uint32_t scanned; /* slots scanned for entries of continuations */
	uint32_t known;   /* a bit for each register whose value is known */
	uint64_t registers[DWARF_REGISTERS];
	const uint8_t *stack;
	uint64_t stack_at; /* the address of the copy's first byte */
	size_t stack_bytes;
	const char *rule; /* static text: the rule of the last step, or NULL */
	const char *why;  /* static text, after STEP_LOST */
};

static inline uint64_t walk_sp(const struct walk *w)
{
	return w->registers[w->arch->sp];
}

static inline uint64_t walk_fp(const struct walk *w)
{
	return w->registers[w->arch->fp];
}

static inline bool walk_knows(const struct walk *w, unsigned reg)
{
	return w->known >> reg & 1;
}

/* Returns the value of a register, or 0 if it is unknown. */
static inline uint64_t walk_register(const struct walk *w, unsigned reg)
{
	return walk_knows(w, reg) ? w->registers[reg] : 0;
}

/*
 * Reads a word of the stack.  Returns false if it is not completely in the
 * copy.
 */
static inline bool walk_read(struct walk *w, uint64_t address, uint64_t *value)
{
	uint64_t offset = address - w->stack_at;

	if (address < w->stack_at)
		return false;
	if (w->stack_bytes < 8 || offset > w->stack_bytes - 8) {
		/* An address farther away is not on this stack. */
		if (offset < w->stack_bytes + (8u << 20))
			w->is_cut = true;
		return false;
	}
	memcpy(value, w->stack + offset, 8);
	return true;
}

/* Ends a walk: STEP_CUT if the copy of the stack was too short. */
static inline enum step walk_lost(struct walk *w, const char *why)
{
	w->why = why;
	return w->is_cut ? STEP_CUT : STEP_LOST;
}

/*
 * Steps to the caller of a frame that was called, not interrupted.  HotSpot's
 * code preserves only SP and FP.
 */
static inline enum step walk_to(struct walk *w, uint64_t pc, uint64_t sp,
				uint64_t fp)
{
	w->pc = pc;
	w->registers[w->arch->sp] = sp;
	w->registers[w->arch->fp] = fp;
	w->known = 1u << w->arch->sp | 1u << w->arch->fp;
	w->is_exact = false;
	return STEP_ON;
}

#endif
