/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/cfi_program.h"

#include "core/elf/cfi_expression.h"
#include "core/elf/dwarf_cursor.h"

#include <stddef.h>

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

/* Compilers remember one state at a time. */
enum { REMEMBERED = 8 };

struct state {
	struct cfi_row row;
	bool has_cfa, has_return; /* there are, and a row can say them */
};

struct run {
	const struct cfi_common *common;
	struct cursor c;
	uint64_t location, address;
	struct state now, first;
	struct state remembered[REMEMBERED];
	size_t depth;
	bool is_first; /* these are the CIE's */
	bool is_done;  /* the next row is of addresses behind ours */
};

/* What a row cannot say of a register is not known; nor are those of vectors.
 */
static void set_rule(struct run *r, uint64_t reg, enum cfi_rule rule,
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

static void restore(struct run *r, uint64_t reg)
{
	if (r->is_first)
		cursor_fail(&r->c);
	if (reg >= DWARF_REGISTERS)
		return;
	if (reg == DWARF_RA)
		r->now.has_return = r->first.has_return;
	r->now.row.registers[reg] = r->first.row.registers[reg];
}

static int64_t scaled(const struct run *r, int64_t offset)
{
	return (int64_t)((uint64_t)offset * (uint64_t)r->common->data_unit);
}

/* The operand of an unsigned, or a signed, factored offset. */
static int64_t factored(struct run *r, bool is_signed)
{
	return scaled(r, is_signed ? dwarf_sleb(&r->c)
				   : (int64_t)dwarf_uleb(&r->c));
}

static void set_cfa(struct run *r, uint64_t reg, int64_t offset)
{
	r->now.row.cfa_register = (uint8_t)reg;
	r->now.row.cfa_offset = (int32_t)offset;
	r->now.row.cfa_is_memory = false;
	r->now.has_cfa = reg < DWARF_RA && offset == (int32_t)offset;
}

/* Half of the CFA is changed, which has to be a register and an offset. */
static void change_cfa(struct run *r, uint64_t reg, int64_t offset)
{
	bool was = r->now.has_cfa && !r->now.row.cfa_is_memory;

	set_cfa(r, reg, offset);
	r->now.has_cfa &= was;
}

static void set_cfa_expression(struct run *r)
{
	uint64_t len = dwarf_uleb(&r->c);
	struct cursor e = cursor_slice(&r->c, len);
	struct cfi_value value = { 0 };

	r->now.has_cfa = cfi_expression(e, r->address, &value);
	r->now.row.cfa_register = value.base;
	r->now.row.cfa_is_memory = value.is_memory;
	r->now.row.cfa_offset = value.offset;
}

/* An expression gives where the register is, or what it is. */
static void set_expression(struct run *r, bool is_value)
{
	uint64_t reg = dwarf_uleb(&r->c), len = dwarf_uleb(&r->c);
	struct cursor e = cursor_slice(&r->c, len);
	struct cfi_value value = { 0 };
	bool can = cfi_expression(e, r->address, &value);

	/* What is in memory and is the value is at that place in memory. */
	can &= !value.is_memory || is_value;
	set_rule(r, reg,
		 is_value && !value.is_memory ? CFI_IS_REGISTER
					      : CFI_AT_REGISTER,
		 can ? value.base : DWARF_REGISTERS, value.offset);
}

static void remember(struct run *r)
{
	if (r->depth == REMEMBERED)
		cursor_fail(&r->c);
	else
		r->remembered[r->depth++] = r->now;
}

/* Of the whole row, the CFA too, as compilers have it. */
static void restore_state(struct run *r)
{
	if (r->depth == 0)
		cursor_fail(&r->c);
	else
		r->now = r->remembered[--r->depth];
}

static void go_to(struct run *r, uint64_t location)
{
	/* A CIE's are of no place. */
	if (r->is_first)
		cursor_fail(&r->c);
	r->location = location;
	r->is_done = location > r->address;
}

static void advance(struct run *r, uint64_t units)
{
	go_to(r, r->location + units * r->common->code_unit);
}

/* Instructions that define the CFA or move on. */
static bool step_place(struct run *r, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case CFA_SET_LOC:
		go_to(r, dwarf_pointer(&r->c, r->common->pointers,
				       r->common->section));
		return true;
	case CFA_ADVANCE_LOC1:
		advance(r, cursor_u8(&r->c));
		return true;
	case CFA_ADVANCE_LOC2:
		advance(r, dwarf_u16(&r->c));
		return true;
	case CFA_ADVANCE_LOC4:
		advance(r, dwarf_u32(&r->c));
		return true;
	case CFA_DEF_CFA:
	case CFA_DEF_CFA_SF:
		reg = dwarf_uleb(&r->c);
		set_cfa(r, reg,
			op == CFA_DEF_CFA ? (int64_t)dwarf_uleb(&r->c)
					  : factored(r, true));
		return true;
	case CFA_DEF_CFA_REGISTER:
		change_cfa(r, dwarf_uleb(&r->c), r->now.row.cfa_offset);
		return true;
	case CFA_DEF_CFA_OFFSET:
		change_cfa(r, r->now.row.cfa_register,
			   (int64_t)dwarf_uleb(&r->c));
		return true;
	case CFA_DEF_CFA_OFFSET_SF:
		change_cfa(r, r->now.row.cfa_register, factored(r, true));
		return true;
	case CFA_DEF_CFA_EXPRESSION:
		set_cfa_expression(r);
		return true;
	default:
		return false;
	}
}

