/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/x86_64/x86_code.h"

#include "core/unwind/x86_64/x86_instruction.h"

#include <string.h>

#define MAX_PROLOGUE 256

/*
 * A pattern of instruction bytes.  mask selects the bits that count, one letter
 * per byte: 'x' all, '.' none, 'r' all but the bits of a register (0-2), 'm'
 * all but the bits of a prefix that extend a register (0x41 in place of 0x40).
 */
struct pattern {
	uint8_t len;
	uint8_t bytes[8];
	uint8_t mask[8];
};

static bool pattern_is_at(const struct machine_code *c, size_t at,
			  const struct pattern *p)
{
	if (at > c->len || c->len - at < p->len)
		return false;
	for (size_t i = 0; i < p->len; i++)
		if ((c->bytes[at + i] & p->mask[i]) != p->bytes[i])
			return false;
	return true;
}

#define ANY 0, 0, 0, 0
#define ALL 0xff

/* clang-format off */
static const struct pattern
	bang        = { 7, { 0x89, 0x84, 0x24, ANY }, { ALL, ALL, ALL, ANY } },
	push_bp     = { 1, { 0x55 }, { ALL } },
	pop_bp      = { 1, { 0x5d }, { ALL } },
	bp_is_sp    = { 3, { 0x48, 0x8b, 0xec }, { ALL, ALL, ALL } },
	bp_is_sp2   = { 3, { 0x48, 0x89, 0xe5 }, { ALL, ALL, ALL } },
	sub_sp8     = { 4, { 0x48, 0x83, 0xec, 0 }, { ALL, ALL, ALL, 0 } },
	sub_sp32    = { 7, { 0x48, 0x81, 0xec, ANY }, { ALL, ALL, ALL, ANY } },
	store_bp8   = { 5, { 0x48, 0x89, 0x6c, 0x24, 0 },
			{ ALL, ALL, ALL, ALL, 0 } },
	store_bp32  = { 8, { 0x48, 0x89, 0xac, 0x24, ANY },
			{ ALL, ALL, ALL, ALL, ANY } },
	vzeroupper  = { 3, { 0xc5, 0xf8, 0x77 }, { ALL, ALL, ALL } },
	/* cmp rsp, [r15 + poll word]; ja stub (JDK 17 and later) */
	poll8       = { 6, { 0x49, 0x3b, 0x67, 0, 0x0f, 0x87 },
			{ ALL, ALL, ALL, 0, ALL, ALL } },
	poll32a     = { 7, { 0x49, 0x3b, 0xa7, ANY }, { ALL, ALL, ALL, ANY } },
	ja          = { 6, { 0x0f, 0x87, ANY }, { ALL, ALL, ANY } },
	/* test eax, [polling page] (before JDK 17) */
	old_poll    = { 6, { 0x85, 0x05, ANY }, { ALL, ALL, ANY } },
	old_poll_r  = { 3, { 0x41, 0x85, 0x00 }, { ALL, ALL, 0xf8 } },
	/* lea r10, [poll]; mov [r15 + saved_exception_pc], r10; jmp */
	poll_stub   = { 3, { 0x4c, 0x8d, 0x15 }, { ALL, ALL, ALL } },
	poll_stub2  = { 8, { 0x4d, 0x89, 0x97, ANY, 0xe9 },
			{ ALL, ALL, ALL, ANY, ALL } },
	ret         = { 1, { 0xc3 }, { ALL } },
	ret_n       = { 1, { 0xc2 }, { ALL } },
	jmp32       = { 1, { 0xe9 }, { ALL } },
	jmp_r       = { 2, { 0xff, 0xe0 }, { ALL, 0xf8 } },
	jmp_r8      = { 3, { 0x41, 0xff, 0xe0 }, { ALL, ALL, 0xf8 } };

/* Padding; the longest first. */
static const struct pattern nops[] = {
	{ 8, { 0x0f, 0x1f, 0x84, 0x00, ANY }, { ALL, ALL, ALL, ALL, ANY } },
	{ 7, { 0x0f, 0x1f, 0x80, ANY }, { ALL, ALL, ALL, ANY } },
	{ 5, { 0x0f, 0x1f, 0x44, 0x00, 0 }, { ALL, ALL, ALL, ALL, 0 } },
	{ 4, { 0x0f, 0x1f, 0x40, 0 }, { ALL, ALL, ALL, 0 } },
	{ 3, { 0x0f, 0x1f, 0x00 }, { ALL, ALL, ALL } },
	{ 1, { 0x66 }, { ALL } }, /* a prefix of one */
	{ 1, { 0x90 }, { ALL } },
};
/* clang-format on */

