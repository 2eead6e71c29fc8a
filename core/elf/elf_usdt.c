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
