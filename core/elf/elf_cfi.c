/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/elf_cfi.h"

#include "core/base/alloc.h"
#include "core/elf/dwarf_cursor.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * ---- expressions ----
 *
 * The DWARF expressions in use reduce to a register and an offset, or to the
 * word in memory there: in PLT entries, in signal frames, in functions that
 * realign their stack.  No other expression is supported.
 */

struct cfi_value {
	uint8_t base;   /* a register by its DWARF number, below DWARF_RA */
	bool is_memory; /* the value is the word at base + offset */
	int32_t offset;
};

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

/* A value, as far as it is known without register values. */
struct cfi_term {
	enum {
		TERM_NUMBER,
		TERM_ADDRESS, /* the IP: only its offset in the page is known */
		TERM_REGISTER, /* base + number */
		TERM_MEMORY,   /* the word at base + offset, + number */
	} kind;
	uint8_t base;
	int64_t offset; /* offset of the word in memory, if TERM_MEMORY */
	int64_t number;
};

enum { STACK_DEPTH = 8, PAGE_BITS = 0xfff };

struct cfi_stack {
	struct cfi_term terms[STACK_DEPTH];
	size_t depth;
	bool failed;
};

static void stack_push(struct cfi_stack *s, struct cfi_term term)
{
	if (s->depth == STACK_DEPTH)
		s->failed = true;
	else
		s->terms[s->depth++] = term;
}

static void stack_push_number(struct cfi_stack *s, int64_t number)
{
	stack_push(s,
		   (struct cfi_term){ .kind = TERM_NUMBER, .number = number });
}

static struct cfi_term stack_pop(struct cfi_stack *s)
{
	if (s->depth)
		return s->terms[--s->depth];
	s->failed = true;
	return (struct cfi_term){ 0 };
}

/* Sums wrap, as in the machine. */
static int64_t term_sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void stack_add(struct cfi_stack *s, struct cfi_term a, struct cfi_term b)
{
	if (a.kind == TERM_NUMBER) {
		b.number = term_sum(b.number, a.number);
		stack_push(s, b);
		return;
	}
	s->failed |= b.kind != TERM_NUMBER;
	a.number = term_sum(a.number, b.number);
	stack_push(s, a);
}

/*
 * Computes the AND of two numbers, or of an address and a mask that keeps the
 * bits that the loader does not change.
 */
static void stack_and(struct cfi_stack *s, struct cfi_term a, struct cfi_term b)
{
	s->failed |= b.kind != TERM_NUMBER;
	s->failed |= a.kind == TERM_ADDRESS ? b.number & ~(int64_t)PAGE_BITS
					    : a.kind != TERM_NUMBER;
	stack_push_number(s, a.number & b.number);
}

static void stack_binary(struct cfi_stack *s, uint8_t op)
{
	struct cfi_term b = stack_pop(s), a = stack_pop(s);

	switch (op) {
	case OP_PLUS:
		stack_add(s, a, b);
		return;
	case OP_AND:
		stack_and(s, a, b);
		return;
	}
	s->failed |= b.kind != TERM_NUMBER ||
		     (op != OP_MINUS && a.kind != TERM_NUMBER);
	if (op == OP_MINUS) {
		a.number = (int64_t)((uint64_t)a.number - (uint64_t)b.number);
		stack_push(s, a);
	} else if (op == OP_GE) {
		stack_push_number(s, a.number >= b.number);
	} else {
		s->failed |= b.number < 0 || b.number > 63;
		stack_push_number(
			s, (int64_t)((uint64_t)a.number << (b.number & 63)));
	}
}

static void stack_deref(struct cfi_stack *s)
{
	struct cfi_term t = stack_pop(s);

	s->failed |= t.kind != TERM_REGISTER;
	t.kind = TERM_MEMORY;
	t.offset = t.number;
	t.number = 0;
	stack_push(s, t);
}

static void stack_push_register(struct cfi_stack *s, uint8_t reg,
				int64_t offset, uint64_t address)
{
	if (reg == DWARF_RA)
		stack_push(s, (struct cfi_term){
				      .kind = TERM_ADDRESS,
				      .number = term_sum((int64_t)address,
							 offset) });
	else
		stack_push(s, (struct cfi_term){ .kind = TERM_REGISTER,
						 .base = reg,
						 .number = offset });
	s->failed |= reg > DWARF_RA;
}

