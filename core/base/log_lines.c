/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/log_lines.h"

#include "core/base/ascii.h"

#include <string.h>

#define LONGEST_PREFIX 512

/*
 * The members of JSON that have a line: Docker's json-file log driver writes
 * {"log":"a line\n","stream":…,"time":…}, logstash and ECS {"message":"…"}.
 */
static const char *const message_keys[] = { "\"log\"", "\"message\"" };

static bool lines_is_line_end(char c) { return c == '\n' || c == '\r'; }

void log_lines_init(struct log_lines *l, const void *bytes, size_t len)
{
	*l = (struct log_lines){ .lines = lines_over(bytes, len) };
}

void log_lines_release(struct log_lines *l)
{
	text_release(&l->prefix);
	text_release(&l->decoded);
	text_release(&l->joined);
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

/*
 * Decodes the JSON string that begins at text, without its last newline;
 * *has_end is whether it had one.
 */
static struct line lines_decode(struct text *out, const char *text, size_t len,
				bool *has_end)
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
	*has_end = out->len && lines_is_line_end(out->bytes[out->len - 1]);
	while (out->len && lines_is_line_end(out->bytes[out->len - 1]))
		out->len--;
	return (struct line){ out->len ? out->bytes : text, out->len };
}

/* Finds the message of a JSON object: the text after the quote. */
static bool lines_find_message(struct line raw, struct line *message,
			       bool *is_docker)
{
	const char *end = raw.text + raw.len;

	for (size_t i = 0; i < 2; i++) {
		size_t len = strlen(message_keys[i]);
		const char *at = memmem(raw.text, raw.len, message_keys[i],
					len);

		if (!at)
			continue;
		at += len;
		while (at < end && (is_blank(*at) || *at == ':'))
			at++;
		if (at == end || *at != '"')
			continue;
		*message = (struct line){ at + 1, (size_t)(end - at - 1) };
		*is_docker = i == 0;
		return true;
	}
	return false;
}

/*
 * Removes "2026-05-03T16:12:41.1Z stdout F " of CRI's log format. All parts of
 * a long line but the last, F, have the tag P. Editors remove the space behind
 * the tag of an empty line.
 */
static bool lines_cut_cri(struct line *raw, bool *is_partial)
{
	struct line rest = *raw, stream, tag;

	if (!raw->len || !is_digit(*raw->text))
		return false;
	line_cut(&rest, ' '); /* the time */
	stream = line_cut(&rest, ' ');
	if (!line_is(stream, "stdout") && !line_is(stream, "stderr"))
		return false;
	tag = line_cut(&rest, ' ');
	if (!line_is(tag, "P") && !line_is(tag, "F"))
		return false;
	*is_partial = line_is(tag, "P");
	*raw = rest;
	return true;
}

struct line log_lines_unwrap(struct log_lines *l, struct line raw)
{
	struct line message;
	bool is_docker = false, has_end = true;

	if (line_starts(raw, "{") &&
	    lines_find_message(raw, &message, &is_docker))
		raw = lines_decode(&l->decoded, message.text, message.len,
				   &has_end);
	l->is_partial = is_docker && !has_end;
	l->is_cri = lines_cut_cri(&raw, &l->is_partial);
	l->any_cri |= l->is_cri;
	l->cut = l->prefix.len ? lines_prefix_length(&l->prefix, raw) : 0;
	raw.text += l->cut;
	raw.len -= l->cut;
	return raw;
}

bool log_lines_lacks_format(const struct log_lines *l)
{
	return (l->prefix.len && !l->cut) || (l->any_cri && !l->is_cri);
}

/* Adds the further parts of a line that a container runtime has split. */
static struct line lines_join(struct log_lines *l, struct line line)
{
	struct line raw;

	text_clear(&l->joined);
	text_add(&l->joined, line.text, line.len);
	while (l->is_partial && lines_next(&l->lines, &raw)) {
		line = log_lines_unwrap(l, raw);
		text_add(&l->joined, line.text, line.len);
	}
	return (struct line){ l->joined.bytes, l->joined.len };
}

bool log_lines_next(struct log_lines *l, struct line *line)
{
	if (!lines_next(&l->lines, &l->raw))
		return false;
	*line = log_lines_unwrap(l, l->raw);
	if (l->is_partial)
		*line = lines_join(l, *line);
	return true;
}
