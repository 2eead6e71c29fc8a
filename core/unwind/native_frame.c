/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/native_frame.h"

#include "core/base/alloc.h"

#include <stdlib.h>

#define ROWS        (1 << 14) /* a power of two */
#define MAX_FP_STEP (1 << 20) /* bytes of a frame with a frame pointer */

enum { RA_RULE = ELF_PRESERVED, RULES };

/*
 * The call frame rules of an address for the return address and the preserved
 * registers.
 */
struct row {
	uint64_t pc;
	uint32_t generation; /* 0 = free */
	uint32_t image;      /* index + 1; 0: no file */
	bool is_code, has_cfi, is_signal, cfa_is_memory;
	uint8_t cfa_register;
	int32_t cfa_offset;
	struct {
		uint8_t rule, base;
		int32_t offset;
	} rules[RULES]; /* by the order in arch->machine->preserved, then
			   RA_RULE */
};

struct native_frames {
	const struct arch *arch;
	struct process_images *images;
	struct row rows[2][ROWS]; /* for return addresses, and for leaves */
};

struct native_frames *native_frames_new(const struct arch *arch,
					struct process_images *images)
{
	struct native_frames *n = xcalloc(1, sizeof(*n));

	n->arch = arch;
	n->images = images;
	return n;
}

void native_frames_free(struct native_frames *n) { free(n); }

static void row_keep_rule(struct row *r, size_t at, const struct cfi_row *c,
			  unsigned reg)
{
	r->rules[at].rule = c->registers[reg].rule;
	r->rules[at].base = c->registers[reg].base;
	r->rules[at].offset = c->registers[reg].offset;
}

static void row_find(struct native_frames *n, struct row *r,
		     const struct mapping *m, bool is_exact)
{
	struct cfi_row c;
	const struct process_image *i;

	r->is_code = m && m->is_executable;
	r->image = r->is_code ? process_images_of(n->images, m) : 0;
	if (!r->image)
		return;
	i = &n->images->all[r->image - 1];
	/*
	 * A return address may be the first address of the next function, so
	 * look up the address before it.
	 */
	if (!i->elf || !elf_image_cfi(i->elf, r->pc - i->bias - !is_exact, &c))
		return;
	r->has_cfi = true;
	r->is_signal = c.is_signal;
	r->cfa_is_memory = c.cfa_is_memory;
	r->cfa_register = c.cfa_register;
	r->cfa_offset = c.cfa_offset;
	for (size_t k = 0; k < n->arch->machine->preserved_count; k++)
		row_keep_rule(r, k, &c, n->arch->machine->preserved[k]);
	row_keep_rule(r, RA_RULE, &c, DWARF_RA);
}

static const struct row *frames_row_at(struct native_frames *n, uint64_t pc,
				       bool is_exact)
{
	struct row *r = &n->rows[is_exact][(pc ^ (pc >> 14)) & (ROWS - 1)];
	const struct mapping *m;

	/* Code may have been mapped since at an address that had none. */
	if (r->generation == n->images->generation && r->pc == pc &&
	    (r->is_code || !n->images->may_read_again))
		return r;
	m = process_images_mapping(n->images, pc);
	*r = (struct row){ .pc = pc, .generation = n->images->generation };
	row_find(n, r, m, is_exact);
	return r;
}

bool native_frames_has(struct native_frames *n, uint64_t pc)
{
	return frames_row_at(n, pc, false)->is_code;
}

/*
 * Used without call frame information: FP points to {caller's FP, return
 * address}.
 */
static enum step step_by_frame_pointer(struct native_frames *n, struct walk *w)
{
	uint64_t fp = walk_fp(w), next, pc;

	/*
	 * Thread entry code zeroes FP, so 0 means the outermost frame, except
	 * in a leaf, where FP may be scratch.
	 */
	if (fp == 0 && !w->is_exact)
		return STEP_ROOT;
	if (fp & 7 || fp < walk_sp(w) || fp - walk_sp(w) > MAX_FP_STEP ||
	    !walk_read(w, fp, &next) || !walk_read(w, fp + 8, &pc))
		return walk_lost(w, "native code without call frame "
				    "information");
	if (pc == 0)
		return STEP_ROOT;
	if (!native_frames_has(n, pc))
		return walk_lost(w, "native code without call frame "
				    "information");
	w->rule = "frame pointer";
	w->is_guessed = true;
	return walk_to(w, pc, fp + 16, next);
}

