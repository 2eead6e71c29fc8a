/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/native_frame.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <stdlib.h>
#include <string.h>

#define ROWS     (1 << 14) /* a power of two */
#define MAX_VDSO (64 << 10)
/* Between two looks at mappings: soon, and ever later while that is in vain. */
#define AGAIN_NS      (CLOCK_NS_PER_S / 50)
#define AGAIN_MOST_NS CLOCK_NS_PER_S
#define MAX_BP_STEP   (1 << 20) /* a frame that has frame pointers */

/* A file, by what it is and the address it is mapped from. */
struct image {
	uint64_t dev, inode, bias;
	struct elf_image *elf; /* NULL: it could not be opened */
};

/* Those that a caller may need: six that calls keep, BP among them. */
static const uint8_t kept[] = { DWARF_BX, DWARF_BP, 12, 13, 14, 15 };
enum { KEPT = sizeof(kept), RULES = KEPT + 1 };

/* A row, and what is known of the address it is for. */
struct row {
	uint64_t pc;
	uint32_t generation; /* 0 = free */
	uint32_t image;      /* index, + 1; 0: no file */
	bool is_code, has_cfi, is_signal, cfa_is_memory;
	uint8_t cfa_register;
	int32_t cfa_offset;
	struct {
		uint8_t rule, base;
		int32_t offset;
	} rules[RULES]; /* of kept[], and the return address */
};

struct native_frames {
	const struct jvm *jvm;
	struct memory *memory;
	struct target_files files;
	struct mappings mappings;
	int64_t mappings_ns, again_ns;
	bool may_look_again;
	struct image *images;
	size_t count, cap;
	uint32_t generation;
	struct row rows[2][ROWS]; /* of return addresses, and of leaves */
};

static int look_at_mappings(struct native_frames *n, struct error *err)
{
	struct mappings now = { 0 };

	/* Of one that has ended, what was mapped stands. */
	if (mappings_read(&now, n->jvm, err) < 0 ||
	    (!now.count && n->mappings.count)) {
		mappings_release(&now);
		return -1;
	}
	mappings_release(&n->mappings);
	n->mappings = now;
	n->mappings_ns = clock_monotonic_ns();
	n->generation++;
	return 0;
}

struct native_frames *native_frames_open(const struct jvm *jvm,
					 struct memory *memory,
					 struct error *err)
{
	struct native_frames *n = xcalloc(1, sizeof(*n));

	n->jvm = jvm;
	n->memory = memory;
	n->again_ns = AGAIN_NS;
	target_files_init(&n->files, jvm);
	if (look_at_mappings(n, err)) {
		native_frames_close(n);
		return NULL;
	}
	return n;
}

void native_frames_close(struct native_frames *n)
{
	if (!n)
		return;
	mappings_release(&n->mappings);
	for (size_t i = 0; i < n->count; i++)
		elf_image_close(n->images[i].elf);
	target_files_release(&n->files);
	free(n->images);
	free(n);
}

void native_frames_begin(struct native_frames *n)
{
	n->may_look_again = clock_monotonic_ns() - n->mappings_ns > n->again_ns;
}

static struct elf_image *open_vdso(struct native_frames *n,
				   const struct mapping *m)
{
	size_t len = m->end - m->start;
	struct elf_image *image = NULL;
	struct error err;
	uint8_t *bytes;

	if (len > MAX_VDSO)
		return NULL;
	bytes = xmalloc(len);
	if (memory_read(n->memory, m->start, bytes, len))
		image = elf_image_open_bytes(bytes, len, &err);
	free(bytes);
	return image;
}

static uint64_t bias_of(const struct elf_image *elf, const struct mapping *m)
{
	return elf ? elf_image_bias(elf, m) : 0;
}

