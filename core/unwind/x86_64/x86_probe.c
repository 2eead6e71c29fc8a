/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/x86_64/x86_probe.h"

#include "core/unwind/x86_64/x86_instruction.h"

enum { CX = 1, DX = 2, SP = 4, SI = 6, DI = 7, R8 = 8, R9 = 9 };

/* The registers of integer arguments (System V ABI AMD64, 3.2.3). */
static const uint8_t arguments[X86_PROBE_ARGUMENTS] = {
	DI, SI, DX, CX, R8, R9
};

bool x86_probe_is_emulated(const uint8_t *code, size_t len)
{
	if (len < 2)
		return false;
	if (code[0] == 0x41) /* REX.B: push %r8 … %r15 */
		return (code[1] & 0xf8) == 0x50;
	if (code[0] == 0x0f) /* jcc rel32; nop of several bytes */
		return (code[1] & 0xf0) == 0x80 || code[1] == 0x1f;
	return code[0] == 0x90 || (code[0] & 0xf8) == 0x50 ||
	       (code[0] & 0xf0) == 0x70 || code[0] == 0xe8 || code[0] == 0xe9 ||
	       code[0] == 0xeb;
}

/* The general register that an instruction writes. */
enum written {
	WRITES_UNKNOWN,
	WRITES_NONE,
	WRITES_RM,
	WRITES_REG,
	WRITES_LOW, /* the one in the low bits of the opcode */
	WRITES_DX   /* and AX */
};

/* Instructions that begin functions.  A mask selects several opcodes. */
static const struct {
	uint8_t map, mask, opcode;
	uint8_t written;
} known[] = {
	{ 0, 0xfe, 0x84, WRITES_NONE }, /* test r/m, r */
	{ 0, 0xfc, 0x38, WRITES_NONE }, /* cmp */
	{ 0, 0xfe, 0x3c, WRITES_NONE }, /* cmp eax, n */
	{ 0, 0xfe, 0xa8, WRITES_NONE }, /* test eax, n */
	{ 0, 0xc7, 0x01, WRITES_RM },   /* add, or, …, xor r/m, r */
	{ 0, 0xc7, 0x03, WRITES_REG },  /* the same to a register */
	{ 0, 0xc7, 0x05, WRITES_NONE }, /* … eax, n; eax is no argument */
	{ 0, 0xff, 0x89, WRITES_RM },   /* mov r/m, r */
	{ 0, 0xff, 0x8b, WRITES_REG },  /* mov r, r/m */
	{ 0, 0xff, 0x8d, WRITES_REG },  /* lea */
	{ 0, 0xff, 0xc7, WRITES_RM },   /* mov r/m, n */
	{ 0, 0xff, 0xc1, WRITES_RM },   /* rol, ror, …, sar r/m, n */
	{ 0, 0xff, 0xd1, WRITES_RM },   /* the same by 1 */
	{ 0, 0xf8, 0xb8, WRITES_LOW },  /* mov r, n */
	{ 1, 0xff, 0x1e, WRITES_NONE }, /* endbr64 */
	{ 1, 0xf6, 0xb6, WRITES_REG },  /* movzx, movsx */
	{ 1, 0xf0, 0x40, WRITES_REG },  /* cmov */
};

static enum written instruction_writes(const struct x86_instruction *i)
{
	unsigned what = i->reg & 7;

	/* cmp and test with an immediate are members of groups. */
	if (i->map == 0 && (i->opcode == 0x81 || i->opcode == 0x83))
		return what == 7 ? WRITES_NONE : WRITES_RM;
	if (i->map == 0 && i->opcode == 0x80)
		return what == 7 ? WRITES_NONE : WRITES_UNKNOWN;
	if (i->map == 0 && i->opcode == 0xf7)
		return what < 2   ? WRITES_NONE
		       : what < 4 ? WRITES_RM  /* not, neg */
				  : WRITES_DX; /* mul, div */
	if (i->map == 0 && i->opcode == 0xf6)
		return what < 2 ? WRITES_NONE : WRITES_UNKNOWN;
	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++)
		if (i->map == known[k].map && !i->is_vex &&
		    (i->opcode & known[k].mask) == known[k].opcode)
			return (enum written)known[k].written;
	return WRITES_UNKNOWN;
}

/* True if the instruction keeps the registers, which are bits. */
static bool instruction_keeps(const struct x86_instruction *i, unsigned kept)
{
	unsigned reg = i->reg;

	switch (instruction_writes(i)) {
	case WRITES_NONE:
		return true;
	case WRITES_RM:
		if (i->mod != 3)
			return true;
		reg = i->rm;
		break;
	case WRITES_REG:
		break;
	case WRITES_LOW:
		reg = (i->opcode & 7U) | (i->rex & X86_REX_B ? 8U : 0);
		break;
	case WRITES_DX:
		reg = DX;
		break;
	default:
		return false;
	}
	return !(kept >> reg & 1);
}

size_t x86_probe_skip(const uint8_t *code, size_t len, size_t count)
{
	struct x86_instruction i;
	unsigned kept = 1U << SP;
	size_t at = 0;

	for (size_t k = 0; k < count && k < X86_PROBE_ARGUMENTS; k++)
		kept |= 1U << arguments[k];
	while (x86_instruction_at(code, len, at, &i)) {
		if (x86_probe_is_emulated(code + at, len - at))
			return at;
		if (!instruction_keeps(&i, kept))
			break;
		at += i.length;
	}
	return SIZE_MAX;
}
