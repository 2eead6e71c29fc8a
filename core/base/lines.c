/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/lines.h"

#include "core/base/ascii.h"

#include <string.h>

struct lines lines_over(const void *bytes, size_t len)
{
	const char *text = bytes;

	return (struct lines){ .at = text, .end = len ? text + len : text };
}

bool lines_next(struct lines *l, struct line *line)
{
	const char *newline;

	if (l->at == l->end)
		return false;
	newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
	line->text = l->at;
	line->len = (size_t)((newline ? newline : l->end) - l->at);
	l->at = newline ? newline + 1 : l->end;
	l->number++;
	while (line->len && !line->text[0]) {
		line->text++;
		line->len--;
	}
	if (line->len && line->text[line->len - 1] == '\r')
		line->len--;
	return true;
}

struct line line_trimmed(struct line line)
{
	while (line.len && is_blank(line.text[0])) {
		line.text++;
		line.len--;
	}
	while (line.len && is_blank(line.text[line.len - 1]))
		line.len--;
	return line;
}

struct line line_cut(struct line *rest, char c)
{
	const char *end = rest->len ? memchr(rest->text, c, rest->len) : NULL;
	struct line first = *rest;

	if (end) {
		first.len = (size_t)(end - rest->text);
		rest->text = end + 1;
		rest->len -= first.len + 1;
	} else if (rest->len) {
		rest->text += rest->len;
		rest->len = 0;
	}
	return first;
}