static int32_t code_immediate(const struct machine_code *c, size_t at,
			      size_t bytes)
{
	int32_t value;

	if (bytes == 1)
		return (int8_t)c->bytes[at];
	memcpy(&value, c->bytes + at, sizeof(value));
	return value;
}

bool x86_called(const struct machine_code *c, size_t at, int64_t *distance)
{
	if (at < 5 || at > c->len || c->bytes[at - 5] != 0xe8)
		return false;
	*distance = code_immediate(c, at - 4, 4);
	return true;
}

bool x86_is_after_call(const struct machine_code *c, size_t at)
{
	/* The length of call [r/m] depends on its ModRM byte and SIB. */
	static const struct {
		uint8_t len, mod, mask;
	} forms[] = {
		{ 2, 0xd0, 0xf8 }, { 2, 0x10, 0xf8 }, { 3, 0x50, 0xf8 },
		{ 3, 0x14, 0xff }, { 4, 0x54, 0xff }, { 6, 0x90, 0xf8 },
		{ 6, 0x15, 0xff }, { 7, 0x94, 0xff },
	};
	int64_t distance;

	if (at > c->len)
		return false;
	if (x86_called(c, at, &distance))
		return true;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (at >= forms[i].len && c->bytes[at - forms[i].len] == 0xff &&
		    (c->bytes[at - forms[i].len + 1] & forms[i].mask) ==
			    forms[i].mod)
			return true;
	return false;
}

static size_t nop_length(const struct machine_code *c, size_t at)
{
	for (size_t i = 0; i < sizeof(nops) / sizeof(*nops); i++)
		if (pattern_is_at(c, at, &nops[i]))
			return nops[i].len;
	return 0;
}

/*
 * Applies one instruction of a prologue and returns its length.  *depth is the
 * number of bytes below the return address, *bp the position among them where
 * BP is saved, or -1.
 */
static size_t prologue_step(const struct machine_code *c, size_t at,
			    uint32_t *depth, int64_t *bp)
{
	size_t nop;

	if (pattern_is_at(c, at, &push_bp)) {
		*depth += 8;
		*bp = *depth;
		return push_bp.len;
	}
	if (pattern_is_at(c, at, &sub_sp8)) {
		*depth += (uint32_t)code_immediate(c, at + 3, 1);
		return sub_sp8.len;
	}
	if (pattern_is_at(c, at, &sub_sp32)) {
		*depth += (uint32_t)code_immediate(c, at + 3, 4);
		return sub_sp32.len;
	}
	if (pattern_is_at(c, at, &store_bp8)) {
		*bp = (int64_t)*depth - code_immediate(c, at + 4, 1);
		return store_bp8.len;
	}
	if (pattern_is_at(c, at, &store_bp32)) {
		*bp = (int64_t)*depth - code_immediate(c, at + 4, 4);
		return store_bp32.len;
	}
	if (pattern_is_at(c, at, &bang))
		return bang.len;
	if (pattern_is_at(c, at, &bp_is_sp) || pattern_is_at(c, at, &bp_is_sp2))
		return bp_is_sp.len;
	nop = nop_length(c, at);
	/*
	 * Unknown instructions, such as barriers at the entry, leave SP
	 * unchanged.
	 */
	return nop ? nop : 1;
}

void x86_prologue(const struct machine_code *c, size_t entry, size_t at,
		  struct frame_edge *out)
{
	uint32_t depth = 0;
	int64_t bp = -1; /* below the return address */

	if (at > c->len)
		at = c->len;
	if (at > entry && at - entry > MAX_PROLOGUE)
		entry = at - MAX_PROLOGUE;
	while (entry < at) {
		uint32_t before = depth;
		size_t len = prologue_step(c, entry, &depth, &bp);

		if (len > at - entry) {
			/* The instruction was misread. */
			depth = before;
			break;
		}
		entry += len;
	}
	out->return_address = depth;
	out->saved_fp = bp < 0 || bp > depth ? -1 : (int32_t)(depth - bp);
}

/* Returns true when the function returns at `at` and has released its frame. */
static bool code_leaves(const struct machine_code *c, size_t at)
{
	if (pattern_is_at(c, at, &vzeroupper))
		at += vzeroupper.len;
	if (pattern_is_at(c, at, &ret) || pattern_is_at(c, at, &ret_n) ||
	    pattern_is_at(c, at, &poll8))
		return true;
	if (pattern_is_at(c, at, &poll32a))
		return pattern_is_at(c, at + poll32a.len, &ja);
	if (pattern_is_at(c, at, &old_poll))
		return pattern_is_at(c, at + old_poll.len, &ret);
	if (pattern_is_at(c, at, &old_poll_r))
		return pattern_is_at(c, at + old_poll_r.len, &ret);
	return false;
}

