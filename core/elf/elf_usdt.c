/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/elf_usdt.h"

#include "core/base/cursor.h"

#include <stdlib.h>
#include <string.h>

enum { NOTES_MAX = 16 << 20, NOTE_STAPSDT = 3 };

static uint64_t note_u64(struct cursor *c)
{
	const uint8_t *bytes = cursor_bytes(c, sizeof(uint64_t));
	uint64_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

static uint32_t note_u32(struct cursor *c)
{
	const uint8_t *bytes = cursor_bytes(c, sizeof(uint32_t));
	uint32_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Reads a NUL-terminated string; NULL and a failed cursor without a NUL. */
static const char *note_string(struct cursor *c)
{
	const uint8_t *end = memchr(c->at, 0, cursor_left(c));

	if (!end) {
		cursor_fail(c);
		return NULL;
	}
	return (const char *)cursor_bytes(c, (uint64_t)(end - c->at) + 1);
}

/*
 * Reads the description of a note.  prelink(8) may move addresses, but not the
 * base in the note.
 */
static bool note_read(struct cursor *c, uint64_t base_now, struct elf_usdt *out)
{
	uint64_t base, moved;

	out->address = note_u64(c);
	base = note_u64(c);
	out->semaphore = note_u64(c);
	out->provider = note_string(c);
	out->name = note_string(c);
	out->arguments = cursor_ok(c) ? note_string(c) : NULL;
	moved = base_now && base ? base_now - base : 0;
	out->address += moved;
	if (out->semaphore)
		out->semaphore += moved;
	return cursor_ok(c);
}

bool elf_usdt_each(const struct elf_file *f, elf_usdt_fn *each, void *self)
{
	const Elf64_Shdr *notes = elf_file_section(f, ".note.stapsdt");
	const Elf64_Shdr *base = elf_file_section(f, ".stapsdt.base");
	struct elf_part part;
	bool goes_on = true;
	struct cursor c;

	if (!notes || !elf_file_read_section(f, notes, NOTES_MAX, &part))
		return false;
	c = cursor_over(part.bytes, part.len);
	while (goes_on && cursor_left(&c) >= 3 * sizeof(uint32_t)) {
		uint32_t name_len = note_u32(&c), len = note_u32(&c);
		uint32_t type = note_u32(&c);
		struct elf_usdt probe;
		const uint8_t *bytes;
		struct cursor note;

		cursor_bytes(&c, ((uint64_t)name_len + 3) & ~UINT64_C(3));
		bytes = cursor_bytes(&c, ((uint64_t)len + 3) & ~UINT64_C(3));
		if (!bytes)
			break;
		note = cursor_over(bytes, len);
		if (type == NOTE_STAPSDT &&
		    note_read(&note, base ? base->sh_addr : 0, &probe))
			goes_on = each(self, &probe);
	}
	elf_part_release(&part);
	return true;
}

/* ---- arguments ---- */

/* By DWARF's numbers, with the parts of 8, 4, 2 and 1 bytes. */
static const char *const registers[16][4] = {
	{ "rax", "eax", "ax", "al" },      { "rdx", "edx", "dx", "dl" },
	{ "rcx", "ecx", "cx", "cl" },      { "rbx", "ebx", "bx", "bl" },
	{ "rsi", "esi", "si", "sil" },     { "rdi", "edi", "di", "dil" },
	{ "rbp", "ebp", "bp", "bpl" },     { "rsp", "esp", "sp", "spl" },
	{ "r8", "r8d", "r8w", "r8b" },     { "r9", "r9d", "r9w", "r9b" },
	{ "r10", "r10d", "r10w", "r10b" }, { "r11", "r11d", "r11w", "r11b" },
	{ "r12", "r12d", "r12w", "r12b" }, { "r13", "r13d", "r13w", "r13b" },
	{ "r14", "r14d", "r14w", "r14b" }, { "r15", "r15d", "r15w", "r15b" },
};

/* Reads "%rdi" and moves *at behind it; false if it is no such register. */
static bool argument_register(const char **at, struct elf_usdt_argument *out)
{
	size_t len;

	if (*(*at)++ != '%')
		return false;
	len = strcspn(*at, " )");
	for (uint8_t i = 0; i < 16; i++)
		for (size_t k = 0; k < 4; k++)
			if (strlen(registers[i][k]) == len &&
			    memcmp(registers[i][k], *at, len) == 0) {
				out->reg = i;
				*at += len;
				return true;
			}
	return false;
}

/* Reads a number and moves *at behind it; without one, it is 0. */
static int64_t argument_number(const char **at)
{
	char *end;
	int64_t value = strtoll(*at, &end, 10);

	*at = end;
	return value;
}

/* Reads the place of an argument, behind its size. */
static bool argument_place(const char **at, struct elf_usdt_argument *out)
{
	if (**at == '%')
		return argument_register(at, out);
	if (**at == '$') {
		(*at)++;
		out->is_constant = true;
		out->offset = argument_number(at);
		return true;
	}
	out->offset = argument_number(at);
	out->is_memory = true;
	return *(*at)++ == '(' && argument_register(at, out) && *(*at)++ == ')';
}

bool elf_usdt_parse(const char *text, struct elf_usdt_argument *out,
		    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t number;
		uint64_t bytes;

		out[i] = (struct elf_usdt_argument){ 0 };
		text += strspn(text, " ");
		number = argument_number(&text);
		out[i].is_signed = number < 0;
		bytes = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
		if ((bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) ||
		    *text++ != '@' || !argument_place(&text, &out[i]) ||
		    (*text && *text != ' '))
			return false;
		out[i].bytes = (uint8_t)bytes;
	}
	return true;
}