/* Reads the operand of an instruction for a constant. */
static int64_t expression_constant(struct cursor *c, uint8_t op)
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

static void expression_step(struct cfi_stack *s, struct cursor *c,
			    uint64_t address)
{
	uint8_t op = cursor_u8(c);

	if (op >= OP_LIT0 && op <= OP_LIT31)
		stack_push_number(s, op - OP_LIT0);
	else if (op >= OP_BREG0 && op <= OP_BREG31)
		stack_push_register(s, op - OP_BREG0, dwarf_sleb(c), address);
	else if (op == OP_DEREF)
		stack_deref(s);
	else if (op == OP_PLUS_UCONST)
		stack_add(
			s, stack_pop(s),
			(struct cfi_term){ .kind = TERM_NUMBER,
					   .number = (int64_t)dwarf_uleb(c) });
	else if (op == OP_AND || op == OP_MINUS || op == OP_PLUS ||
		 op == OP_SHL || op == OP_GE)
		stack_binary(s, op);
	else
		stack_push_number(s, expression_constant(c, op));
}

/*
 * Evaluates an expression at an address of the file.  Returns false when the
 * result is another kind of value, or the expression is damaged.
 */
static bool cfi_expression(struct cursor expression, uint64_t address,
			   struct cfi_value *value)
{
	struct cfi_stack s = { 0 };
	struct cfi_term t;

	while (cursor_left(&expression) && !s.failed)
		expression_step(&s, &expression, address);
	t = stack_pop(&s);
	if (s.failed || !cursor_ok(&expression))
		return false;
	/* A row cannot add a number to a word from memory. */
	if (t.kind == TERM_MEMORY ? t.number != 0 : t.kind != TERM_REGISTER)
		return false;
	if (t.kind == TERM_REGISTER)
		t.offset = t.number;
	*value = (struct cfi_value){ .base = t.base,
				     .is_memory = t.kind == TERM_MEMORY,
				     .offset = (int32_t)t.offset };
	return t.offset == value->offset;
}

/*
 * ---- instructions ----
 *
 * DWARF 5, sections 6.4.2 and 7.24, and the GNU instructions of the Linux
 * Standard Base, Core, 10.5.2.  The instructions are foreign: a run allocates
 * nothing, and its time is limited by their length.
 */

/* A CIE: the part that the entries (FDEs) of many functions share. */
struct cfi_common {
	uint64_t section; /* the address of the cursors' base */
	uint64_t code_unit;
	int64_t data_unit;
	uint8_t pointers; /* the encoding of addresses, dwarf_cursor.h */
	bool has_sizes;   /* each FDE has an augmentation length */
	bool is_signal;
	struct cursor instructions; /* they make the first row */
};

