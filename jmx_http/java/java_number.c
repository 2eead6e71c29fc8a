/* SPDX-License-Identifier: Apache-2.0 */
/* BigInteger and BigDecimal, in decimal, all digits of them. */
#include "core/base/text.h"
#include "jmx_http/java/java_convert.h"

#include <inttypes.h>
#include <string.h>

#define MAGNITUDE_MAX                                                          \
	4096 /* bytes: the time it takes grows by their square                 \
	      */
#define LIMBS_MAX   (MAGNITUDE_MAX / 4)
#define NINE_DIGITS 1000000000u
#define PARTS_MAX   (MAGNITUDE_MAX * 8 / 29 + 1) /* 10^9 is above 2^29 */

/* Low limb first. */
struct big {
	uint32_t limbs[LIMBS_MAX];
	size_t count;
};

static void big_read(struct big *b, const uint8_t *bytes, size_t len)
{
	memset(b, 0, sizeof(*b));
	for (size_t i = 0; i < len; i++)
		b->limbs[i / 4] |= (uint32_t)bytes[len - 1 - i] << (i % 4 * 8);
	b->count = (len + 3) / 4;
	while (b->count && !b->limbs[b->count - 1])
		b->count--;
}

static uint32_t big_divide(struct big *b, uint32_t by)
{
	uint64_t rest = 0;

	for (size_t i = b->count; i-- > 0;) {
		rest = rest << 32 | b->limbs[i];
		b->limbs[i] = (uint32_t)(rest / by);
		rest %= by;
	}
	while (b->count && !b->limbs[b->count - 1])
		b->count--;
	return (uint32_t)rest;
}

static void big_print(struct text *out, struct big *b)
{
	uint32_t parts[PARTS_MAX];
	size_t count = 0;

	while (b->count)
		parts[count++] = big_divide(b, NINE_DIGITS);
	text_printf(out, "%" PRIu32, count ? parts[--count] : 0);
	while (count)
		text_printf(out, "%09" PRIu32, parts[--count]);
}

/* 0, or -1 for what is no BigInteger, or 1 for one that is too long. */
static int add_integer(struct java_convert *c, struct text *out,
		       const struct java_value *v)
{
	const struct java_value *sign = java_field_of(v, "signum");
	const struct java_value *bytes = java_field_of(v, "magnitude");
	struct big b;

	if (!sign || sign->kind != JAVA_INTEGER || !bytes ||
	    bytes->kind != JAVA_ARRAY || !bytes->array.raw ||
	    bytes->array.type != 'B')
		return -1;
	if (bytes->array.count > MAGNITUDE_MAX ||
	    !java_convert_pay(c, bytes->array.count * bytes->array.count /
					 MAGNITUDE_MAX))
		return 1;
	big_read(&b, bytes->array.raw, bytes->array.count);
	if (sign->integer < 0)
		text_putc(out, '-');
	big_print(out, &b);
	return 0;
}

static const struct value *make_number(struct java_convert *c,
				       const struct java_value *v,
				       struct text *digits, int status)
{
	struct value *made = NULL;

	if (!status) {
		made = java_convert_new(c, VALUE_NUMBER,
					java_convert_type(c, v));
		made->text.at = arena_copy(c->arena, digits->bytes,
					   digits->len);
		made->text.len = digits->len;
	}
	text_release(digits);
	if (status > 0)
		return java_convert_cut(c, "a number of too many digits");
	return made;
}

const struct value *java_big_integer(struct java_convert *c,
				     const struct java_value *v)
{
	struct text digits = { 0 };
	int status = add_integer(c, &digits, v);

	return make_number(c, v, &digits, status);
}

/* BigDecimal.toString(): with an exponent when that is below -6, or above 0. */
static void scale_digits(struct text *out, const char *digits, int64_t scale)
{
	size_t len;
	int64_t exponent;

	if (*digits == '-')
		text_putc(out, *digits++);
	len = strlen(digits);
	exponent = (int64_t)len - 1 - scale;
	if (!scale) {
		text_puts(out, digits);
	} else if (scale > 0 && exponent >= -6) {
		if ((int64_t)len > scale) {
			text_add(out, digits, len - (size_t)scale);
		} else {
			text_putc(out, '0');
		}
		text_putc(out, '.');
		for (int64_t i = (int64_t)len; i < scale; i++)
			text_putc(out, '0');
		text_puts(out, (int64_t)len > scale
				       ? digits + len - (size_t)scale
				       : digits);
	} else {
		text_putc(out, *digits);
		if (len > 1)
			text_printf(out, ".%s", digits + 1);
		if (exponent)
			text_printf(out, "E%+" PRId64, exponent);
	}
}

const struct value *java_big_decimal(struct java_convert *c,
				     const struct java_value *v)
{
	const struct java_value *scale = java_field_of(v, "scale");
	struct text digits = { 0 }, scaled = { 0 };
	int status;

	if (!scale || scale->kind != JAVA_INTEGER || scale->type != 'I')
		return NULL;
	status = add_integer(c, &digits, java_field_of(v, "intVal"));
	if (!status)
		scale_digits(&scaled, digits.bytes, scale->integer);
	text_release(&digits);
	return make_number(c, v, &scaled, status);
}