/* Computes a register's value in the caller; false when it is unknown. */
static bool row_caller_value(struct walk *w, const struct row *r, size_t at,
			     uint64_t cfa, uint64_t *value)
{
	uint8_t rule = r->rules[at].rule, base = r->rules[at].base;
	uint64_t offset = (uint64_t)(int64_t)r->rules[at].offset;

	switch (rule) {
	case CFI_AT_CFA:
		/*
		 * The slot below SP was restored already, which rows do not
		 * express.
		 */
		if (at != RA_RULE && cfa + offset < walk_sp(w)) {
			*value = w->registers[w->arch->machine->preserved[at]];
			return walk_knows(w, w->arch->machine->preserved[at]);
		}
		return walk_read(w, cfa + offset, value);
	case CFI_IS_CFA:
		*value = cfa + offset;
		return true;
	case CFI_AT_REGISTER:
	case CFI_IS_REGISTER:
		if (base >= DWARF_RA || !walk_knows(w, base))
			return false;
		*value = w->registers[base] + offset;
		return rule == CFI_IS_REGISTER || walk_read(w, *value, value);
	default:
		return false;
	}
}

/*
 * Returns true when a register has the caller's value.  At the very end of a
 * function all preserved registers do, but compilers do not always write that
 * into the rows.  A slot below SP holds nothing any more, and a function
 * without a frame has saved nothing.
 */
static bool row_is_same(const struct walk *w, const struct row *r, size_t at,
			uint64_t cfa)
{
	uint8_t rule = r->rules[at].rule;

	if (rule == CFI_SAME)
		return true;
	if (!w->is_exact || (rule != CFI_AT_CFA && rule != CFI_AT_REGISTER))
		return false;
	if (cfa == walk_sp(w) + 8)
		return true;
	return rule == CFI_AT_CFA &&
	       cfa + (uint64_t)(int64_t)r->rules[at].offset < walk_sp(w);
}

static bool row_find_cfa(struct walk *w, const struct row *r, uint64_t *cfa)
{
	if (r->cfa_register >= DWARF_RA || !walk_knows(w, r->cfa_register))
		return false;
	*cfa = w->registers[r->cfa_register] + (uint64_t)(int64_t)r->cfa_offset;
	return !r->cfa_is_memory || walk_read(w, *cfa, cfa);
}

static enum step step_by_row(struct walk *w, const struct row *r)
{
	uint64_t cfa, pc, values[ELF_PRESERVED];
	uint32_t known = 1u << w->arch->sp;

	if (r->rules[RA_RULE].rule == CFI_UNDEFINED)
		return STEP_ROOT;
	if (!row_find_cfa(w, r, &cfa))
		return walk_lost(w, "a native frame with an unknown base");
	if (!row_caller_value(w, r, RA_RULE, cfa, &pc))
		return walk_lost(w, "a native return address outside the "
				    "stack");
	for (size_t k = 0; k < w->arch->machine->preserved_count; k++) {
		values[k] = w->registers[w->arch->machine->preserved[k]];
		if (row_is_same(w, r, k, cfa)
			    ? walk_knows(w, w->arch->machine->preserved[k])
			    : row_caller_value(w, r, k, cfa, &values[k]))
			known |= 1u << w->arch->machine->preserved[k];
	}
	for (size_t k = 0; k < w->arch->machine->preserved_count; k++)
		w->registers[w->arch->machine->preserved[k]] = values[k];
	w->known = known;
	w->registers[w->arch->sp] = cfa;
	w->pc = pc;
	w->is_exact = r->is_signal;
	w->rule = r->is_signal ? "signal frame" : "call frame information";
	/* The first function has no caller. */
	return pc ? STEP_ON : STEP_ROOT;
}

enum step native_frames_step(struct native_frames *n, struct walk *w,
			     struct unwound_frame *frame)
{
	const struct row *r = frames_row_at(n, w->pc, w->is_exact);
	const struct process_image *i;

	frame->kind = UNWOUND_NATIVE;
	i = r->image ? &n->images->all[r->image - 1] : NULL;
	if (i && i->elf) {
		frame->image = i->elf;
		frame->image_pc = w->pc - i->bias;
	}
	if (!r->is_code)
		return walk_lost(w, "an address without code");
	/* A signal handler returns to the first instruction of a trampoline. */
	frame->is_exact |= r->is_signal;
	return r->has_cfi ? step_by_row(w, r) : step_by_frame_pointer(n, w);
}