/* DWARF 5, table 7.29; the first three have an operand in their low bits. */
enum {
	CFA_ADVANCE_LOC = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_LOC1 = 0x02,
	CFA_ADVANCE_LOC2 = 0x03,
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

/* Maximum number of remembered states; compilers use one at a time. */
enum { REMEMBERED = 8 };

struct cfi_state {
	struct cfi_row row;
	bool has_cfa, has_return; /* the row defines them */
};

struct cfi_run {
	const struct cfi_common *common;
	struct cursor c;
	uint64_t location, address;
	struct cfi_state now, first;
	struct cfi_state remembered[REMEMBERED];
	size_t depth;
	bool is_first; /* these instructions are the CIE's */
	bool is_done;  /* the next row is for higher addresses */
};

/* Ignores vector registers, and makes a register undefined if the rule does
 * not fit into a row. */
static void run_set_rule(struct cfi_run *r, uint64_t reg, enum cfi_rule rule,
			 uint64_t base, int64_t offset)
{
	bool can = base < DWARF_REGISTERS && offset == (int32_t)offset;

	if (reg >= DWARF_REGISTERS)
		return;
	if (reg == DWARF_RA)
		r->now.has_return = can;
	if (!can) {
		rule = CFI_UNDEFINED;
		base = 0;
		offset = 0;
	}
	r->now.row.registers[reg].rule = (uint8_t)rule;
	r->now.row.registers[reg].base = (uint8_t)base;
	r->now.row.registers[reg].offset = (int32_t)offset;
}

static void run_restore(struct cfi_run *r, uint64_t reg)
{
	if (r->is_first)
		cursor_fail(&r->c);
	if (reg >= DWARF_REGISTERS)
		return;
	if (reg == DWARF_RA)
		r->now.has_return = r->first.has_return;
	r->now.row.registers[reg] = r->first.row.registers[reg];
}

static int64_t run_scale(const struct cfi_run *r, int64_t offset)
{
	return (int64_t)((uint64_t)offset * (uint64_t)r->common->data_unit);
}

/* Reads an unsigned or signed factored offset. */
static int64_t run_read_factored(struct cfi_run *r, bool is_signed)
{
	return run_scale(r, is_signed ? dwarf_sleb(&r->c)
				      : (int64_t)dwarf_uleb(&r->c));
}

static void run_set_cfa(struct cfi_run *r, uint64_t reg, int64_t offset)
{
	r->now.row.cfa_register = (uint8_t)reg;
	r->now.row.cfa_offset = (int32_t)offset;
	r->now.row.cfa_is_memory = false;
	r->now.has_cfa = reg < DWARF_RA && offset == (int32_t)offset;
}

/* Changes the register or the offset of a CFA that is register + offset. */
static void run_change_cfa(struct cfi_run *r, uint64_t reg, int64_t offset)
{
	bool was = r->now.has_cfa && !r->now.row.cfa_is_memory;

	run_set_cfa(r, reg, offset);
	r->now.has_cfa &= was;
}

static void run_set_cfa_expression(struct cfi_run *r)
{
	uint64_t len = dwarf_uleb(&r->c);
	struct cursor e = cursor_slice(&r->c, len);
	struct cfi_value value = { 0 };

	r->now.has_cfa = cfi_expression(e, r->address, &value);
	r->now.row.cfa_register = value.base;
	r->now.row.cfa_is_memory = value.is_memory;
	r->now.row.cfa_offset = value.offset;
}

/*
 * Sets a rule by an expression: the register's address or, if is_value, its
 * value.
 */
static void run_set_expression(struct cfi_run *r, bool is_value)
{
	uint64_t reg = dwarf_uleb(&r->c), len = dwarf_uleb(&r->c);
	struct cursor e = cursor_slice(&r->c, len);
	struct cfi_value value = { 0 };
	bool can = cfi_expression(e, r->address, &value);

	/* A value that is a word in memory is a register saved there. */
	can &= !value.is_memory || is_value;
	run_set_rule(r, reg,
		     is_value && !value.is_memory ? CFI_IS_REGISTER
						  : CFI_AT_REGISTER,
		     can ? value.base : DWARF_REGISTERS, value.offset);
}

static void run_remember(struct cfi_run *r)
{
	if (r->depth == REMEMBERED)
		cursor_fail(&r->c);
	else
		r->remembered[r->depth++] = r->now;
}

/* Restores the whole row with the CFA, as GCC and LLVM expect. */
static void run_restore_state(struct cfi_run *r)
{
	if (r->depth == 0)
		cursor_fail(&r->c);
	else
		r->now = r->remembered[--r->depth];
}

static void run_go_to(struct cfi_run *r, uint64_t location)
{
	/* The instructions of a CIE belong to no address. */
	if (r->is_first)
		cursor_fail(&r->c);
	r->location = location;
	r->is_done = location > r->address;
}

static void run_advance(struct cfi_run *r, uint64_t units)
{
	run_go_to(r, r->location + units * r->common->code_unit);
}

/* Handles instructions that define the CFA or advance the address. */
static bool run_step_place(struct cfi_run *r, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case CFA_SET_LOC:
		run_go_to(r, dwarf_pointer(&r->c, r->common->pointers,
					   r->common->section));
		return true;
	case CFA_ADVANCE_LOC1:
		run_advance(r, cursor_u8(&r->c));
		return true;
	case CFA_ADVANCE_LOC2:
		run_advance(r, dwarf_u16(&r->c));
		return true;
	case CFA_ADVANCE_LOC4:
		run_advance(r, dwarf_u32(&r->c));
		return true;
	case CFA_DEF_CFA:
	case CFA_DEF_CFA_SF:
		reg = dwarf_uleb(&r->c);
		run_set_cfa(r, reg,
			    op == CFA_DEF_CFA ? (int64_t)dwarf_uleb(&r->c)
					      : run_read_factored(r, true));
		return true;
	case CFA_DEF_CFA_REGISTER:
		run_change_cfa(r, dwarf_uleb(&r->c), r->now.row.cfa_offset);
		return true;
	case CFA_DEF_CFA_OFFSET:
		run_change_cfa(r, r->now.row.cfa_register,
			       (int64_t)dwarf_uleb(&r->c));
		return true;
	case CFA_DEF_CFA_OFFSET_SF:
		run_change_cfa(r, r->now.row.cfa_register,
			       run_read_factored(r, true));
		return true;
	case CFA_DEF_CFA_EXPRESSION:
		run_set_cfa_expression(r);
		return true;
	default:
		return false;
	}
}

