/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/jfr/jfr_string.h"

static void string_skip_chars(struct cursor *c, uint64_t count)
{
	for (uint64_t i = 0; i < count && cursor_ok(c); i++)
		cursor_skip_varint(c);
}

struct jfr_string jfr_string_read(struct cursor *c)
{
	struct jfr_string s = { .encoding = cursor_u8(c) };
	uint64_t units;

	switch (s.encoding) {
	case JFR_NULL:
	case JFR_EMPTY:
		break;
	case JFR_POOLED:
		s.key = cursor_varint(c);
		break;
	case JFR_UTF8:
	case JFR_LATIN1:
		s.len = cursor_count(c, 1);
		s.bytes = cursor_bytes(c, s.len);
		break;
	case JFR_CHARS:
		units = cursor_count(c, 1);
		s.bytes = c->at;
		string_skip_chars(c, units);
		s.len = (uint64_t)(c->at - s.bytes);
		break;
	default:
		cursor_fail(c);
	}
	if (!cursor_ok(c))
		s = (struct jfr_string){ .encoding = JFR_NULL };
	return s;
}

void jfr_string_text(struct text *out, const struct jfr_string *s)
{
	struct cursor c;

	switch (s->encoding) {
	case JFR_UTF8:
		text_add(out, s->bytes, s->len);
		break;
	case JFR_LATIN1:
		for (uint64_t i = 0; i < s->len; i++)
			text_utf8(out, s->bytes[i]);
		break;
	case JFR_CHARS:
		c = cursor_over(s->bytes, s->len);
		/* These are UTF-16 units; safe_text joins surrogates. */
		while (cursor_left(&c))
			text_utf8(out, (uint16_t)cursor_varint(&c));
		break;
	default:
		break;
	}
}
