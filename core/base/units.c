/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/units.h"

#include "core/base/ascii.h"
#include "core/base/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>

struct unit_name {
	const char *name;
	uint64_t value;
};

/* In ascending order; of several names of a value, the first is printed. */
static const struct unit_name durations[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "min", 60 * UINT64_C(1000000000) },
	{ "m", 60 * UINT64_C(1000000000) },
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

#define FRACTION_SCALE UINT64_C(1000000000) /* further digits are discarded */

/* Reads digits[.digits]; returns the first character after them, or NULL. */
static const char *units_read_decimal(const char *text, struct decimal *d)
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

/* Reads a number with a unit; false if it is invalid or too large. */
static bool units_parse(const char *text, const struct unit_name *units,
			uint64_t bare, uint64_t *value)
{
	__extension__ unsigned __int128 part;
	uint64_t unit = 0;
	struct decimal d;
	const char *name = units_read_decimal(text, &d);

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

/* Bytes of a number with its unit, with the NUL. */
enum { UNITS_PART = 40 };

/* Copies "1m" of "1m 30s"; returns the rest, or NULL if it is too long. */
static const char *units_take_part(const char *at, char part[UNITS_PART])
{
	size_t number = strspn(at, "0123456789.");
	size_t len = number + strcspn(at + number, "0123456789. ");

	if (len >= UNITS_PART)
		return NULL;
	memcpy(part, at, len);
	part[len] = '\0';
	at += len;
	return len > number ? at + strspn(at, " ") : at;
}

/* Adds up "1m 30s"; a number without a unit is one of seconds, and alone. */
static bool units_parse_sum(const char *text, uint64_t *value)
{
	const char *rest = text;

	*value = 0;
	do {
		char part[UNITS_PART];
		const char *at = rest;
		uint64_t more;

		rest = units_take_part(at, part);
		if (!rest ||
		    !units_parse(part, durations,
				 at == text && !*rest ? 1000000000 : 0,
				 &more) ||
		    __builtin_add_overflow(*value, more, value))
			return false;
	} while (*rest);
	return true;
}

int units_duration(const char *text, int64_t *ns, struct error *err)
{
	uint64_t value;

	if (!units_parse_sum(text, &value) || value > INT64_MAX)
		return fail(err, ERROR_MISUSE,
			    "invalid duration '%s' (examples: 10ms, 2s, 5m)",
			    text);
	*ns = (int64_t)value;
	return 0;
}

int units_size(const char *text, uint64_t *bytes, struct error *err)
{
	if (!units_parse(text, sizes, 1, bytes))
		return fail(err, ERROR_MISUSE,
			    "invalid size '%s' (examples: 512, 64k, 1g)", text);
	return 0;
}

static const char *units_count_problem(const char *text)
{
	bool is_negative = *text == '-';
	const char *digits = text + is_negative;
	size_t len = strspn(digits, "0123456789");

	if (!len || digits[len])
		return "not a whole number";
	return is_negative ? "negative" : "too large";
}

int units_count(const char *text, uint64_t *count, struct error *err)
{
	struct decimal d;
	const char *end = units_read_decimal(text, &d);

	if (!end || *end || d.scale != 1)
		return fail(err, ERROR_MISUSE, "invalid count '%s': %s", text,
			    units_count_problem(text));
	*count = d.whole;
	return 0;
}

int units_number(const char *text, double *number, struct error *err)
{
	struct decimal d;
	const char *end = units_read_decimal(text, &d);

	if (end && *end == '%')
		end++;
	if (!end || *end)
		return fail(err, ERROR_MISUSE, "invalid number '%s'", text);
	*number = (double)d.whole + (double)d.fraction / (double)d.scale;
	return 0;
}

static void units_add_exact(struct text *out, uint64_t value,
			    const struct unit_name *units)
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
	units_add_exact(out, ns < 0 ? -(uint64_t)ns : (uint64_t)ns, durations);
}

void units_add_size(struct text *out, uint64_t bytes)
{
	units_add_exact(out, bytes, sizes);
}

void units_add_count(struct text *out, uint64_t count)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, count);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			text_putc(out, ',');
		text_putc(out, digits[i]);
	}
}

const char *units_plural(uint64_t count) { return count == 1 ? "" : "s"; }

void units_add_counted(struct text *out, uint64_t count, const char *noun)
{
	units_add_count(out, count);
	text_printf(out, " %s%s", noun, units_plural(count));
}

struct scale {
	double unit;
	const char *name;
};