/* Handles instructions for a register, whose number is the first operand. */
static bool run_step_register(struct cfi_run *r, uint8_t op)
{
	uint64_t reg = dwarf_uleb(&r->c);

	switch (op) {
	case CFA_OFFSET_EXTENDED:
	case CFA_OFFSET_EXTENDED_SF:
		run_set_rule(
			r, reg, CFI_AT_CFA, 0,
			run_read_factored(r, op == CFA_OFFSET_EXTENDED_SF));
		return true;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		run_set_rule(
			r, reg, CFI_AT_CFA, 0,
			(int64_t)(0 - (uint64_t)run_read_factored(r, false)));
		return true;
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:
		run_set_rule(r, reg, CFI_IS_CFA, 0,
			     run_read_factored(r, op == CFA_VAL_OFFSET_SF));
		return true;
	case CFA_REGISTER:
		run_set_rule(r, reg, CFI_IS_REGISTER, dwarf_uleb(&r->c), 0);
		return true;
	case CFA_UNDEFINED:
		run_set_rule(r, reg, CFI_UNDEFINED, 0, 0);
		return true;
	case CFA_SAME_VALUE:
		run_set_rule(r, reg, CFI_SAME, 0, 0);
		return true;
	case CFA_RESTORE_EXTENDED:
		run_restore(r, reg);
		return true;
	default:
		return false;
	}
}

static void run_step_other(struct cfi_run *r, uint8_t op)
{
	switch (op) {
	case CFA_NOP:
		break;
	case CFA_REMEMBER_STATE:
		run_remember(r);
		break;
	case CFA_RESTORE_STATE:
		run_restore_state(r);
		break;
	case CFA_EXPRESSION:
	case CFA_VAL_EXPRESSION:
		run_set_expression(r, op == CFA_VAL_EXPRESSION);
		break;
	case CFA_GNU_ARGS_SIZE:
		dwarf_uleb(&r->c);
		break;
	default:
		if (!run_step_register(r, op))
			cursor_fail(&r->c);
	}
}

static void run_step(struct cfi_run *r)
{
	uint8_t op = cursor_u8(&r->c), operand = op & 0x3f;

	switch (op & 0xc0) {
	case CFA_ADVANCE_LOC:
		run_advance(r, operand);
		return;
	case CFA_OFFSET:
		run_set_rule(r, operand, CFI_AT_CFA, 0,
			     run_read_factored(r, false));
		return;
	case CFA_RESTORE:
		run_restore(r, operand);
		return;
	}
	if (!run_step_place(r, op))
		run_step_other(r, op);
}

static bool run_instructions(struct cfi_run *r, struct cursor instructions)
{
	r->c = instructions;
	while (cursor_left(&r->c) && !r->is_done)
		run_step(r);
	return cursor_ok(&r->c);
}

/*
 * Sets the rules of registers without a rule: callees preserve some, SP is the
 * CFA (System V ABI AMD64, figure 3.4), and all others are lost.
 */
static void run_set_defaults(struct cfi_run *r)
{
	const struct elf_machine *m = &ELF_MACHINE;

	for (size_t i = 0; i < DWARF_REGISTERS; i++)
		run_set_rule(r, i, CFI_UNDEFINED, 0, 0);
	for (size_t i = 0; i < m->preserved_count; i++)
		run_set_rule(r, m->preserved[i], CFI_SAME, 0, 0);
	run_set_rule(r, m->sp, CFI_IS_CFA, 0, 0);
	/* Only a rule marks the root of a stack; a missing rule does not. */
	r->now.has_return = false;
}

/*
 * Computes the row for an address of the function that begins at start and has
 * these instructions.  Returns false when they are damaged, or a row cannot
 * express the result.
 */