static bool code_jumps_away(const struct machine_code *c, size_t at)
{
	return pattern_is_at(c, at, &jmp32) || pattern_is_at(c, at, &jmp_r) ||
	       pattern_is_at(c, at, &jmp_r8);
}

/* Returns true at the jump of a poll before a return, after its comparison. */
static bool code_is_in_poll(const struct machine_code *c, size_t at)
{
	if (pattern_is_at(c, at, &poll_stub))
		return pattern_is_at(c, at + 7, &poll_stub2);
	if (pattern_is_at(c, at, &poll_stub2))
		return true;
	if (at >= 5 && pattern_is_at(c, at, &jmp32) && at >= 7 &&
	    pattern_is_at(c, at - 7, &poll_stub2))
		return true;
	if (!pattern_is_at(c, at, &ja))
		return false;
	return (at >= 4 && pattern_is_at(c, at - 4, &poll8)) ||
	       (at >= 7 && pattern_is_at(c, at - 7, &poll32a));
}

bool x86_epilogue(const struct machine_code *c, size_t at,
		  struct frame_edge *out)
{
	bool popped = at > 0 && at <= c->len && c->bytes[at - 1] == 0x5d;

	if (code_leaves(c, at) || code_is_in_poll(c, at) ||
	    (popped && code_jumps_away(c, at))) {
		*out = (struct frame_edge){ 0, -1 };
		return true;
	}
	if (pattern_is_at(c, at, &pop_bp) &&
	    (code_leaves(c, at + 1) || code_jumps_away(c, at + 1))) {
		*out = (struct frame_edge){ 8, 0 };
		return true;
	}
	return false;
}

bool x86_is_jump_r13(const struct machine_code *c, size_t at)
{
	return pattern_is_at(c, at, &jmp_r8) && c->bytes[at + 2] == 0xe5;
}

#define SAVE_REACH 160 /* bytes of code that moves arguments */

bool x86_saves_sp(const struct machine_code *c, size_t at)
{
	/* lea r13, [rsp + 8]; pop rax, mov r13, rsp: JDK 25, 17 */
	static const struct pattern saves[] = {
		{ 6,
		  { 0x4c, 0x8d, 0x6c, 0x24, 0x08, 0x58 },
		  { ALL, ALL, ALL, ALL, ALL, ALL } },
		{ 4, { 0x58, 0x4c, 0x8b, 0xec }, { ALL, ALL, ALL, ALL } },
	};
	size_t from = at > SAVE_REACH ? at - SAVE_REACH : 0;

	for (size_t i = at; i-- > from;)
		for (size_t k = 0; k < 2; k++)
			if (pattern_is_at(c, i, &saves[k]))
				return i + saves[k].len <= at;
	return false;
}

#define MOVE_REACH 12 /* instructions between its pop and push */

/* The effect of a one-byte opcode on AX. */
enum use { USE_NONE, USE_PUTS, USE_SETS, USE_ENDS };

static enum use use_of_ax(const struct x86_instruction *i)
{
	bool is_ax = i->has_modrm && i->reg == 0;

	if (i->map != 0)
		return USE_NONE;
	switch (i->opcode) {
	case 0x50: /* push */
		return i->rex & X86_REX_B ? USE_NONE : USE_PUTS;
	case 0x58: /* pop */
		return i->rex & X86_REX_B ? USE_NONE : USE_SETS;
	case 0x89: /* mov [rsp], rax */
		return is_ax && i->mod == 0 && i->base == 4 && !i->has_index
			       ? USE_PUTS
			       : USE_NONE;
	case 0x8b: /* mov, lea */
	case 0x8d:
		return is_ax ? USE_SETS : USE_NONE;
	case 0xc3:
	case 0xe8:
	case 0xe9:
	case 0xeb:
		return USE_ENDS;
	case 0xff: /* inc, dec, calls and jumps */
		return (i->reg & 7) < 2 ? USE_NONE : USE_ENDS;
	default:
		return USE_NONE;
	}
}

bool x86_return_is_in_ax(const struct machine_code *c, size_t at)
{
	struct x86_instruction i;
	enum use use = USE_NONE;

	for (size_t n = 0; n < MOVE_REACH && use == USE_NONE; n++) {
		if (!x86_instruction_at(c->bytes, c->len, at, &i))
			return false;
		use = use_of_ax(&i);
		at += i.length;
	}
	return use == USE_PUTS;
}
