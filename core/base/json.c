/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/json.h"

#include "core/base/ascii.h"
#include "core/base/safe_text.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct json json_into(struct text *out) { return (struct json){ .out = out }; }

static void json_before_value(struct json *j)
{
	uint64_t bit = (uint64_t)1 << j->depth;

	if (!j->after_key && j->depth) {
		if (j->nonempty & bit)
			text_putc(j->out, ',');
		j->nonempty |= bit;
	}
	j->after_key = false;
}

static void json_open_level(struct json *j, char bracket)
{
	json_before_value(j);
	text_putc(j->out, bracket);
	j->depth++;
	assert(j->depth < 64);
	j->nonempty &= ~((uint64_t)1 << j->depth);
}

static void json_close_level(struct json *j, char bracket)
{
	assert(j->depth);
	j->depth--;
	text_putc(j->out, bracket);
}

void json_open_object(struct json *j) { json_open_level(j, '{'); }
void json_close_object(struct json *j) { json_close_level(j, '}'); }
void json_open_array(struct json *j) { json_open_level(j, '['); }
void json_close_array(struct json *j) { json_close_level(j, ']'); }

void json_key(struct json *j, const char *key)
{
	json_before_value(j);
	text_putc(j->out, '"');
	text_puts(j->out, key);
	text_add(j->out, "\":", 2);
	j->after_key = true;
}

/* Formatted by hand, because a page may have millions of escapes. */
static void json_put_unit(struct text *out, uint32_t unit)
{
	static const char digits[] = "0123456789abcdef";
	char escape[6] = { '\\', 'u' };

	for (int i = 0; i < 4; i++)
		escape[2 + i] = digits[unit >> (12 - 4 * i) & 15];
	text_add(out, escape, sizeof(escape));
}

static void json_put_escaped(struct text *out, unsigned char c)
{
	static const char letters[] = "\bb\ff\nn\rr\tt\"\"\\\\";

	for (size_t i = 0; letters[i]; i += 2) {
		if (letters[i] == (char)c) {
			text_putc(out, '\\');
			text_putc(out, letters[i + 1]);
			return;
		}
	}
	json_put_unit(out, c);
}

/*
 * Decodes a character of more than one byte from valid UTF-8; returns its
 * length.
 */
static size_t json_decode(const char *p, uint32_t *c)
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

/*
 * Appends a non-ASCII character, escaped if a screen would hide it; returns its
 * length.
 */
static size_t json_put_wide(struct text *out, const char *at)
{
	uint32_t c;
	size_t len = json_decode(at, &c);

	if (!safe_text_hides(c)) {
		text_add(out, at, len);
	} else if (c < 0x10000) {
		json_put_unit(out, c);
	} else {
		json_put_unit(out, 0xd800 + ((c - 0x10000) >> 10));
		json_put_unit(out, 0xdc00 + (c & 0x3ff));
	}
	return len;
}

/* Returns the number of characters up to the first that is not copied. */
static size_t json_plain_length(const char *bytes, size_t len)
{
	size_t i = 0;

	while (i < len && bytes[i] >= 0x20 && bytes[i] < 0x7f &&
	       bytes[i] != '"' && bytes[i] != '\\')
		i++;
	return i;
}

/* Appends valid UTF-8. */
static void json_put_valid(struct text *out, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t plain = json_plain_length(bytes + i, len - i);

		text_add(out, bytes + i, plain);
		i += plain;
		if (i == len)
			break;
		if ((unsigned char)bytes[i] >= 0x80)
			i += json_put_wide(out, bytes + i);
		else
			json_put_escaped(out, (unsigned char)bytes[i++]);
	}
}

void json_string(struct json *j, const char *bytes, size_t len)
{
	struct text valid = { 0 };

	json_before_value(j);
	text_putc(j->out, '"');
	if (safe_text_is(bytes, len)) {
		json_put_valid(j->out, bytes, len);
	} else {
		safe_text_valid(&valid, bytes, len);
		json_put_valid(j->out, valid.bytes, valid.len);
	}
	text_putc(j->out, '"');
	text_release(&valid);
}

void json_text(struct json *j, const char *string)
{
	if (string)
		json_string(j, string, strlen(string));
	else
		json_null(j);
}

void json_foreign_key(struct json *j, const char *key)
{
	json_text(j, key);
	text_putc(j->out, ':');
	j->after_key = true;
}

static void json_put_digits(struct text *out, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	text_add(out, digits + at, sizeof(digits) - at);
}