/* The image of a mapping: index + 1, or 0 when it is of no file. */
static uint32_t image_of(struct native_frames *n, const struct mapping *m)
{
	bool is_vdso = !m->inode && strcmp(m->path, "[vdso]") == 0;
	struct image *i;
	struct error err;

	if (!m->inode && !is_vdso)
		return 0;
	for (size_t k = 0; k < n->count; k++) {
		i = &n->images[k];
		if (i->dev == m->dev && i->inode == m->inode &&
		    (!i->elf || bias_of(i->elf, m) == i->bias))
			return (uint32_t)k + 1;
	}
	array_reserve(n->images, n->cap, n->count + 1);
	i = &n->images[n->count];
	*i = (struct image){ .dev = m->dev, .inode = m->inode };
	i->elf = is_vdso ? open_vdso(n, m) : elf_image_open(&n->files, m, &err);
	i->bias = bias_of(i->elf, m);
	return (uint32_t)++n->count;
}

uint64_t native_frames_missed(const struct native_frames *n)
{
	return n->files.missed;
}

struct elf_image *native_frames_library(struct native_frames *n,
					const char *name, uint64_t *bias)
{
	for (size_t i = 0; i < n->mappings.count; i++) {
		const struct mapping *m = &n->mappings.all[i];
		const char *slash = strrchr(m->path, '/');
		uint32_t image;

		/* " (deleted)" may follow. */
		if (!slash || !m->is_executable ||
		    strncmp(slash + 1, name, strlen(name)) != 0)
			continue;
		image = image_of(n, m);
		if (!image || !n->images[image - 1].elf)
			continue;
		*bias = n->images[image - 1].bias;
		return n->images[image - 1].elf;
	}
	return NULL;
}

static void keep_rule(struct row *r, size_t at, const struct cfi_row *c,
		      unsigned reg)
{
	r->rules[at].rule = c->registers[reg].rule;
	r->rules[at].base = c->registers[reg].base;
	r->rules[at].offset = c->registers[reg].offset;
}

static void find_row(struct native_frames *n, struct row *r,
		     const struct mapping *m, bool is_exact)
{
	struct cfi_row c;
	struct image *i;

	r->is_code = m && m->is_executable;
	r->image = r->is_code ? image_of(n, m) : 0;
	if (!r->image)
		return;
	i = &n->images[r->image - 1];
	/* A return address may be the next function's first. */
	if (!i->elf || !elf_image_cfi(i->elf, r->pc - i->bias - !is_exact, &c))
		return;
	r->has_cfi = true;
	r->is_signal = c.is_signal;
	r->cfa_is_memory = c.cfa_is_memory;
	r->cfa_register = c.cfa_register;
	r->cfa_offset = c.cfa_offset;
	for (size_t k = 0; k < KEPT; k++)
		keep_rule(r, k, &c, kept[k]);
	keep_rule(r, KEPT, &c, DWARF_RA);
}

static const struct row *row_at(struct native_frames *n, uint64_t pc,
				bool is_exact)
{
	struct row *r = &n->rows[is_exact][(pc ^ (pc >> 14)) & (ROWS - 1)];
	const struct mapping *m;
	struct error err;

	/* Where there was no code, there may be some by now. */
	if (r->generation == n->generation && r->pc == pc &&
	    (r->is_code || !n->may_look_again))
		return r;
	m = mappings_find(&n->mappings, pc);
	if (!m && n->may_look_again) {
		n->may_look_again = false;
		if (!look_at_mappings(n, &err))
			m = mappings_find(&n->mappings, pc);
		n->again_ns = m ? AGAIN_NS : 2 * n->again_ns;
		if (n->again_ns > AGAIN_MOST_NS)
			n->again_ns = AGAIN_MOST_NS;
	}
	*r = (struct row){ .pc = pc, .generation = n->generation };
	find_row(n, r, m, is_exact);
	return r;
}

bool native_frames_has(struct native_frames *n, uint64_t pc)
{
	return row_at(n, pc, false)->is_code;
}

/* Where there is no other way: what BP points to is {caller's BP, IP}. */
static enum step by_frame_pointer(struct native_frames *n, struct walk *w)
{
	uint64_t bp = walk_bp(w), next, pc;

