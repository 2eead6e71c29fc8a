/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/log_lines.h"

#include "core/base/ascii.h"

#include <string.h>

#define LONGEST_PREFIX 512

/* Docker's json-file log driver: {"log":"a line\n","stream":…,"time":…} */
static const char docker_entry[] = "{\"log\":\"";

static bool lines_is_line_end(char c) { return c == '\n' || c == '\r'; }

void log_lines_init(struct log_lines *l, const void *bytes, size_t len)
{
	*l = (struct log_lines){ .lines = lines_over(bytes, len) };
}

void log_lines_release(struct log_lines *l)
{
	text_release(&l->prefix);
	text_release(&l->decoded);
	*l = (struct log_lines){ 0 };
}

struct lines log_lines_mark(const struct log_lines *l) { return l->lines; }

void log_lines_back(struct log_lines *l, struct lines mark) { l->lines = mark; }

void log_lines_prefix(struct log_lines *l, struct line line, size_t len)
{
	static const char parting[] = " \t:|]>-";

	/*
	 * A log prefix ends with a separator before the message. A dump
	 * appended to the end of another line has no prefix.
	 */
	text_clear(&l->prefix);
	if (len && len <= LONGEST_PREFIX &&
	    memchr(parting, line.text[len - 1], sizeof(parting) - 1))
		text_add(&l->prefix, line.text, len);
}

/*
 * Returns the length of the line's prefix if it is like the prefix text, where
 * all numbers are alike (times differ between lines); else 0.
 */
static size_t lines_prefix_length(const struct text *prefix_text,
				  struct line line)
{
	struct line prefix = { prefix_text->bytes, prefix_text->len };
	size_t i = 0;
	size_t at = 0;

	while (i < prefix.len && at < line.len) {
		if (is_digit(prefix.text[i]) && is_digit(line.text[at])) {
			while (i < prefix.len && is_digit(prefix.text[i]))
				i++;
			while (at < line.len && is_digit(line.text[at]))
				at++;
		} else if (prefix.text[i++] != line.text[at++]) {
			return 0;
		}
	}
	/*
	 * Logs often omit the last space of a prefix before an empty message.
	 */
	while (i < prefix.len && is_blank(prefix.text[i]))
		i++;
	return i == prefix.len ? at : 0;
}

/* Decodes the escape after a backslash; returns its length. */
static size_t lines_add_escape(struct text *out, const char *at, size_t left)
{
	static const char from[] = "nrtbf";
	static const char to[] = "\n\r\t\b\f";
	const char *known = strchr(from, at[0]);
	unsigned c = 0;

	if (at[0] && known) {
		text_putc(out, to[known - from]);
		return 1;
	}
	if (at[0] != 'u' || left < 5) {
		text_putc(out, at[0]);
		return 1;
	}
	for (size_t i = 1; i < 5; i++) {
		int digit = hex_digit(at[i]);

		if (digit < 0)
			return 1;
		c = c << 4 | (unsigned)digit;
	}
	/*
	 * Halves of surrogate pairs are encoded separately (CESU-8), as the VM
	 * does.
	 */
	text_utf8(out, c);
	return 5;
}

/* Decodes the JSON string that begins at text, without its last newline. */
static struct line lines_decode(struct text *out, const char *text, size_t len)
{
	size_t i = 0;

	text_clear(out);
	while (i < len && text[i] != '"') {
		size_t run = i;

		while (run < len && text[run] != '"' && text[run] != '\\')
			run++;
		text_add(out, text + i, run - i);
		i = run;
		if (i + 1 < len && text[i] == '\\') {
			i++;
			i += lines_add_escape(out, text + i, len - i);
		} else if (i < len && text[i] == '\\') {
			i++;
		}
	}
	while (out->len && lines_is_line_end(out->bytes[out->len - 1]))
		out->len--;
	return (struct line){ out->len ? out->bytes : text, out->len };
}

struct line log_lines_unwrap(struct log_lines *l, struct line raw)
{
	size_t cut = sizeof(docker_entry) - 1;

	if (line_starts(raw, docker_entry))
		raw = lines_decode(&l->decoded, raw.text + cut, raw.len - cut);
	if (l->prefix.len) {
		cut = lines_prefix_length(&l->prefix, raw);
		raw.text += cut;
		raw.len -= cut;
	}
	return raw;
}

bool log_lines_next(struct log_lines *l, struct line *line)
{
	if (!lines_next(&l->lines, &l->raw))
		return false;
	*line = log_lines_unwrap(l, l->raw);
	return true;
}
