/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows machine code to a return and tracks SP and BP on the way
 * (x86_code.h).
 */
#include "core/unwind/x86_64/x86_code.h"

#include "core/unwind/x86_64/x86_instruction.h"

#include <string.h>

#define MAX_BRANCHES 256
#define SEEN_SLOTS                                                             \
	4096 /* a power of 2, more than the searched instructions              \
	      */

enum { SP = 4, BP = 5 };

/* The content of a register, if known. */
enum content { VALUE_UNKNOWN, VALUE_ADDRESS, VALUE_LOADED };

struct value {
	enum content content;
	struct code_place
		place; /* the address, or the place that it was loaded from */
};

struct branch {
	size_t at;
	struct value sp, bp;
	uint8_t sp_from; /* the register that SP was set from, other than BP */
	bool has_stored; /* the initial BP was stored below SP, at `stored` */
	int64_t stored;
};

struct search {
	const struct machine_code *code;
	struct branch branches[MAX_BRANCHES];
	size_t head, count;
	uint32_t seen[SEEN_SLOTS]; /* positions + 1 */
};

enum outcome { BRANCH_GOES_ON, BRANCH_RETURNS, BRANCH_JUMPS, BRANCH_ENDS };

static void value_move(struct value *v, int64_t bytes)
{
	int64_t offset = v->place.offset + bytes;

	if (offset < -X86_FARTHEST || offset > X86_FARTHEST)
		v->content = VALUE_UNKNOWN;
	else
		v->place.offset = (int32_t)offset;
}

static void branch_pop_bp(struct branch *b)
{
	b->bp.content = b->sp.content == VALUE_ADDRESS ? VALUE_LOADED
						       : VALUE_UNKNOWN;
	b->bp.place = b->sp.place;
	/*
	 * The code itself has stored the contents of a slot below the first SP.
	 */
	if (b->bp.content == VALUE_LOADED && !b->sp.place.is_from_fp &&
	    (b->sp.place.offset < 0 ||
	     (b->has_stored && b->stored == b->sp.place.offset)))
		b->bp = (struct value){ VALUE_ADDRESS, { true, 0 } };
	value_move(&b->sp, 8);
}

static bool operand_is(const struct x86_instruction *i, unsigned reg)
{
	return i->has_modrm && i->mod == 3 && i->rm == reg;
}

/* lea rsp, [rsp + n]; lea rsp, [rbp - n] */
static void branch_load_address(struct branch *b,
				const struct x86_instruction *i)
{
	if (i->mod == 3 || i->has_index || (i->base != SP && i->base != BP) ||
	    (i->mod == 0 && i->base == BP)) {
		b->sp.content = VALUE_UNKNOWN;
		return;
	}
	if (i->base == BP)
		b->sp = b->bp;
	if (b->sp.content == VALUE_LOADED)
		b->sp.content = VALUE_UNKNOWN;
	value_move(&b->sp, i->displacement);
}

/* mov between registers, one of which is SP or BP */
static void branch_copy(struct branch *b, unsigned to, unsigned from)
{
	struct value v = { VALUE_UNKNOWN, { false, 0 } };

	if (from == SP)
		v = b->sp;
	else if (from == BP && b->bp.content == VALUE_ADDRESS)
		v = b->bp;
	if (to == SP && from != SP && from != BP)
		b->sp_from = (uint8_t)from;
	if (to == SP)
		b->sp = v;
	else if (to == BP)
		b->bp = v;
}

/* mov [rsp + n], rbp */
static void branch_store(struct branch *b, const struct x86_instruction *i)
{
	if (i->reg != BP || i->base != SP || i->has_index ||
	    !(i->rex & X86_REX_W) || b->sp.content != VALUE_ADDRESS ||
	    b->sp.place.is_from_fp || b->bp.content != VALUE_ADDRESS ||
	    !b->bp.place.is_from_fp || b->bp.place.offset != 0)
		return;
	b->has_stored = true;
	b->stored = (int64_t)b->sp.place.offset + i->displacement;
}

/* add, or, adc, sbb, and, sub, xor, cmp with an immediate */
static void branch_compute(struct branch *b, const struct x86_instruction *i)
{
	if (!operand_is(i, SP))
		return;
	switch (i->reg & 7) {
	case 0:
		value_move(&b->sp, i->immediate);
		break;
	case 5:
		value_move(&b->sp, -i->immediate);
		break;
	case 7:
		break;
	default:
		b->sp.content = VALUE_UNKNOWN;
	}
}

