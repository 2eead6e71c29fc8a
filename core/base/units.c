/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/units.h"

#include "core/base/ascii.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <strings.h>

struct unit_name {
	const char *name;
	uint64_t value;
};

/* From small to large; the first name of a value is the one that is written. */
static const struct unit_name durations[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", 60 * UINT64_C(1000000000) },
	{ "min", 60 * UINT64_C(1000000000) },
	{ "h", 3600 * UINT64_C(1000000000) },
	{ "d", 86400 * UINT64_C(1000000000) },
	{ NULL, 0 },
};

static const struct unit_name sizes[] = {
	{ "", 1 },
	{ "b", 1 },
	{ "k", UINT64_C(1) << 10 },
	{ "kb", UINT64_C(1) << 10 },
	{ "kib", UINT64_C(1) << 10 },
	{ "m", UINT64_C(1) << 20 },
	{ "mb", UINT64_C(1) << 20 },
	{ "mib", UINT64_C(1) << 20 },
	{ "g", UINT64_C(1) << 30 },
	{ "gb", UINT64_C(1) << 30 },
	{ "gib", UINT64_C(1) << 30 },
	{ "t", UINT64_C(1) << 40 },
	{ "tb", UINT64_C(1) << 40 },
	{ "tib", UINT64_C(1) << 40 },
	{ NULL, 0 },
};

/* whole + fraction / scale */
struct decimal {
	uint64_t whole;
	uint64_t fraction;
	uint64_t scale;
};

#define FRACTION_SCALE UINT64_C(1000000000) /* digits beyond are cut */

/* Reads digits[.digits]; the first character behind them, or NULL. */
static const char *read_decimal(const char *text, struct decimal *d)
{
	const char *at = text;

	*d = (struct decimal){ .scale = 1 };
	for (; is_digit(*at); at++) {
		if (__builtin_mul_overflow(d->whole, 10, &d->whole) ||
		    __builtin_add_overflow(d->whole, *at - '0', &d->whole))
			return NULL;
	}
	if (at == text)
		return NULL;
	if (*at != '.')
		return at;
	if (!is_digit(*++at))
		return NULL;
	for (; is_digit(*at); at++) {
		if (d->scale == FRACTION_SCALE)
			continue;
		d->fraction = d->fraction * 10 + (uint64_t)(*at - '0');
		d->scale *= 10;
	}
	return at;
}

/* The number times its unit; false when it is neither, or too large. */
static bool measured(const char *text, const struct unit_name *units,
		     uint64_t bare, uint64_t *value)
{
	__extension__ unsigned __int128 part;
	uint64_t unit = 0;
	struct decimal d;
	const char *name = read_decimal(text, &d);

	if (!name)
		return false;
	if (*name == '\0')
		unit = bare;
	for (size_t i = 0; !unit && units[i].name; i++) {
		if (strcasecmp(units[i].name, name) == 0)
			unit = units[i].value;
	}
	if (!unit || __builtin_mul_overflow(d.whole, unit, value))
		return false;
	part = d.fraction;
	part = part * unit / d.scale;
	return !__builtin_add_overflow(*value, (uint64_t)part, value);
}

int units_duration(const char *text, int64_t *ns, struct error *err)
{
	uint64_t value;

	if (!measured(text, durations, 1000000000, &value) || value > INT64_MAX)
		return fail(err, ERROR_MISUSE,
			    "'%s' is no duration, as 10ms 2s 5m are", text);
	*ns = (int64_t)value;
	return 0;
}

int units_size(const char *text, uint64_t *bytes, struct error *err)
{
	if (!measured(text, sizes, 1, bytes))
		return fail(err, ERROR_MISUSE,
			    "'%s' is no size, as 512 64k 1g are", text);
	return 0;
}

int units_count(const char *text, uint64_t *count, struct error *err)
{
	struct decimal d;
	const char *end = read_decimal(text, &d);

	if (!end || *end || d.scale != 1)
		return fail(err, ERROR_MISUSE, "'%s' is no whole number", text);
	*count = d.whole;
	return 0;
}

int units_number(const char *text, double *number, struct error *err)
{
	struct decimal d;
	const char *end = read_decimal(text, &d);

	if (end && *end == '%')
		end++;
	if (!end || *end)
		return fail(err, ERROR_MISUSE, "'%s' is no number", text);
	*number = (double)d.whole + (double)d.fraction / (double)d.scale;
	return 0;
}

static void add(struct text *out, uint64_t value, const struct unit_name *units)
{
	const struct unit_name *best = units;

	for (size_t i = 0; value && units[i].name; i++) {
		if (units[i].value > best->value && value % units[i].value == 0)
			best = &units[i];
	}
	text_printf(out, "%" PRIu64 "%s", value / best->value, best->name);
}

void units_add_duration(struct text *out, int64_t ns)
{
	if (ns < 0)
		text_putc(out, '-');
	add(out, ns < 0 ? -(uint64_t)ns : (uint64_t)ns, durations);
}

void units_add_size(struct text *out, uint64_t bytes)
{
	add(out, bytes, sizes);
}
