/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar is that of java.util.Properties.load(Reader), JDK 17. */
#include "core/jvm/properties.h"

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

static int property_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads the four digits of \uXXXX; false if they are missing. */
static bool property_read_hex(struct line line, uint32_t *value)
{
	*value = 0;
	if (line.len < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		int digit = property_hex_digit(line.text[i]);

		if (digit < 0)
			return false;
		*value = *value << 4 | (uint32_t)digit;
	}
	return true;
}

/* Decodes the text after a backslash; returns the number of bytes read. */
static size_t property_read_escape(struct line rest, struct text *out)
{
	static const char letters[] = "tnrf", meant[] = "\t\n\r\f";
	const char *known = strchr(letters, *rest.text);
	struct line digits = { rest.text + 1, rest.len - 1 };
	uint32_t unit;

	if (*rest.text == 'u' && property_read_hex(digits, &unit)) {
		text_utf8(out, unit);
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
