/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/json.h"

#include "core/base/safe_text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

struct json json_into(struct text *out) { return (struct json){ .out = out }; }

static void before_value(struct json *j)
{
	uint64_t bit = (uint64_t)1 << j->depth;

	if (!j->after_key && j->depth) {
		if (j->nonempty & bit)
			text_putc(j->out, ',');
		j->nonempty |= bit;
	}
	j->after_key = false;
}

static void open_level(struct json *j, char bracket)
{
	before_value(j);
	text_putc(j->out, bracket);
	j->depth++;
	assert(j->depth < 64);
	j->nonempty &= ~((uint64_t)1 << j->depth);
}

static void close_level(struct json *j, char bracket)
{
	assert(j->depth);
	j->depth--;
	text_putc(j->out, bracket);
}

void json_open_object(struct json *j) { open_level(j, '{'); }
void json_close_object(struct json *j) { close_level(j, '}'); }
void json_open_array(struct json *j) { open_level(j, '['); }
void json_close_array(struct json *j) { close_level(j, ']'); }

void json_key(struct json *j, const char *key)
{
	before_value(j);
	text_printf(j->out, "\"%s\":", key);
	j->after_key = true;
}

static void put_escaped(struct text *out, unsigned char c)
{
	static const char letters[] = "\bb\ff\nn\rr\tt\"\"\\\\";

	for (size_t i = 0; letters[i]; i += 2) {
		if (letters[i] == (char)c) {
			text_putc(out, '\\');
			text_putc(out, letters[i + 1]);
			return;
		}
	}
	text_printf(out, "\\u%04x", c);
}

void json_string(struct json *j, const char *bytes, size_t len)
{
	struct text valid = { 0 };

	before_value(j);
	text_putc(j->out, '"');
	safe_text_valid(&valid, bytes, len);
	for (size_t i = 0; i < valid.len; i++) {
		unsigned char c = (unsigned char)valid.bytes[i];

		if (c < 0x20 || c == 0x7f || c == '"' || c == '\\')
			put_escaped(j->out, c);
		else
			text_putc(j->out, (char)c);
	}
	text_putc(j->out, '"');
	text_release(&valid);
}

void json_text(struct json *j, const char *string)
{
	json_string(j, string, strlen(string));
}

void json_foreign_key(struct json *j, const char *key)
{
	json_text(j, key);
	text_putc(j->out, ':');
	j->after_key = true;
}

void json_int(struct json *j, int64_t value)
{
	before_value(j);
	text_printf(j->out, "%" PRId64, value);
}

void json_uint(struct json *j, uint64_t value)
{
	before_value(j);
	text_printf(j->out, "%" PRIu64, value);
}

void json_double(struct json *j, double value)
{
	before_value(j);
	if (isfinite(value))
		text_printf(j->out, "%.15g", value);
	else
		text_puts(j->out, "null");
}

void json_bool(struct json *j, bool value)
{
	before_value(j);
	text_puts(j->out, value ? "true" : "false");
}

void json_null(struct json *j)
{
	before_value(j);
	text_puts(j->out, "null");
}