/* In descending order; each list ends with the unit of the value. */
static const struct scale time_scale[] = {
	{ 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" }
};
static const struct scale bytes_scale[] = {
	{ 0x1p40, "TB" }, { 0x1p30, "GB" }, { 0x1p20, "MB" },
	{ 0x1p10, "KB" }, { 1, "B" },
};

#define GROUPED_FROM 9999.5 /* smaller numbers are printed without commas */

/* Prints a number below GROUPED_FROM as printf() does, in a tenth of its time.
 */
static void units_add_rounded(struct text *out, double value, unsigned digits)
{
	static const double powers[] = { 1, 10, 100 };
	double shifted = value * powers[digits];
	uint64_t number = (uint64_t)(shifted + 0.5);
	char bytes[24];
	size_t at = sizeof(bytes);

	/* Near the middle of two numbers, all bits of the value decide. */
	if (fabs(shifted - (double)number) > 0.4999) {
		text_printf(out, "%.*f", digits, value);
		return;
	}
	for (unsigned i = 0; number || i <= digits; i++) {
		if (digits && i == digits)
			bytes[--at] = '.';
		bytes[--at] = (char)('0' + number % 10);
		number /= 10;
	}
	text_add(out, bytes + at, sizeof(bytes) - at);
}

/*
 * Prints three digits, or all digits before the decimal point; whole numbers
 * have no fraction if they are exact or in the last unit.
 */
static void units_add_scaled(struct text *out, const struct scale *scale,
			     double value, bool exact)
{
	double scaled;

	if (isnan(value)) {
		text_putc(out, '-');
		return;
	}
	if (value < 0) {
		text_putc(out, '-');
		value = -value;
	}
	/* 1023.9 KB would be rounded to 1024 KB, so use the next unit. */
	while (scale->unit > 1 && value < scale->unit * 0.9995)
		scale++;
	scaled = value / scale->unit;
	if (scaled >= 0x1p63)
		text_printf(out, "%.0f", scaled);
	else if (scaled >= GROUPED_FROM)
		units_add_count(out, (uint64_t)(scaled + 0.5));
	else
		units_add_rounded(out, scaled,
				  scaled == floor(scaled) &&
						  (exact || scale->unit <= 1)
					  ? 0
				  : scaled >= 99.95 ? 0
				  : scaled >= 9.995 ? 1
						    : 2);
	text_putc(out, ' ');
	text_puts(out, scale->name);
}

void units_add_time(struct text *out, double ns)
{
	units_add_scaled(out, time_scale, ns, true);
}

void units_add_bytes(struct text *out, double bytes)
{
	units_add_scaled(out, bytes_scale, bytes, true);
}

void units_add_measured_bytes(struct text *out, double bytes)
{
	units_add_scaled(out, bytes_scale, bytes, false);
}

/* Rounds down before 1970, too. */
static time_t units_seconds(int64_t ns)
{
	return (time_t)(ns / CLOCK_NS_PER_S - (ns % CLOCK_NS_PER_S < 0));
}

static void units_add_date(struct text *out, const struct tm *tm)
{
	char date[64];

	if (strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", tm))
		text_puts(out, date);
}

void units_add_local_time(struct text *out, int64_t ns)
{
	time_t seconds = units_seconds(ns);
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		units_add_date(out, &tm);
}

void units_add_utc(struct text *out, int64_t ns)
{
	time_t seconds = units_seconds(ns);
	int64_t part = ns % CLOCK_NS_PER_S;
	struct tm tm;

	if (!gmtime_r(&seconds, &tm))
		return;
	if (part < 0)
		part += CLOCK_NS_PER_S;
	units_add_date(out, &tm);
	text_printf(out, ".%03dZ", (int)(part / CLOCK_NS_PER_MS));
}

/* Frees the text, which is cut if it is longer than any measured value. */
static struct units_shown units_show(struct text *t)
{
	struct units_shown shown;

	snprintf(shown.text, sizeof(shown.text), "%s", t->bytes);
	text_release(t);
	return shown;
}

struct units_shown units_time(double ns)
{
	struct text t = { 0 };

	units_add_time(&t, ns);
	return units_show(&t);
}

struct units_shown units_bytes(double bytes)
{
	struct text t = { 0 };

	units_add_bytes(&t, bytes);
	return units_show(&t);
}

struct units_shown units_counted(uint64_t count, const char *noun)
{
	struct text t = { 0 };

	units_add_counted(&t, count, noun);
	return units_show(&t);
}
