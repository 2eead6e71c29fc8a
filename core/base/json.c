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

/* By hand: there may be millions of them. */
static void put_unit(struct text *out, uint32_t unit)
{
	static const char digits[] = "0123456789abcdef";
	char escape[6] = { '\\', 'u' };

	for (int i = 0; i < 4; i++)
		escape[2 + i] = digits[unit >> (12 - 4 * i) & 15];
	text_add(out, escape, sizeof(escape));
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
	put_unit(out, c);
}

/* The character of valid UTF-8 at p, which has more than one byte; its length.
 */
static size_t decode(const char *p, uint32_t *c)
{
	const unsigned char *b = (const unsigned char *)p;

	if (b[0] < 0xe0) {
		*c = (b[0] & 0x1fu) << 6 | (b[1] & 0x3fu);
		return 2;
	}
	*c = (b[0] & 0xfu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu);
	if (b[0] < 0xf0)
		return 3;
	*c = (*c & 0x7fffu) << 6 | (b[3] & 0x3fu);
	return 4;
}

/* Appends a character that is not ASCII: what a screen hides as an escape. */
static size_t put_wide(struct text *out, const char *at)
{
	uint32_t c;
	size_t len = decode(at, &c);

	if (!safe_text_hides(c)) {
		text_add(out, at, len);
	} else if (c < 0x10000) {
		put_unit(out, c);
	} else {
		put_unit(out, 0xd800 + ((c - 0x10000) >> 10));
		put_unit(out, 0xdc00 + (c & 0x3ff));
	}
	return len;
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
		else if (c >= 0x80)
			i += put_wide(j->out, valid.bytes + i) - 1;
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

static const char *past_digits(const char *at)
{
	while (*at >= '0' && *at <= '9')
		at++;
	return at;
}

/* RFC 8259, section 6 */
static bool is_number(const char *at)
{
	const char *digits;

	at += *at == '-';
	digits = at;
	at = past_digits(at);
	if (at == digits || (*digits == '0' && at - digits > 1))
		return false;
	if (*at == '.') {
		digits = ++at;
		at = past_digits(at);
		if (at == digits)
			return false;
	}
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '+' || *at == '-';
		digits = at;
		at = past_digits(at);
		if (at == digits)
			return false;
	}
	return !*at;
}

void json_number(struct json *j, const char *number)
{
	if (!is_number(number)) {
		json_text(j, number);
		return;
	}
	before_value(j);
	text_puts(j->out, number);
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