static bool cfi_program_row(const struct cfi_common *common,
			    struct cursor instructions, uint64_t start,
			    uint64_t address, struct cfi_row *row)
{
	struct cfi_run r = { .common = common,
			     .location = start,
			     .address = address,
			     .is_first = true };

	run_set_defaults(&r);
	if (!run_instructions(&r, common->instructions))
		return false;
	r.is_first = false;
	r.first = r.now;
	if (!run_instructions(&r, instructions) || !r.now.has_cfa ||
	    !r.now.has_return)
		return false;
	*row = r.now.row;
	row->is_signal = common->is_signal;
	return true;
}

/* ---- finding the entry of an address ---- */

enum {
	FRAMES_MAX = 64 << 20, /* libjvm has 2 MB, the largest file 30 MB */
	TABLE_MAX = 16 << 20,  /* 8 bytes per function */
	ENTRY_MAX = 1 << 18,   /* the largest known entry has 10 KB */
	AUGMENTATION_MAX = 8,  /* "zPLRS" */
	TABLE_HEAD = 12,       /* bytes of .eh_frame_hdr before its table */
	TABLE_ENTRY = 8,       /* as all linkers write it */
	EH_VERSION = 1,        /* of .eh_frame_hdr */
	PCREL_SDATA4 = 0x1b,   /* the encodings in .eh_frame_hdr */
	UDATA4 = 0x03,
	DATAREL_SDATA4 = 0x3b,
};

#define DEBUG_COMMON UINT32_MAX /* marks a CIE in .debug_frame */

/* The start of a function, and its entry in the section. */
struct cfi_place {
	uint64_t start;
	uint32_t entry;
};

/* An entry: a CIE or an FDE. */
struct cfi_entry {
	struct cursor rest; /* after its id */
	uint32_t common;    /* offset of an FDE's CIE; UINT32_MAX for a CIE */
	size_t end;         /* the start of the next entry */
};

/* An FDE. */
struct cfi_function {
	struct cfi_common common;
	uint64_t start, len;
	struct cursor instructions;
};

static bool cfi_read_entry(const struct elf_cfi *cfi, uint64_t offset,
			   struct cfi_entry *e)
{
	struct cursor all = cursor_over(cfi->frames.bytes, cfi->frames.len);
	struct cursor c = cursor_from(&all, offset);
	uint32_t len = dwarf_u32(&c), id;
	size_t id_at;

	/* 0 ends the section.  No compiler writes 64-bit DWARF here. */
	if (len == 0)
		return false;
	e->rest = cursor_slice(&c, len);
	e->end = cursor_offset(&c);
	id_at = cursor_offset(&e->rest);
	id = dwarf_u32(&e->rest);
	if (!cursor_ok(&e->rest))
		return false;
	if (id == (cfi->is_debug ? DEBUG_COMMON : 0)) {
		e->common = UINT32_MAX;
		return true;
	}
	if (!cfi->is_debug && id > id_at)
		return false;
	e->common = cfi->is_debug ? id : (uint32_t)(id_at - id);
	return true;
}

/* Reads the data of an augmentation that begins with 'z'. */
static bool cfi_read_augmentation(struct cursor *c, const char *letters,
				  struct cfi_common *common)
{
	for (; *letters; letters++) {
		uint8_t encoding;

		switch (*letters) {
		case 'R':
			common->pointers = cursor_u8(c);
			break;
		case 'L':
			cursor_u8(c);
			break;
		case 'P': /* skip the personality routine */
			encoding = cursor_u8(c);
			dwarf_pointer(c, encoding & DWARF_POINTER_FORMAT, 0);
			break;
		case 'S':
			common->is_signal = true;
			break;
		default:
			return false;
		}
	}
	return cursor_ok(c);
}

/* Reads the letters of an augmentation; false when there are too many. */
static bool cfi_read_letters(struct cursor *c, char letters[AUGMENTATION_MAX])
{
	for (size_t i = 0; i < AUGMENTATION_MAX; i++) {
		letters[i] = (char)cursor_u8(c);
		if (!letters[i])
			return cursor_ok(c);
	}
	return false;
}

static bool cfi_read_common(const struct elf_cfi *cfi, uint64_t offset,
			    struct cfi_common *common)
{
	char letters[AUGMENTATION_MAX];
	struct cfi_entry e;
	struct cursor c;
	uint64_t return_register, len;
	uint8_t version;

