/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/x86_64/x86_instruction.h"

#include <string.h>

#define MAX_LENGTH 15

/*
 * The bytes that follow an opcode:
 *
 *	.  nothing               m  ModRM
 *	b  one byte              B  ModRM, one byte
 *	z  four, or two with 66  Z  ModRM, and z
 *	d  four                  v  four, two with 66, eight with REX.W
 *	w  two                   e  three
 *	a  an address            t  ModRM, and a byte if the opcode is test
 *	T  ModRM, and z if test  x  invalid
 */
/* clang-format off */
static const char *const one_byte[16] = {
	/* 0 1 2 3 4 5 6 7 8 9 a b c d e f */
	"mmmmbzxxmmmmbzxx", /* 0: 0f leads to another map */
	"mmmmbzxxmmmmbzxx",
	"mmmmbzxxmmmmbzxx",
	"mmmmbzxxmmmmbzxx",
	"xxxxxxxxxxxxxxxx", /* 4: REX */
	"................",
	"xxxmxxxxzZbB....",
	"bbbbbbbbbbbbbbbb",
	"BZxBmmmmmmmmmmmm",
	"..........x.....",
	"aaaa....bz......",
	"bbbbbbbbvvvvvvvv",
	"BBw.xxBZe.w..bx.",
	"mmmmxxx.mmmmmmmm",
	"bbbbbbbbddxb....",
	"x.xx..tT......mm",
};

static const char *const two_bytes[16] = {
	"mmmmx........mx.",
	"mmmmmmmmmmmmmmmm",
	"mmmmxxxxmmmmmmmm",
	"........xxxxxxxx", /* 3: 38 and 3a lead to others */
	"mmmmmmmmmmmmmmmm",
	"mmmmmmmmmmmmmmmm",
	"mmmmmmmmmmmmmmmm",
	"BBBBmmm.mmmmmmmm",
	"dddddddddddddddd",
	"mmmmmmmmmmmmmmmm",
	"...mBmxx...mBmmm",
	"mmmmmmmmmmBmmmmm",
	"mmBmBBBm........",
	"mmmmmmmmmmmmmmmm",
	"mmmmmmmmmmmmmmmm",
	"mmmmmmmmmmmmmmmm",
};
/* clang-format on */

/* The state of reading an instruction. */
struct reader {
	const uint8_t *bytes;
	size_t len, at;
	bool is_over;
	bool has_66, has_67;
	struct x86_instruction *out;
};

static uint8_t reader_peek(struct reader *r)
{
	return r->at < r->len ? r->bytes[r->at] : 0;
}

static uint8_t reader_next(struct reader *r)
{
	if (r->at < r->len)
		return r->bytes[r->at++];
	r->is_over = true;
	return 0;
}

/* Reads a little-endian signed number with this number of bytes. */
static int64_t reader_number(struct reader *r, unsigned bytes)
{
	uint64_t value = 0;
	unsigned shift = 64 - 8 * bytes;

	if (bytes == 0)
		return 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)reader_next(r) << (8 * i);
	return (int64_t)(value << shift) >> shift;
}

static bool is_old_prefix(uint8_t byte)
{
	static const uint8_t prefixes[] = { 0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e,
					    0x36, 0x3e, 0x26, 0x64, 0x65 };

	return memchr(prefixes, byte, sizeof(prefixes));
}

static void reader_prefixes(struct reader *r)
{
	while (r->at < r->len && is_old_prefix(reader_peek(r))) {
		uint8_t byte = reader_next(r);

		r->has_66 |= byte == 0x66;
		r->has_67 |= byte == 0x67;
	}
	if ((reader_peek(r) & 0xf0) == 0x40)
		r->out->rex = reader_next(r) & 15;
}

/* Reads the rest of a VEX prefix of two or three bytes, or of EVEX. */
static void reader_vex(struct reader *r, uint8_t first)
{
	uint8_t p = reader_next(r);

	r->out->is_vex = true;
	/* These prefixes store the bits inverted. */
	r->out->rex = (uint8_t)(~p >> 5 & X86_REX_R);
	r->out->map = 1;
	if (first != 0xc5) {
		r->out->rex = (uint8_t)(~p >> 5 & 7);
		r->out->map = p & (first == 0xc4 ? 31 : 7);
		if (reader_next(r) & 0x80)
			r->out->rex |= X86_REX_W;
	}
	if (first == 0x62)
		reader_next(r);
	r->out->opcode = reader_next(r);
}