/* Instructions that say where a register is: its number is their operand. */
static bool step_register(struct run *r, uint8_t op)
{
	uint64_t reg = dwarf_uleb(&r->c);

	switch (op) {
	case CFA_OFFSET_EXTENDED:
	case CFA_OFFSET_EXTENDED_SF:
		set_rule(r, reg, CFI_AT_CFA, 0,
			 factored(r, op == CFA_OFFSET_EXTENDED_SF));
		return true;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		set_rule(r, reg, CFI_AT_CFA, 0,
			 (int64_t)(0 - (uint64_t)factored(r, false)));
		return true;
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:
		set_rule(r, reg, CFI_IS_CFA, 0,
			 factored(r, op == CFA_VAL_OFFSET_SF));
		return true;
	case CFA_REGISTER:
		set_rule(r, reg, CFI_IS_REGISTER, dwarf_uleb(&r->c), 0);
		return true;
	case CFA_UNDEFINED:
		set_rule(r, reg, CFI_UNDEFINED, 0, 0);
		return true;
	case CFA_SAME_VALUE:
		set_rule(r, reg, CFI_SAME, 0, 0);
		return true;
	case CFA_RESTORE_EXTENDED:
		restore(r, reg);
		return true;
	default:
		return false;
	}
}

static void step_other(struct run *r, uint8_t op)
{
	switch (op) {
	case CFA_NOP:
		break;
	case CFA_REMEMBER_STATE:
		remember(r);
		break;
	case CFA_RESTORE_STATE:
		restore_state(r);
		break;
	case CFA_EXPRESSION:
	case CFA_VAL_EXPRESSION:
		set_expression(r, op == CFA_VAL_EXPRESSION);
		break;
	case CFA_GNU_ARGS_SIZE:
		dwarf_uleb(&r->c);
		break;
	default:
		if (!step_register(r, op))
			cursor_fail(&r->c);
	}
}

static void step(struct run *r)
{
	uint8_t op = cursor_u8(&r->c), operand = op & 0x3f;

	switch (op & 0xc0) {
	case CFA_ADVANCE_LOC:
		advance(r, operand);
		return;
	case CFA_OFFSET:
		set_rule(r, operand, CFI_AT_CFA, 0, factored(r, false));
		return;
	case CFA_RESTORE:
		restore(r, operand);
		return;
	}
	if (!step_place(r, op))
		step_other(r, op);
}

static bool run_all(struct run *r, struct cursor instructions)
{
	r->c = instructions;
	while (cursor_left(&r->c) && !r->is_done)
		step(r);
	return cursor_ok(&r->c);
}

/*
 * Where nothing is said: what a callee has to preserve is as it was, SP is the
 * CFA (System V ABI AMD64, figure 3.4), all else is gone.
 */
static void set_defaults(struct run *r)
{
	static const uint8_t preserved[] = {
		DWARF_BX, DWARF_BP, 12, 13, 14, 15
	};

	for (size_t i = 0; i < DWARF_REGISTERS; i++)
		set_rule(r, i, CFI_UNDEFINED, 0, 0);
	for (size_t i = 0; i < sizeof(preserved); i++)
		set_rule(r, preserved[i], CFI_SAME, 0, 0);
	set_rule(r, DWARF_SP, CFI_IS_CFA, 0, 0);
	/* A root is only where that is said. */
	r->now.has_return = false;
}

bool cfi_program_row(const struct cfi_common *common,
		     struct cursor instructions, uint64_t start,
		     uint64_t address, struct cfi_row *row)
{
	struct run r = { .common = common,
			 .location = start,
			 .address = address,
			 .is_first = true };

	set_defaults(&r);
	if (!run_all(&r, common->instructions))
		return false;
	r.is_first = false;
	r.first = r.now;
	if (!run_all(&r, instructions) || !r.now.has_cfa || !r.now.has_return)
		return false;
	*row = r.now.row;
	row->is_signal = common->is_signal;
	return true;
}