	if (!cfi_read_entry(cfi, offset, &e) || e.common != UINT32_MAX)
		return false;
	c = e.rest;
	version = cursor_u8(&c);
	if (!cfi_read_letters(&c, letters))
		return false;
	if (version == 4) {
		uint16_t sizes = dwarf_u16(&c);

		/* Addresses have 8 bytes, segment selectors none. */
		if (sizes != 8)
			return false;
	}
	*common = (struct cfi_common){ .section = cfi->frames.address };
	common->code_unit = dwarf_uleb(&c);
	common->data_unit = dwarf_sleb(&c);
	return_register = version == 1 ? cursor_u8(&c) : dwarf_uleb(&c);
	common->has_sizes = letters[0] == 'z';
	if (common->has_sizes) {
		struct cursor augmentation;

		len = dwarf_uleb(&c);
		augmentation = cursor_slice(&c, len);
		if (!cfi_read_augmentation(&augmentation, letters + 1, common))
			return false;
	} else if (letters[0]) {
		return false;
	}
	common->instructions = c;
	return cursor_ok(&c) && return_register == ELF_MACHINE.ra &&
	       (version == 1 || version == 3 || version == 4) &&
	       cursor_left(&c) <= ENTRY_MAX;
}

static bool cfi_read_function(const struct elf_cfi *cfi, uint64_t offset,
			      struct cfi_function *f)
{
	struct cfi_entry e;
	uint64_t len;

	if (!cfi_read_entry(cfi, offset, &e) || e.common == UINT32_MAX ||
	    !cfi_read_common(cfi, e.common, &f->common))
		return false;
	f->start = dwarf_pointer(&e.rest, f->common.pointers,
				 f->common.section);
	f->len = dwarf_pointer(&e.rest,
			       f->common.pointers & DWARF_POINTER_FORMAT, 0);
	if (f->common.has_sizes) {
		len = dwarf_uleb(&e.rest);
		cursor_skip(&e.rest, len);
	}
	f->instructions = e.rest;
	return cursor_ok(&e.rest) && cursor_left(&e.rest) <= ENTRY_MAX;
}

