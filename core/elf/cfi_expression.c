/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/cfi_expression.h"

#include "core/elf/dwarf_cursor.h"
#include "core/elf/elf_image.h"

#include <stddef.h>

/* DWARF 5, section 7.7.1. */
enum {
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b,
	OP_CONST4U = 0x0c,
	OP_CONST4S = 0x0d,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_GE = 0x2a,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
};

/* What is known of a value without having any register's. */
struct term {
	enum {
		NUMBER,
		ADDRESS,  /* IP: of its bits only those within a page */
		REGISTER, /* a register, */
		MEMORY,   /* or what stands at one, + the number */
	} kind;
	uint8_t base;
	int64_t offset; /* of MEMORY, in memory */
	int64_t number;
};

enum { DEPTH = 8, PAGE_BITS = 0xfff };

struct stack {
	struct term terms[DEPTH];
	size_t depth;
	bool failed;
};

static void push(struct stack *s, struct term term)
{
	if (s->depth == DEPTH)
		s->failed = true;
	else
		s->terms[s->depth++] = term;
}

static void push_number(struct stack *s, int64_t number)
{
	push(s, (struct term){ .kind = NUMBER, .number = number });
}

static struct term pop(struct stack *s)
{
	if (s->depth)
		return s->terms[--s->depth];
	s->failed = true;
	return (struct term){ 0 };
}

/* Sums wrap, as those of the machine do. */
static int64_t sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void add(struct stack *s, struct term a, struct term b)
{
	if (a.kind == NUMBER) {
		b.number = sum(b.number, a.number);
		push(s, b);
		return;
	}
	s->failed |= b.kind != NUMBER;
	a.number = sum(a.number, b.number);
	push(s, a);
}

/* Of two numbers; the bits of an address that the loader does not change. */
static void and_bits(struct stack *s, struct term a, struct term b)
{
	s->failed |= b.kind != NUMBER;
	s->failed |= a.kind == ADDRESS ? b.number & ~(int64_t)PAGE_BITS
				       : a.kind != NUMBER;
	push_number(s, a.number & b.number);
}

static void binary(struct stack *s, uint8_t op)
{
	struct term b = pop(s), a = pop(s);

	switch (op) {
	case OP_PLUS:
		add(s, a, b);
		return;
	case OP_AND:
		and_bits(s, a, b);
		return;
	}
	s->failed |= b.kind != NUMBER || (op != OP_MINUS && a.kind != NUMBER);
	if (op == OP_MINUS) {
		a.number = (int64_t)((uint64_t)a.number - (uint64_t)b.number);
		push(s, a);
	} else if (op == OP_GE) {
		push_number(s, a.number >= b.number);
	} else {
		s->failed |= b.number < 0 || b.number > 63;
		push_number(s,
			    (int64_t)((uint64_t)a.number << (b.number & 63)));
	}
}

static void deref(struct stack *s)
{
	struct term t = pop(s);

	s->failed |= t.kind != REGISTER;
	t.kind = MEMORY;
	t.offset = t.number;
	t.number = 0;
	push(s, t);
}

static void push_register(struct stack *s, uint8_t reg, int64_t offset,
			  uint64_t address)
{
	if (reg == DWARF_RA)
		push(s,
		     (struct term){ .kind = ADDRESS,
				    .number = sum((int64_t)address, offset) });
	else
		push(s, (struct term){ .kind = REGISTER,
				       .base = reg,
				       .number = offset });
	s->failed |= reg > DWARF_RA;
}

/* The number that such an instruction has behind it. */
static int64_t constant(struct cursor *c, uint8_t op)
{
	switch (op) {
	case OP_CONST1U:
		return cursor_u8(c);
	case OP_CONST1S:
		return (int8_t)cursor_u8(c);
	case OP_CONST2U:
		return dwarf_u16(c);
	case OP_CONST2S:
		return (int16_t)dwarf_u16(c);
	case OP_CONST4U:
		return dwarf_u32(c);
	case OP_CONST4S:
		return (int32_t)dwarf_u32(c);
	case OP_CONSTU:
		return (int64_t)dwarf_uleb(c);
	case OP_CONSTS:
		return dwarf_sleb(c);
	default:
		cursor_fail(c);
		return 0;
	}
}

static void step(struct stack *s, struct cursor *c, uint64_t address)
{
	uint8_t op = cursor_u8(c);

	if (op >= OP_LIT0 && op <= OP_LIT31)
		push_number(s, op - OP_LIT0);
	else if (op >= OP_BREG0 && op <= OP_BREG31)
		push_register(s, op - OP_BREG0, dwarf_sleb(c), address);
	else if (op == OP_DEREF)
		deref(s);
	else if (op == OP_PLUS_UCONST)
		add(s, pop(s),
		    (struct term){ .kind = NUMBER,
				   .number = (int64_t)dwarf_uleb(c) });
	else if (op == OP_AND || op == OP_MINUS || op == OP_PLUS ||
		 op == OP_SHL || op == OP_GE)
		binary(s, op);
	else
		push_number(s, constant(c, op));
}

bool cfi_expression(struct cursor expression, uint64_t address,
		    struct cfi_value *value)
{
	struct stack s = { 0 };
	struct term t;

	while (cursor_left(&expression) && !s.failed)
		step(&s, &expression, address);
	t = pop(&s);
	if (s.failed || !cursor_ok(&expression))
		return false;
	/* A row has no room for a number that is added to what was read. */
	if (t.kind == MEMORY ? t.number != 0 : t.kind != REGISTER)
		return false;
	if (t.kind == REGISTER)
		t.offset = t.number;
	*value = (struct cfi_value){ .base = t.base,
				     .is_memory = t.kind == MEMORY,
				     .offset = (int32_t)t.offset };
	return t.offset == value->offset;
}
