/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_hotspot.h"

#include "core/base/ascii.h"

#include <limits.h>
#include <string.h>

#define ARGS (sizeof(((struct attach_request *)0)->args) / sizeof(char *))

/* AttachOperation::arg_length_max and arg_count_max, JDK 6 to 23. */
#define V1_ARGS   3
#define V1_LENGTH 1024
/* A request of protocol 2 may be a good deal longer: JDK 24 has 256 KiB. */
#define V2_LENGTH ((size_t)128 << 10)

static size_t count_args(const struct attach_request *r)
{
	size_t count = 0;

	while (count < ARGS && r->args[count])
		count++;
	return count;
}

static void add_string(struct text *out, const char *string)
{
	text_add(out, string, strlen(string) + 1);
}

static int check_lengths(const struct attach_request *r, size_t limit,
			 struct error *err)
{
	for (size_t i = 0; i < count_args(r); i++) {
		if (strlen(r->args[i]) > limit)
			return fail(err, ERROR_MISUSE,
				    "the argument has %zu bytes; this JVM "
				    "accepts at most %zu",
				    strlen(r->args[i]), limit);
	}
	return 0;
}

static int encode_v1(struct text *out, const struct attach_request *r,
		     struct error *err)
{
	if (count_args(r) > V1_ARGS)
		return fail(err, ERROR_MISUSE,
			    "this JVM accepts at most %d arguments", V1_ARGS);
	if (check_lengths(r, V1_LENGTH, err))
		return -1;
	add_string(out, "1");
	add_string(out, r->operation);
	for (size_t i = 0; i < V1_ARGS; i++)
		add_string(out, i < count_args(r) ? r->args[i] : "");
	return 0;
}

static int encode_v2(struct text *out, bool has_streaming,
		     const struct attach_request *r, struct error *err)
{
	struct text body = { 0 };

	if (check_lengths(r, V2_LENGTH, err))
		return -1;
	text_puts(&body, r->operation);
	if (has_streaming)
		text_puts(&body,
			  r->streaming ? " streaming=1" : " streaming=0");
	text_putc(&body, '\0');
	for (size_t i = 0; i < count_args(r); i++)
		add_string(&body, r->args[i]);
	add_string(out, "2");
	text_printf(out, "%zu", body.len);
	text_putc(out, '\0');
	text_add(out, body.bytes, body.len);
	text_release(&body);
	return 0;
}

int hotspot_encode(struct text *out, struct hotspot_protocol protocol,
		   const struct attach_request *request, struct error *err)
{
	if (protocol.version >= 2)
		return encode_v2(out, protocol.has_streaming, request, err);
	return encode_v1(out, request, err);
}

static bool has_word(const char *text, size_t len, const char *word)
{
	size_t wanted = strlen(word);

	for (size_t at = 0; at < len;) {
		size_t end = at;

		while (end < len && text[end] != ' ' && text[end] != '\n')
			end++;
		if (end - at == wanted && memcmp(text + at, word, wanted) == 0)
			return true;
		at = end + 1;
	}
	return false;
}

/* "2 streaming"; a version after 2 has said nothing of how it would look. */
struct hotspot_protocol hotspot_protocol_of(int status, const char *text,
					    size_t len)
{
	struct hotspot_protocol p = { .version = 1 };

	if (status != 0 || len == 0 || !is_digit(text[0]) || text[0] < '2')
		return p;
	p.version = 2;
	p.has_streaming = has_word(text, len, "streaming");
	return p;
}

/* The digits that came before LF, as a number. */
static void status_parse(struct hotspot_status *s)
{
	size_t i = s->len && s->digits[0] == '-';
	long value = 0;

	if (i == s->len)
		s->is_wrong = true;
	for (; i < s->len; i++) {
		if (!is_digit(s->digits[i])) {
			s->is_wrong = true;
			return;
		}
		value = value * 10 + (s->digits[i] - '0');
	}
	if (value > INT_MAX) {
		s->is_wrong = true;
		return;
	}
	s->value = (int)(s->digits[0] == '-' ? -value : value);
	s->is_known = !s->is_wrong;
}

size_t hotspot_status_feed(struct hotspot_status *s, const char *bytes,
			   size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s->is_known || s->is_wrong)
			return i;
		if (bytes[i] == '\n')
			status_parse(s);
		else if (s->len == sizeof(s->digits) - 1)
			s->is_wrong = true;
		else
			s->digits[s->len++] = bytes[i];
	}
	return len;
}