static int cfi_compare_starts(const void *a, const void *b)
{
	const struct cfi_place *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Writes the functions of a section to places, or only counts them (NULL). */
static size_t cfi_list_places(const struct elf_cfi *cfi,
			      struct cfi_place *places)
{
	struct cfi_function f;
	struct cfi_entry e;
	size_t count = 0;

	for (size_t at = 0; cfi_read_entry(cfi, at, &e); at = e.end) {
		if (e.common == UINT32_MAX || !cfi_read_function(cfi, at, &f))
			continue;
		if (places)
			places[count] = (struct cfi_place){
				.start = f.start, .entry = (uint32_t)at
			};
		count++;
	}
	return count;
}

/* Lists the functions of a section without a table. */
static void cfi_make_places(struct elf_cfi *cfi)
{
	size_t count = cfi_list_places(cfi, NULL);

	cfi->has_places = true;
	if (!budget_charge(cfi->frames.budget, count * sizeof(*cfi->places)))
		return;
	cfi->places = xcalloc(count, sizeof(*cfi->places));
	cfi->place_count = cfi_list_places(cfi, cfi->places);
	if (cfi->place_count)
		qsort(cfi->places, cfi->place_count, sizeof(*cfi->places),
		      cfi_compare_starts);
}

static struct cfi_place cfi_place_at(const struct elf_cfi *cfi, size_t i)
{
	int32_t offsets[2];
	uint64_t entry;

	if (!cfi->table_count)
		return cfi->places[i];
	memcpy(offsets, cfi->table.bytes + TABLE_HEAD + i * TABLE_ENTRY,
	       sizeof(offsets));
	entry = cfi->table.address + (uint64_t)(int64_t)offsets[1] -
		cfi->frames.address;
	return (struct cfi_place){
		.start = cfi->table.address + (uint64_t)(int64_t)offsets[0],
		.entry = entry < UINT32_MAX ? (uint32_t)entry : UINT32_MAX,
	};
}

/* Finds the last function that begins at or before the address. */
static bool cfi_find_place(struct elf_cfi *cfi, uint64_t address,
			   struct cfi_place *place)
{
	size_t low = 0, high;

	if (!cfi->table_count && !cfi->has_places)
		cfi_make_places(cfi);
	high = cfi->table_count ? cfi->table_count : cfi->place_count;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (cfi_place_at(cfi, mid).start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return false;
	*place = cfi_place_at(cfi, low - 1);
	return true;
}

/* Reads the entry of the function that holds an address. */
static bool cfi_find_function(struct elf_cfi *cfi, uint64_t address,
			      struct cfi_function *f)
{
	struct cfi_place place;

	return cfi->frames.bytes && cfi_find_place(cfi, address, &place) &&
	       cfi_read_function(cfi, place.entry, f) && address >= f->start &&
	       address - f->start < f->len;
}

bool elf_cfi_row(struct elf_cfi *cfi, uint64_t address, struct cfi_row *row)
{
	struct cfi_function f;

	return cfi_find_function(cfi, address, &f) &&
	       cfi_program_row(&f.common, f.instructions, f.start, address,
			       row);
}

uint64_t elf_cfi_end(struct elf_cfi *cfi, uint64_t start)
{
	struct cfi_function f;

	return cfi_find_function(cfi, start, &f) && f.start == start
		       ? start + f.len
		       : 0;
}

bool elf_cfi_start(struct elf_cfi *cfi, uint64_t address, uint64_t *start)
{
	struct cfi_function f;

	if (!cfi_find_function(cfi, address, &f))
		return false;
	*start = f.start;
	return true;
}

/* Reads a segment from an address to the segment's end. */
static bool cfi_read_from(const struct elf_file *f, uint64_t address,
			  struct elf_part *part)
{
	const Elf64_Phdr *s = elf_file_loaded(f, address);
	uint64_t skip, len;

	if (!s)
		return false;
	skip = address - s->p_vaddr;
	len = s->p_filesz - skip;
	if (!elf_file_read(f, s->p_offset + skip,
			   len < FRAMES_MAX ? len : FRAMES_MAX, FRAMES_MAX,
			   part))
		return false;
	part->address = address;
	return true;
}

/* Reads the table of .eh_frame_hdr if it has the usual encodings. */
static bool cfi_read_table(struct elf_cfi *cfi, const struct elf_file *f,
			   uint64_t *frames)
{
	const Elf64_Phdr *s = elf_file_segment(f, PT_GNU_EH_FRAME);
	struct cursor c;
	uint8_t head[4];
	size_t room;

	if (!s ||
	    !elf_file_read(f, s->p_offset, s->p_filesz, TABLE_MAX, &cfi->table))
		return false;
	cfi->table.address = s->p_vaddr;
	c = cursor_over(cfi->table.bytes, cfi->table.len);
	for (size_t i = 0; i < sizeof(head); i++)
		head[i] = cursor_u8(&c);
	*frames = dwarf_pointer(&c, head[1], cfi->table.address);
	if (head[0] != EH_VERSION || head[1] != PCREL_SDATA4 ||
	    head[2] != UDATA4 || head[3] != DATAREL_SDATA4)
		return cursor_ok(&c);
	cfi->table_count = dwarf_u32(&c);
	room = cursor_left(&c) / TABLE_ENTRY;
	if (cfi->table_count > room)
		cfi->table_count = room;
	return cursor_ok(&c);
}

void elf_cfi_init_eh(struct elf_cfi *cfi, const struct elf_file *f)
{
	const Elf64_Shdr *section = elf_file_section(f, ".eh_frame");
	uint64_t address = 0;
	bool has_address;

	*cfi = (struct elf_cfi){ 0 };
	has_address = cfi_read_table(cfi, f, &address);
	if (has_address && section && section->sh_addr != address)
		section = NULL;
	if (elf_file_read_section(f, section, FRAMES_MAX, &cfi->frames))
		return;
	/* Without section headers, an entry of length 0 ends it. */
	if (has_address)
		cfi_read_from(f, address, &cfi->frames);
}

void elf_cfi_init_debug(struct elf_cfi *cfi, const struct elf_file *f)
{
	*cfi = (struct elf_cfi){ .is_debug = true };
	elf_file_read_section(f, elf_file_section(f, ".debug_frame"),
			      FRAMES_MAX, &cfi->frames);
}

void elf_cfi_release(struct elf_cfi *cfi)
{
	budget_return(cfi->frames.budget,
		      cfi->place_count * sizeof(*cfi->places));
	free(cfi->places);
	elf_part_release(&cfi->frames);
	elf_part_release(&cfi->table);
	*cfi = (struct elf_cfi){ 0 };
}