/* push, pop, call or jump through memory or a register */
static enum outcome branch_apply_group(struct branch *b,
				       const struct x86_instruction *i)
{
	unsigned what = i->reg & 7;

	if (i->opcode == 0x8f) {
		value_move(&b->sp, 8);
		return BRANCH_GOES_ON;
	}
	if (what == 6)
		value_move(&b->sp, -8);
	return what == 4 || what == 5 ? BRANCH_ENDS : BRANCH_GOES_ON;
}

static void branch_leave(struct branch *b)
{
	b->sp = b->bp;
	if (b->sp.content == VALUE_LOADED)
		b->sp.content = VALUE_UNKNOWN;
	branch_pop_bp(b);
}

/*
 * The effect of a one-byte opcode on SP, BP and the path:
 *
 *	.  nothing               c  a sum with an immediate
 *	p  a push                o  a pop
 *	B  a pop of BP           S  a pop of SP; with REX.B, of R12
 *	m  mov to r/m            M  mov to a register
 *	u  changes r/m           U  changes a register
 *	l  lea                   v  leave
 *	g  push, pop, call or jump by ModRM
 *	j  conditional jump      e  jump, or the end of the path
 *	r  return
 */
/* clang-format off */
static const char *const effects[16] = {
	/* 0 1 2 3 4 5 6 7 8 9 a b c d e f */
	".u.U.....u.U....",
	".u.U.....u.U....",
	".u.U.....u.U....",
	".u.U............", /* 38: cmp */
	"................",
	"ppppppppooooSBoo",
	"........p.p.....",
	"jjjjjjjjjjjjjjjj",
	".c.c...u.m.M.l.g",
	"............po..",
	"................",
	"................",
	"..rr.....v..e...",
	"................",
	"jjjj.....e.e....",
	"....e..........g",
};
/* clang-format on */

static void branch_change_sp(struct branch *b, const struct x86_instruction *i,
			     char effect)
{
	bool is_dest = effect == 'u' ? operand_is(i, SP) : i->reg == SP;

	if (effect == 'c')
		branch_compute(b, i);
	else if (effect == 'l' && is_dest)
		branch_load_address(b, i);
	else if (effect == 'm' && i->mod == 3)
		branch_copy(b, i->rm, i->reg);
	else if (effect == 'm' && i->opcode == 0x89)
		branch_store(b, i);
	else if (effect == 'M' && i->mod == 3)
		branch_copy(b, i->reg, i->rm);
	else if (effect != 'm' && is_dest)
		b->sp.content = VALUE_UNKNOWN;
}

static enum outcome branch_apply_one_byte(struct branch *b,
					  const struct x86_instruction *i)
{
	char effect = effects[i->opcode >> 4][i->opcode & 15];

	if (i->rex & X86_REX_B && (effect == 'B' || effect == 'S'))
		effect = 'o';
	switch (effect) {
	case 'p':
		value_move(&b->sp, -8);
		return BRANCH_GOES_ON;
	case 'o':
		value_move(&b->sp, 8);
		return BRANCH_GOES_ON;
	case 'B':
		branch_pop_bp(b);
		return BRANCH_GOES_ON;
	case 'S':
		b->sp.content = VALUE_UNKNOWN;
		return BRANCH_GOES_ON;
	case 'g':
		return branch_apply_group(b, i);
	case 'v':
		branch_leave(b);
		return BRANCH_GOES_ON;
	case 'j':
		return BRANCH_JUMPS;
	case 'e':
		return BRANCH_ENDS;
	case 'r':
		return BRANCH_RETURNS;
	case '.':
		return BRANCH_GOES_ON;
	default:
		branch_change_sp(b, i, effect);
		return BRANCH_GOES_ON;
	}
}

static enum outcome branch_apply(struct branch *b,
				 const struct x86_instruction *i)
{
	if (i->map == 0)
		return branch_apply_one_byte(b, i);
	if (i->map != 1 || i->is_vex)
		return BRANCH_GOES_ON;
	if (i->opcode == 0x0b) /* ud2 */
		return BRANCH_ENDS;
	return (i->opcode & 0xf0) == 0x80 ? BRANCH_JUMPS : BRANCH_GOES_ON;
}

static bool instruction_is_jump(const struct x86_instruction *i)
{
	return i->map == 0 && (i->opcode == 0xe9 || i->opcode == 0xeb);
}

