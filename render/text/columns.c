/* SPDX-License-Identifier: Apache-2.0 */
/* Pads, truncates and wraps text by its width in characters. */
#include "render/text/columns.h"

#include <stdbool.h>
#include <string.h>

static bool columns_begins_character(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

void columns_right(struct text *out, size_t start, size_t width)
{
	size_t len = out->len - start;
	size_t wide = text_width(out->bytes + start, len);
	size_t spaces = wide < width ? width - wide : 0;

	text_spaces(out, spaces);
	memmove(out->bytes + start + spaces, out->bytes + start, len);
	memset(out->bytes + start, ' ', spaces);
}

/* Returns the offset after `skip` characters. */
static size_t columns_after(const char *bytes, size_t len, size_t skip)
{
	size_t at = 0;

	while (at < len && skip--) {
		at++;
		while (at < len && !columns_begins_character(bytes[at]))
			at++;
	}
	return at;
}

void columns_fit(struct text *out, const char *bytes, size_t len, size_t width)
{
	size_t wide = text_width(bytes, len), at;

	if (wide <= width) {
		text_add(out, bytes, len);
	} else if (memchr(bytes, '(', len)) {
		text_add(out, bytes, columns_after(bytes, len, width - 1));
		text_puts(out, "…");
	} else {
		at = columns_after(bytes, len, wide - width + 1);
		text_puts(out, "…");
		text_add(out, bytes + at, len - at);
	}
}

void columns_wrap(struct text *out, const char *words, size_t column,
		  size_t indent, size_t width)
{
	size_t at = column;

	for (bool is_first = true; *words; is_first = false) {
		size_t len = strcspn(words, " ");
		size_t wide = text_width(words, len);

		if (!is_first && width && at + 1 + wide > width) {
			text_putc(out, '\n');
			text_spaces(out, indent);
			at = indent;
		} else if (!is_first) {
			text_putc(out, ' ');
			at++;
		}
		text_add(out, words, len);
		at += wide;
		words += len;
		words += strspn(words, " ");
	}
	text_putc(out, '\n');
}
