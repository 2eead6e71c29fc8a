/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/source_notes.h"

#include "core/base/safe_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Cuts a text to the note's size, visibly, but not within a character. */
static void put(struct source_note *n, const struct text *text)
{
	static const char cut[] = "...";
	size_t len = text->len;

	if (len < sizeof(n->text)) {
		memcpy(n->text, text->bytes, len + 1);
		return;
	}
	len = sizeof(n->text) - sizeof(cut);
	while (len && (text->bytes[len] & 0xc0) == 0x80)
		len--;
	memcpy(n->text, text->bytes, len);
	memcpy(n->text + len, cut, sizeof(cut));
}

void source_note_add(struct top_sample *out, const char *figure, bool is_absent,
		     const char *fmt, ...)
{
	struct source_note *n = &out->notes[out->note_count];
	struct text safe = { 0 };
	char raw[640];
	va_list args;

	if (out->note_count == SOURCE_NOTES_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(raw, sizeof(raw), fmt, args);
	va_end(args);
	text_puts(&safe, "");
	safe_text(&safe, raw, strlen(raw));
	*n = (struct source_note){ .figure = figure, .is_absent = is_absent };
	put(n, &safe);
	text_release(&safe);
	out->note_count++;
}
