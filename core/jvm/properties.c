/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar is that of java.util.Properties.load(Reader), JDK 17. */
#include "core/jvm/properties.h"

#include "core/base/ascii.h"

#include <string.h>

void properties_init(struct properties *p, const char *text, size_t len)
{
	*p = (struct properties){ .lines = lines_over(text, len) };
}

void properties_release(struct properties *p)
{
	text_release(&p->key);
	text_release(&p->value);
	text_release(&p->logical);
}

static bool property_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\f';
}

static struct line property_skip_blanks(struct line line)
{
	while (line.len && property_is_blank(*line.text)) {
		line.text++;
		line.len--;
	}
	return line;
}

/* Decodes the text after a backslash; returns the number of bytes read. */
static size_t property_read_escape(struct line rest, struct text *out)
{
	static const char letters[] = "tnrf", meant[] = "\t\n\r\f";
	const char *known = strchr(letters, *rest.text);
	int32_t unit = -1;

	if (*rest.text == 'u' && rest.len > 4)
		unit = hex_value(rest.text + 1, 4);
	if (unit >= 0) {
		text_utf8(out, (uint32_t)unit);
		return 5;
	}
	if (known && *known)
		text_putc(out, meant[known - letters]);
	else
		text_utf8(out, (uint8_t)*rest.text);
	return 1;
}

/* A line that ends with an odd number of backslashes continues in the next. */
static bool line_continues(struct line line)
{
	size_t slashes = 0;

	while (slashes < line.len && line.text[line.len - 1 - slashes] == '\\')
		slashes++;
	return slashes % 2;
}

static bool property_ends_key(char c)
{
	return c == '=' || c == ':' || property_is_blank(c);
}

/*
 * Reads a key, up to its end, or a value, up to the end of the line, into *out;
 * returns the number of bytes read.
 */
static size_t property_read_part(struct line line, bool is_key,
				 struct text *out)
{
	size_t at = 0;

	while (at < line.len) {
		struct line rest = { line.text + at + 1, line.len - at - 1 };

		if (is_key && property_ends_key(line.text[at]))
			break;
		if (line.text[at] != '\\')
			text_utf8(out, (uint8_t)line.text[at++]);
		else if (!rest.len)
			at++;
		else
			at += 1 + property_read_escape(rest, out);
	}
	return at;
}

/* Skips the spaces and one '=' or ':' between a key and its value. */
static struct line property_skip_sign(struct line line)
{
	line = property_skip_blanks(line);
	if (line.len && (*line.text == '=' || *line.text == ':')) {
		line.text++;
		line.len--;
		line = property_skip_blanks(line);
	}
	return line;
}

/* Joins a line and its continuation lines. */
static struct line property_join_lines(struct properties *p, struct line line)
{
	text_clear(&p->logical);
	while (line_continues(line)) {
		text_add(&p->logical, line.text, line.len - 1);
		if (!lines_next(&p->lines, &line))
			line.len = 0;
		line = property_skip_blanks(line);
	}
	text_add(&p->logical, line.text, line.len);
	return (struct line){ p->logical.bytes, p->logical.len };
}

static void property_read(struct properties *p, struct line line)
{
	size_t key;

	line = property_join_lines(p, line);
	key = property_read_part(line, true, &p->key);
	line.text += key;
	line.len -= key;
	property_read_part(property_skip_sign(line), false, &p->value);
}

bool properties_next(struct properties *p)
{
	struct line line;

	text_clear(&p->key);
	text_clear(&p->value);
	text_puts(&p->key, "");
	text_puts(&p->value, "");
	while (lines_next(&p->lines, &line)) {
		line = property_skip_blanks(line);
		if (line.len && *line.text != '#' && *line.text != '!') {
			property_read(p, line);
			return true;
		}
	}
	return false;
}
