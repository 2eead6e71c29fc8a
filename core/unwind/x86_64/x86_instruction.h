/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86_instruction: the length and the parts of an x86-64 instruction.
 *
 * x86_path.c interprets the effect of instructions.  All instructions that
 * compilers and HotSpot emit can be decoded, including AVX-512.  Invalid
 * instructions and newer extensions cannot (Intel SDM volume 2, 2.1 to 2.7 and
 * appendix A).
 */
#ifndef CORE_UNWIND_X86_64_X86_INSTRUCTION_H
#define CORE_UNWIND_X86_64_X86_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { X86_REX_B = 1, X86_REX_X = 2, X86_REX_R = 4, X86_REX_W = 8 };

struct x86_instruction {
	uint8_t length;
	uint8_t map;    /* opcode map: 0 = one byte, 1 = 0f, 2 = 0f 38, … */
	uint8_t opcode; /* the last byte of the opcode */
	uint8_t rex;    /* the low four bits; 0 without a REX prefix */
	bool is_vex;    /* VEX or EVEX: legacy prefixes do not apply */
	bool has_modrm;
	uint8_t mod, reg,
		rm;   /* including the bits of rex, except for a SIB's base */
	uint8_t base; /* base register of a SIB; equals rm without a SIB */
	bool has_index;
	int32_t displacement;
	int64_t immediate; /* sign-extended; in jumps, relative to the next
			      instruction */
};

/*
 * Decodes the instruction at offset `at` of len bytes.  Returns false if it is
 * unknown or incomplete.
 */
bool x86_instruction_at(const uint8_t *bytes, size_t len, size_t at,
			struct x86_instruction *out);

#endif