void json_int(struct json *j, int64_t value)
{
	json_before_value(j);
	if (value < 0)
		text_putc(j->out, '-');
	json_put_digits(j->out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_uint(struct json *j, uint64_t value)
{
	json_before_value(j);
	json_put_digits(j->out, value);
}

void json_double(struct json *j, double value)
{
	json_before_value(j);
	if (isfinite(value))
		text_printf(j->out, "%.15g", value);
	else
		text_puts(j->out, "null");
}

/* Skips digits; NULL if there are none. */
static const char *json_skip_digits(const char *at, const char *end)
{
	const char *from = at;

	while (at < end && is_digit(*at))
		at++;
	return at > from ? at : NULL;
}

/* RFC 8259, section 6. */
static bool json_is_number(const char *at, const char *end)
{
	at += at < end && *at == '-';
	if (at < end && *at == '0')
		at++;
	else
		at = json_skip_digits(at, end);
	if (at && at < end && *at == '.')
		at = json_skip_digits(at + 1, end);
	if (at && at < end && (*at == 'e' || *at == 'E')) {
		at++;
		at += at < end && (*at == '+' || *at == '-');
		at = json_skip_digits(at, end);
	}
	return at && at == end;
}

void json_number(struct json *j, const char *number)
{
	if (!json_is_number(number, number + strlen(number))) {
		json_text(j, number);
		return;
	}
	json_before_value(j);
	text_puts(j->out, number);
}

void json_bool(struct json *j, bool value)
{
	json_before_value(j);
	text_puts(j->out, value ? "true" : "false");
}

void json_null(struct json *j)
{
	json_before_value(j);
	text_puts(j->out, "null");
}

void json_add_object(struct json *j, const char *key)
{
	json_key(j, key);
	json_open_object(j);
}

void json_add_array(struct json *j, const char *key)
{
	json_key(j, key);
	json_open_array(j);
}

void json_add_string(struct json *j, const char *key, const char *bytes,
		     size_t len)
{
	json_key(j, key);
	json_string(j, bytes, len);
}

void json_add_text(struct json *j, const char *key, const char *string)
{
	json_key(j, key);
	json_text(j, string);
}

void json_add_id(struct json *j, const char *key, int64_t id)
{
	json_key(j, key);
	if (id)
		json_int(j, id);
	else
		json_null(j);
}

void json_add_int(struct json *j, const char *key, int64_t value)
{
	json_key(j, key);
	json_int(j, value);
}

void json_add_uint(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_uint(j, value);
}

void json_add_double(struct json *j, const char *key, double value)
{
	json_key(j, key);
	json_double(j, value);
}

void json_add_bool(struct json *j, const char *key, bool value)
{
	json_key(j, key);
	json_bool(j, value);
}

void json_add_null(struct json *j, const char *key)
{
	json_key(j, key);
	json_null(j);
}

/* ---- reading ---- */

struct json_reader json_reader_over(const char *bytes, size_t len)
{
	return (struct json_reader){ .at = bytes,
				     .end = len ? bytes + len : bytes };
}

static bool reader_fail(struct json_reader *r)
{
	if (!r->failed)
		r->failed_at = r->at;
	r->at = r->end;
	r->failed = true;
	return false;
}

void json_reader_fail(struct json_reader *r) { reader_fail(r); }

static bool reader_is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static void reader_skip_space(struct json_reader *r)
{
	while (r->at < r->end && reader_is_one_of(*r->at, " \t\r\n"))
		r->at++;
}

/* Skips the character if it comes next. */
static bool reader_accept(struct json_reader *r, char c)
{
	reader_skip_space(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

bool json_reader_at_end(struct json_reader *r)
{
	reader_skip_space(r);
	return !r->failed && r->at == r->end;
}

static bool reader_enter(struct json_reader *r, char bracket)
{
	r->after_value = false;
	return reader_accept(r, bracket) || reader_fail(r);
}

bool json_enter_object(struct json_reader *r) { return reader_enter(r, '{'); }
bool json_enter_array(struct json_reader *r) { return reader_enter(r, '['); }

/* True if the level has another value before its closing bracket. */
static bool reader_has_next(struct json_reader *r, char bracket)
{
	bool first = !r->after_value;

	if (r->failed)
		return false;
	if (reader_accept(r, bracket)) {
		r->after_value = true;
		return false;
	}
	if (!first && !reader_accept(r, ','))
		return reader_fail(r);
	return true;
}

bool json_next_element(struct json_reader *r)
{
	if (!reader_has_next(r, ']'))
		return false;
	r->after_value = true;
	return true;
}

/* Reads the next string without its quotes; escapes stay encoded. */
static bool reader_read_string(struct json_reader *r, struct line *string)
{
	if (!reader_accept(r, '"'))
		return reader_fail(r);
	string->text = r->at;
	while (r->at < r->end && *r->at != '"') {
		if (*r->at == '\\' && r->end - r->at > 1)
			r->at++;
		r->at++;
	}
	if (r->at == r->end)
		return reader_fail(r);
	string->len = (size_t)(r->at - string->text);
	r->at++;
	return true;
}

bool json_next_member(struct json_reader *r, struct line *key)
{
	if (!reader_has_next(r, '}') || !reader_read_string(r, key))
		return false;
	if (!reader_accept(r, ':'))
		return reader_fail(r);
	r->after_value = true;
	return true;
}

/* Reads digits; fails if there are none or the number is too large. */
static uint64_t reader_read_digits(struct json_reader *r)
{
	const char *from = r->at;
	uint64_t value = 0;

	for (; r->at < r->end && is_digit(*r->at); r->at++) {
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*r->at - '0'),
					   &value)) {
			reader_fail(r);
			return 0;
		}
	}
	/* A number at the end of the input may be truncated. */
	if (r->at == from || r->at == r->end ||
	    !reader_is_one_of(*r->at, " \t\r\n,]}")) {
		reader_fail(r);
		return 0;
	}
	return value;
}

uint64_t json_read_uint(struct json_reader *r)
{
	reader_skip_space(r);
	return reader_read_digits(r);
}

int64_t json_read_int(struct json_reader *r)
{
	bool negative = reader_accept(r, '-');
	uint64_t value = negative ? reader_read_digits(r) : json_read_uint(r);

	if (value > (uint64_t)INT64_MAX + negative) {
		reader_fail(r);
		return 0;
	}
	return negative ? (int64_t)(0 - value) : (int64_t)value;
}

static bool reader_accept_word(struct json_reader *r, const char *word)
{
	size_t len = strlen(word);

	reader_skip_space(r);
	if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
		return false;
	r->at += len;
	return true;
}

bool json_read_bool(struct json_reader *r)
{
	if (reader_accept_word(r, "true"))
		return true;
	if (!reader_accept_word(r, "false"))
		reader_fail(r);
	return false;
}

bool json_accept_null(struct json_reader *r)
{
	return reader_accept_word(r, "null");
}

/* Reads digits into a number and adds their count to *count. */
static double reader_add_digits(struct json_reader *r, double value, int *count)
{
	for (; r->at < r->end && is_digit(*r->at); r->at++) {
		value = value * 10 + (*r->at - '0');
		++*count;
	}
	return value;
}

/* Returns value * 10^exponent. */
static double reader_scale(double value, int exponent)
{
	bool down = exponent < 0;
	double power = 1, base = 10;

	if (value == 0)
		return 0;
	/* Larger exponents make any number infinite or zero. */
	for (unsigned e = (unsigned)(down ? -exponent : exponent); e; e >>= 1) {
		if (e & 1)
			power *= base;
		base *= base;
	}
	return down ? value / power : value * power;
}

static int reader_read_exponent(struct json_reader *r)
{
	bool down = false;
	int digits = 0;
	double value;

	if (r->at == r->end || (*r->at | 0x20) != 'e')
		return 0;
	r->at++;
	if (r->at < r->end && (*r->at == '-' || *r->at == '+'))
		down = *r->at++ == '-';
	value = reader_add_digits(r, 0, &digits);
	if (!digits)
		reader_fail(r);
	value = value < 999 ? value : 999;
	return down ? -(int)value : (int)value;
}

double json_read_double(struct json_reader *r)
{
	bool negative = reader_accept(r, '-');
	int digits = 0, fraction = 0, exponent;
	double value = reader_add_digits(r, 0, &digits);

	if (r->at < r->end && *r->at == '.') {
		r->at++;
		value = reader_add_digits(r, value, &fraction);
	}
	exponent = reader_read_exponent(r);
	/* Longer numbers have lost their value already. */
	/* A number at the end of the input may be truncated. */
	if (!digits || digits > 400 || fraction > 400 || r->at == r->end ||
	    !reader_is_one_of(*r->at, " \t\r\n,]}"))
		reader_fail(r);
	if (r->failed)
		return 0;
	value = reader_scale(value, exponent - fraction);
	return negative ? -value : value;
}

/*
 * Decodes the digits of \u and a second \u that completes a surrogate pair;
 * returns the end, or NULL.
 */
static const char *reader_put_unicode(const char *at, const char *end,
				      struct text *out)
{
	int32_t c = end - at < 4 ? -1 : hex_value(at, 4);
	int32_t low = -1;

	if (c < 0)
		return NULL;
	at += 4;
	if (c >= 0xd800 && c < 0xdc00 && end - at >= 6 && at[0] == '\\' &&
	    at[1] == 'u')
		low = hex_value(at + 2, 4);
	if (low >= 0xdc00 && low < 0xe000) {
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		at += 6;
	}
	if (c)
		text_utf8(out, (uint32_t)c);
	else
		text_add(out, "\xc0\x80", 2);
	return at;
}

/* Decodes the escape after a backslash; returns its end, or NULL. */
static const char *reader_put_escape(const char *at, const char *end,
				     struct text *out)
{
	static const char letters[] = "b\bf\fn\nr\rt\t\"\"\\\\//";

	if (at == end)
		return NULL;
	if (*at == 'u')
		return reader_put_unicode(at + 1, end, out);
	for (size_t i = 0; letters[i]; i += 2) {
		if (letters[i] == *at) {
			text_putc(out, letters[i + 1]);
			return at + 1;
		}
	}
	return NULL;
}

void json_read_text(struct json_reader *r, struct text *out)
{
	struct line raw;
	const char *at, *end, *plain;

	if (!reader_read_string(r, &raw))
		return;
	at = raw.text;
	end = raw.text + raw.len;
	while (at < end) {
		plain = memchr(at, '\\', (size_t)(end - at));
		plain = plain ? plain : end;
		text_add(out, at, (size_t)(plain - at));
		at = plain;
		if (at < end)
			at = reader_put_escape(at + 1, end, out);
		if (!at) {
			reader_fail(r);
			return;
		}
	}
}

/* Skips a number, true, false or null. */
static bool reader_skip_word(struct json_reader *r)
{
	const char *from = r->at;

	while (r->at < r->end && !reader_is_one_of(*r->at, " \t\r\n,:{}[]\""))
		r->at++;
	return r->at > from;
}

void json_skip(struct json_reader *r)
{
	struct line unused;
	size_t depth = 0;

	do {
		char next;

		reader_skip_space(r);
		next = '\0';
		if (r->at < r->end)
			next = *r->at;
		if (next == '"') {
			reader_read_string(r, &unused);
		} else if (next == '{' || next == '[') {
			depth++;
			r->at++;
		} else if (depth && reader_is_one_of(next, "]},:")) {
			depth -= next == '}' || next == ']';
			r->at++;
		} else if (!reader_skip_word(r)) {
			reader_fail(r);
		}
	} while (depth && !r->failed);
}

static uint32_t json_decode_safely(const char *at, const char *end,
				   size_t *used)
{
	return safe_text_decode((const uint8_t *)at, (const uint8_t *)end,
				used);
}

/*
 * The next character of a string; SAFE_TEXT_INVALID if RFC 8259, section 7, or
 * RFC 3629 forbids it.
 */
static uint32_t json_next_character(const char **at, const char *end)
{
	struct text escape = { 0 };
	size_t used;
	uint32_t c = json_decode_safely(*at, end, &used);

	if (c == '\\') {
		*at = reader_put_escape(*at + 1, end, &escape);
		c = *at ? json_decode_safely(escape.bytes,
					     escape.bytes + escape.len, &used)
			: SAFE_TEXT_INVALID;
		text_release(&escape);
	} else {
		*at += used;
		if (c < ' ')
			c = SAFE_TEXT_INVALID;
	}
	return c >= 0xd800 && c < 0xe000 ? SAFE_TEXT_INVALID : c;
}

static bool json_string_is_valid(struct line raw)
{
	const char *at = raw.text, *end = raw.text + raw.len;

	while (at < end)
		if (json_next_character(&at, end) == SAFE_TEXT_INVALID)
			return false;
	return true;
}

/* Skips a string, number, true, false or null; fails if it is not valid. */
static bool reader_check_scalar(struct json_reader *r)
{
	struct line raw = { r->at, 0 };

	if (r->at < r->end && *r->at == '"')
		return reader_read_string(r, &raw) && json_string_is_valid(raw);
	reader_skip_word(r);
	raw.len = (size_t)(r->at - raw.text);
	return line_is(raw, "true") || line_is(raw, "false") ||
	       line_is(raw, "null") || json_is_number(raw.text, r->at);
}

bool json_is_valid(const char *bytes, size_t len)
{
	struct json_reader r = json_reader_over(bytes, len);
	bool is_object[64];
	size_t depth = 0;

	do {
		bool in_object = depth && is_object[depth - 1];
		struct line key = { 0 };
		char next;

		if (depth && !(in_object ? json_next_member(&r, &key)
					 : json_next_element(&r))) {
			depth--;
			continue;
		}
		reader_skip_space(&r);
		next = '\0';
		if (r.at < r.end)
			next = *r.at;
		if ((in_object && !json_string_is_valid(key)) ||
		    (depth == 64 && (next == '{' || next == '[')))
			return false;
		if (next == '{' || next == '[') {
			is_object[depth++] = next == '{';
			reader_enter(&r, next);
		} else if (!reader_check_scalar(&r)) {
			return false;
		}
	} while (depth && !r.failed);
	return json_reader_at_end(&r);
}

struct json json_document(struct text *out, const char *schema)
{
	struct json j = json_into(out);

	json_open_object(&j);
	json_add_text(&j, "schema", schema);
	return j;
}

void json_end_document(struct json *j)
{
	json_close_object(j);
	text_putc(j->out, '\n');
}