	/* Who begins a thread sets it so; a leaf may have it for anything. */
	if (bp == 0 && !w->is_exact)
		return STEP_ROOT;
	if (bp & 7 || bp < walk_sp(w) || bp - walk_sp(w) > MAX_BP_STEP ||
	    !walk_read(w, bp, &next) || !walk_read(w, bp + 8, &pc))
		return walk_lost(w, "native code without call frame "
				    "information");
	if (pc == 0)
		return STEP_ROOT;
	if (!native_frames_has(n, pc))
		return walk_lost(w, "native code without call frame "
				    "information");
	return walk_to(w, pc, bp + 16, next);
}

/* The value of a register of the caller's; false when it cannot be had. */
static bool caller_value(struct walk *w, const struct row *r, size_t at,
			 uint64_t cfa, uint64_t *value)
{
	uint8_t rule = r->rules[at].rule, base = r->rules[at].base;
	uint64_t offset = (uint64_t)(int64_t)r->rules[at].offset;

	switch (rule) {
	case CFI_AT_CFA:
		/* What stands below SP has been restored: rows do not say. */
		if (at < KEPT && cfa + offset < walk_sp(w)) {
			*value = w->registers[kept[at]];
			return walk_knows(w, kept[at]);
		}
		return walk_read(w, cfa + offset, value);
	case CFI_IS_CFA:
		*value = cfa + offset;
		return true;
	case CFI_AT_REGISTER:
	case CFI_IS_REGISTER:
		if (base >= 16 || !walk_knows(w, base))
			return false;
		*value = w->registers[base] + offset;
		return rule == CFI_IS_REGISTER || walk_read(w, *value, value);
	default:
		return false;
	}
}

/*
 * True when a register is as the caller had it.  At the very end of a function
 * all are, having been taken off the stack again, which compilers do not always
 * say: what is below the stack pointer of the moment is no place for anything,
 * and nothing is saved where there is no frame.
 */
static bool is_same(const struct walk *w, const struct row *r, size_t at,
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

static bool find_cfa(struct walk *w, const struct row *r, uint64_t *cfa)
{
	if (r->cfa_register >= 16 || !walk_knows(w, r->cfa_register))
		return false;
	*cfa = w->registers[r->cfa_register] + (uint64_t)(int64_t)r->cfa_offset;
	return !r->cfa_is_memory || walk_read(w, *cfa, cfa);
}

static enum step by_row(struct walk *w, const struct row *r)
{
	uint64_t cfa, pc, values[KEPT];
	uint32_t known = 1u << DWARF_SP;

	if (r->rules[KEPT].rule == CFI_UNDEFINED)
		return STEP_ROOT;
	if (!find_cfa(w, r, &cfa))
		return walk_lost(w, "a native frame's base is not known");
	if (!caller_value(w, r, KEPT, cfa, &pc))
		return walk_lost(w, "a native frame's return address is not "
				    "in the stack");
	for (size_t k = 0; k < KEPT; k++) {
		values[k] = w->registers[kept[k]];
		if (is_same(w, r, k, cfa)
			    ? walk_knows(w, kept[k])
			    : caller_value(w, r, k, cfa, &values[k]))
			known |= 1u << kept[k];
	}
	for (size_t k = 0; k < KEPT; k++)
		w->registers[kept[k]] = values[k];
	w->known = known;
	w->registers[DWARF_SP] = cfa;
	w->pc = pc;
	w->is_exact = r->is_signal;
	/* Nobody calls the first function. */
	return pc ? STEP_ON : STEP_ROOT;
}

enum step native_frames_step(struct native_frames *n, struct walk *w,
			     struct unwound_frame *frame)
{
	const struct row *r = row_at(n, w->pc, w->is_exact);

	frame->kind = UNWOUND_NATIVE;
	if (r->image && n->images[r->image - 1].elf) {
		frame->image = n->images[r->image - 1].elf;
		frame->image_pc = w->pc - n->images[r->image - 1].bias;
	}
	if (!r->is_code)
		return walk_lost(w, "an address without code");
	/* A handler returns to the first instruction of what ends a signal. */
	frame->is_exact |= r->is_signal;
	return r->has_cfi ? by_row(w, r) : by_frame_pointer(n, w);
}
