/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/java/java_objects.h"

#include <stdbool.h>
#include <string.h>

/* Each costs as many steps as there are before it. */
#define DIGITS_MAX 2000
#define BYTES_MAX  (DIGITS_MAX / 2)

static const struct java_shape number = {
	.name = "java.lang.Number",
	.suid = 0x86ac951d0b94e08b,
	.flags = JAVA_SERIALIZABLE,
};

static const struct java_shape big_integer = {
	.name = "java.math.BigInteger",
	.suid = 0x8cfc9f1fa93bfb1d,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
	.fields = { { 'I', "bitCount", NULL },
		    { 'I', "bitLength", NULL },
		    { 'I', "firstNonzeroByteNum", NULL },
		    { 'I', "lowestSetBit", NULL },
		    { 'I', "signum", NULL },
		    { '[', "magnitude", "[B" } },
	.super = &number,
};

static const struct java_shape big_decimal = {
	.name = "java.math.BigDecimal",
	.suid = 0x54c71557f981284f,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
	.fields = { { 'I', "scale", NULL },
		    { 'L', "intVal", "Ljava/math/BigInteger;" } },
	.super = &number,
};

/* A number as its bytes, the last first. */
struct magnitude {
	uint8_t bytes[BYTES_MAX];
	size_t len; /* the last one is not 0 */
};

static void add_digit(struct magnitude *m, unsigned digit)
{
	unsigned carry = digit;

	for (size_t i = 0; i < m->len; i++) {
		carry += m->bytes[i] * 10u;
		m->bytes[i] = (uint8_t)carry;
		carry >>= 8;
	}
	if (carry)
		m->bytes[m->len++] = (uint8_t)carry;
}

/* *scale: how many digits are behind a point, which is allowed unless NULL. */
static bool read_digits(const char *at, struct magnitude *m, uint32_t *scale)
{
	size_t digits = 0, behind = 0;
	bool has_point = false;

	for (; *at; at++) {
		if (*at == '.' && scale && !has_point) {
			has_point = true;
			continue;
		}
		if (*at < '0' || *at > '9' || ++digits > DIGITS_MAX)
			return false;
		behind += has_point;
		add_digit(m, (unsigned)(*at - '0'));
	}
	if (scale)
		*scale = (uint32_t)behind;
	return digits;
}

static bool read_number(const char *text, struct magnitude *m, bool *negative,
			uint32_t *scale)
{
	*negative = *text == '-';
	return read_digits(text + (*text == '-' || *text == '+'), m, scale);
}

/* The first four fields are of no meaning since JDK 1.2 and so written by it.
 */
static void write_integer(struct text *out, const struct magnitude *m,
			  bool negative)
{
	java_write_object(out, &big_integer, JAVA_PLAIN);
	java_write_u32(out, (uint32_t)-1);
	java_write_u32(out, (uint32_t)-1);
	java_write_u32(out, (uint32_t)-2);
	java_write_u32(out, (uint32_t)-2);
	java_write_u32(out, m->len ? (negative ? UINT32_MAX : 1) : 0);
	java_write_array(out, "[B", (uint32_t)m->len, JAVA_PLAIN);
	for (size_t i = m->len; i-- > 0;)
		text_putc(out, (char)m->bytes[i]);
	java_write_end(out);
}

bool java_write_big_integer(struct text *out, const char *digits)
{
	struct magnitude m = { .len = 0 };
	bool negative;

	if (!read_number(digits, &m, &negative, NULL))
		return false;
	write_integer(out, &m, negative);
	return true;
}

bool java_write_big_decimal(struct text *out, const char *digits)
{
	struct magnitude m = { .len = 0 };
	uint32_t scale;
	bool negative;

	if (!read_number(digits, &m, &negative, &scale))
		return false;
	java_write_object(out, &big_decimal, JAVA_PLAIN);
	java_write_u32(out, scale);
	write_integer(out, &m, negative);
	java_write_end(out);
	return true;
}