static void reader_opcode(struct reader *r)
{
	uint8_t byte = reader_next(r);

	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) {
		reader_vex(r, byte);
		return;
	}
	r->out->opcode = byte;
	if (byte != 0x0f)
		return;
	r->out->map = 1;
	r->out->opcode = reader_next(r);
	if (r->out->opcode != 0x38 && r->out->opcode != 0x3a)
		return;
	r->out->map = r->out->opcode == 0x38 ? 2 : 3;
	r->out->opcode = reader_next(r);
}

static char opcode_form(const struct x86_instruction *i)
{
	switch (i->map) {
	case 0:
		if (i->is_vex)
			return 'x';
		return one_byte[i->opcode >> 4][i->opcode & 15];
	case 1:
		return two_bytes[i->opcode >> 4][i->opcode & 15];
	case 2:
		return 'm';
	case 3:
		return 'B';
	case 5:
	case 6:
		return i->is_vex ? 'm' : 'x';
	default:
		return 'x';
	}
}

static void reader_modrm(struct reader *r)
{
	struct x86_instruction *i = r->out;
	uint8_t modrm = reader_next(r), sib;
	unsigned bytes;

	i->has_modrm = true;
	i->mod = modrm >> 6;
	i->reg = (modrm >> 3 & 7) | (i->rex & X86_REX_R ? 8 : 0);
	i->rm = (modrm & 7) | (i->rex & X86_REX_B ? 8 : 0);
	i->base = i->rm;
	if (i->mod == 3)
		return;
	bytes = i->mod == 1 ? 1 : i->mod == 2 ? 4 : 0;
	if ((modrm & 7) == 4) {
		sib = reader_next(r);
		i->base = (sib & 7) | (i->rex & X86_REX_B ? 8 : 0);
		i->has_index = (sib >> 3 & 7) != 4 || i->rex & X86_REX_X;
		if (i->mod == 0 && (sib & 7) == 5)
			bytes = 4;
	} else if (i->mod == 0 && (modrm & 7) == 5) {
		bytes = 4;
	}
	i->displacement = (int32_t)reader_number(r, bytes);
}

static unsigned form_immediate_bytes(const struct reader *r, char form)
{
	unsigned word = r->has_66 && !r->out->is_vex ? 2 : 4;
	bool is_wide = r->out->rex & X86_REX_W;

	switch (form) {
	case 'b':
	case 'B':
		return 1;
	case 'z':
	case 'Z':
		return is_wide ? 4 : word;
	case 'v':
		return is_wide ? 8 : word;
	case 'd':
		return 4;
	case 'w':
		return 2;
	case 'e':
		return 3;
	case 'a':
		return r->has_67 ? 4 : 8;
	case 't':
		return (r->out->reg & 7) < 2 ? 1 : 0;
	case 'T':
		return (r->out->reg & 7) > 1 ? 0 : is_wide ? 4 : word;
	default:
		return 0;
	}
}

bool x86_instruction_at(const uint8_t *bytes, size_t len, size_t at,
			struct x86_instruction *out)
{
	/* cppcheck-suppress ctuuninitvar ; out is cleared before it is read */
	struct reader r = { bytes, len, at, false, false, false, out };
	char form;

	*out = (struct x86_instruction){ 0 };
	if (at >= len)
		return false;
	/* Skips any number of prefixes. */
	if (len - at > MAX_LENGTH)
		r.len = at + MAX_LENGTH;
	reader_prefixes(&r);
	reader_opcode(&r);
	form = opcode_form(out);
	if (form == 'x')
		return false;
	if (strchr("mBZtT", form))
		reader_modrm(&r);
	out->immediate = reader_number(&r, form_immediate_bytes(&r, form));
	if (r.is_over || r.at - at > MAX_LENGTH)
		return false;
	out->length = (uint8_t)(r.at - at);
	return true;
}