static bool branch_finish(const struct branch *b, struct code_path *out)
{
	if (b->sp.content != VALUE_ADDRESS || b->bp.content == VALUE_UNKNOWN)
		return false;
	out->is_return = true;
	out->return_address = b->sp.place;
	out->has_saved_fp = b->bp.content == VALUE_LOADED;
	out->saved_fp = b->bp.place;
	return true;
}

static struct branch branch_start(size_t at)
{
	return (struct branch){
		at,
		{ VALUE_ADDRESS, { false, 0 } },
		{ VALUE_ADDRESS, { true, 0 } },
		0,
		false,
		0,
	};
}

static void path_go(const struct machine_code *c, size_t at, bool follows,
		    struct code_path *out)
{
	struct branch b = branch_start(at);
	struct value before = b.sp;
	struct x86_instruction i;
	size_t n = 0;

	*out = (struct code_path){ 0 };
	for (; n < X86_MOST_STRAIGHT; n++) {
		enum outcome outcome;

		out->instructions++;
		if (!x86_instruction_at(c->bytes, c->len, b.at, &i))
			return;
		outcome = branch_apply(&b, &i);
		if (outcome == BRANCH_RETURNS && branch_finish(&b, out))
			return;
		if (outcome == BRANCH_RETURNS || b.sp_from ||
		    (outcome == BRANCH_ENDS &&
		     !(follows && instruction_is_jump(&i))))
			break;
		before = b.sp;
		b.at += i.length;
		/* A target outside the code has no instruction. */
		if (outcome == BRANCH_ENDS)
			b.at += (size_t)i.immediate;
	}
	/* A sum in the middle of the code tells nothing about the return. */
	if (n == X86_MOST_STRAIGHT)
		return;
	if (b.sp_from)
		b.sp = before;
	if (b.sp.content == VALUE_ADDRESS && !b.sp.place.is_from_fp) {
		out->sp_from = b.sp_from;
		out->given_back = b.sp.place.offset;
	}
}

void x86_straight(const struct machine_code *c, size_t at,
		  struct code_path *out)
{
	path_go(c, at, false, out);
}

void x86_follow(const struct machine_code *c, size_t at, struct code_path *out)
{
	path_go(c, at, true, out);
}

/* Returns true the first time a position is visited. */
static bool search_is_new(struct search *s, size_t at)
{
	size_t slot = at * 0x9e3779b1u & (SEEN_SLOTS - 1);

	while (s->seen[slot] && s->seen[slot] != at + 1)
		slot = (slot + 1) & (SEEN_SLOTS - 1);
	if (s->seen[slot])
		return false;
	s->seen[slot] = (uint32_t)(at + 1);
	return true;
}

static void search_add_branch(struct search *s, const struct branch *b,
			      int64_t target)
{
	if (target < 0 || (uint64_t)target >= s->code->len ||
	    s->count - s->head == MAX_BRANCHES)
		return;
	s->branches[s->count % MAX_BRANCHES] = *b;
	s->branches[s->count++ % MAX_BRANCHES].at = (size_t)target;
}

/*
 * Follows one path to its end and queues the paths that branch off. *left
 * counts instructions down.
 */
static bool search_follow(struct search *s, struct branch b, size_t *left,
			  struct code_path *out)
{
	struct x86_instruction i;

	while (*left > 0 && search_is_new(s, b.at)) {
		enum outcome outcome;

		(*left)--;
		out->instructions++;
		if (!x86_instruction_at(s->code->bytes, s->code->len, b.at, &i))
			return false;
		outcome = branch_apply(&b, &i);
		if (outcome == BRANCH_RETURNS)
			return branch_finish(&b, out);
		b.at += i.length;
		/* Only the distances of jumps are limited to 32 bits. */
		if (outcome == BRANCH_JUMPS ||
		    (outcome == BRANCH_ENDS && instruction_is_jump(&i)))
			search_add_branch(s, &b, (int64_t)b.at + i.immediate);
		if (outcome == BRANCH_ENDS)
			return false;
	}
	return false;
}

void x86_search(const struct machine_code *c, size_t at, struct code_path *out)
{
	struct search s = { .code = c };
	struct branch first = branch_start(at);
	size_t left = X86_MOST_SEARCHED;

	*out = (struct code_path){ 0 };
	if (c->len >= UINT32_MAX)
		return;
	search_add_branch(&s, &first, (int64_t)at);
	while (s.head < s.count && left > 0)
		if (search_follow(&s, s.branches[s.head++ % MAX_BRANCHES],
				  &left, out))
			return;
}
