/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86_instruction: how long an instruction of x86-64 is, and of what it is
 * made.
 *
 * Of what instructions do nothing is known here (x86_path.h knows a little).
 * Any that compilers and HotSpot emit has a length, those of AVX-512 too; what
 * is invalid in 64-bit mode, or of newer extensions, has none (Intel SDM volume
 * 2, 2.1 to 2.7 and appendix A).
 */
#ifndef CORE_UNWIND_X86_64_X86_INSTRUCTION_H
#define CORE_UNWIND_X86_64_X86_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { X86_REX_B = 1, X86_REX_X = 2, X86_REX_R = 4, X86_REX_W = 8 };

struct x86_instruction {
	uint8_t length;
	uint8_t map;    /* of opcodes: 0 = one byte, 1 = 0f, 2 = 0f 38, … */
	uint8_t opcode; /* the last byte of it */
	uint8_t rex;    /* its low four bits; 0 too when there is none */
	bool is_vex;    /* VEX or EVEX: no prefix of the old kind counts */
	bool has_modrm;
	uint8_t mod, reg, rm; /* with the bits of rex, but for a SIB's base */
	uint8_t base;         /* of a SIB; what rm is without one */
	bool has_index;
	int32_t displacement;
	int64_t immediate; /* sign-extended; of jumps, from the next one on */
};

/*
 * The instruction at `at` of len bytes; false when there is none that is known,
 * or not all of it.
 */
bool x86_instruction_at(const uint8_t *bytes, size_t len, size_t at,
			struct x86_instruction *out);

#endif
