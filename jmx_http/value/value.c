/* SPDX-License-Identifier: Apache-2.0 */
/* Makes values, spells numbers and dates, and finds parts by path. */
#include "jmx_http/value/value.h"

#include "core/base/ascii.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct value value_null = { .kind = VALUE_NULL, .type = "" };

struct value *value_new(struct arena *a, enum value_kind kind, const char *type)
{
	struct value *v = arena_alloc(a, sizeof(*v));

	memset(v, 0, sizeof(*v));
	v->kind = kind;
	v->type = *type ? arena_copy(a, type, strlen(type)) : "";
	return v;
}

struct value *value_integer(struct arena *a, const char *type, int64_t integer)
{
	struct value *v = value_new(a, VALUE_INTEGER, type);

	v->integer = integer;
	return v;
}

struct value *value_text(struct arena *a, enum value_kind kind,
			 const char *type, const char *text, size_t len)
{
	struct value *v = value_new(a, kind, type);

	v->text.at = arena_copy(a, text, len);
	v->text.len = len;
	return v;
}

struct value *value_string(struct arena *a, const char *text)
{
	return value_text(a, VALUE_STRING, "java.lang.String", text,
			  strlen(text));
}

const struct value *value_member(const struct value *v, const char *name)
{
	if (!v || (v->kind != VALUE_COMPOSITE && v->kind != VALUE_OBJECT))
		return NULL;
	for (size_t i = 0; i < v->members.count; i++)
		if (!strcmp(v->members.at[i].name, name))
			return v->members.at[i].value;
	return NULL;
}

int64_t value_integer_of(const struct value *v, int64_t otherwise)
{
	if (!v || (v->kind != VALUE_INTEGER && v->kind != VALUE_BOOLEAN))
		return otherwise;
	return v->integer;
}

/* True for the kinds whose value is .text. */
static bool value_has_text(const struct value *v)
{
	switch (v->kind) {
	case VALUE_NUMBER:
	case VALUE_STRING:
	case VALUE_NAME:
	case VALUE_ENUM:
	case VALUE_ERROR:
	case VALUE_CUT:
		return true;
	default:
		return false;
	}
}

const char *value_text_of(const struct value *v)
{
	return v && value_has_text(v) ? v->text.at : NULL;
}

/* Numbers and dates */

#define MS_PER_DAY INT64_C(86400000)

/* The calendar repeats every 400 years, which are ERA_DAYS days. */
#define ERA_DAYS   INT64_C(146097)
#define EPOCH_DAYS INT64_C(719468) /* from 0000-03-01 to 1970-01-01 */

static bool real_is_float(const struct value *v)
{
	return !strcmp(v->type, "float") || !strcmp(v->type, "java.lang.Float");
}

void value_add_real(struct text *out, const struct value *v)
{
	bool narrow = real_is_float(v);
	double real = v->real, again;
	char digits[40];

	if (isnan(real)) {
		text_puts(out, "NaN");
		return;
	}
	if (isinf(real)) {
		text_puts(out, real < 0 ? "-Infinity" : "Infinity");
		return;
	}
	for (int precision = narrow ? 6 : 15; precision <= 17; precision++) {
		snprintf(digits, sizeof(digits), "%.*g", precision, real);
		again = narrow ? (double)strtof(digits, NULL)
			       : strtod(digits, NULL);
		if (again == real)
			break;
	}
	text_puts(out, digits);
}

/* a / b rounded towards minus infinity; *rest is never negative. */
static int64_t date_floor_div(int64_t a, int64_t b, int64_t *rest)
{
	int64_t quotient = a / b;

	*rest = a % b;
	if (*rest < 0) {
		*rest += b;
		quotient--;
	}
	return quotient;
}

/*
 * Proleptic Gregorian calendar.  Years start in March, so that the leap day is
 * the last day of a year.
 */
static void date_add_day(struct text *out, int64_t days)
{
	int64_t day, era = date_floor_div(days + EPOCH_DAYS, ERA_DAYS, &day);
	int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	int64_t of_year = day - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153;
	int64_t of_month = of_year - (153 * month + 2) / 5 + 1;

	month += month < 10 ? 3 : -9;
	year += era * 400 + (month <= 2);
	/* java.time writes a sign before years of more than four digits. */
	text_printf(out, "%s%0*" PRId64 "-%02d-%02d", year > 9999 ? "+" : "",
		    year < 0 ? 5 : 4, year, (int)month, (int)of_month);
}

void value_add_date(struct text *out, int64_t ms)
{
	int64_t of_day;

	date_add_day(out, date_floor_div(ms, MS_PER_DAY, &of_day));
	text_printf(out, "T%02d:%02d:%02d.%03dZ", (int)(of_day / 3600000),
		    (int)(of_day / 60000 % 60), (int)(of_day / 1000 % 60),
		    (int)(of_day % 1000));
}

/* Paths */

static bool path_step_is(const char *name, const char *step, size_t len)
{
	return strlen(name) == len && memcmp(name, step, len) == 0;
}

static const struct value *path_find_member(const struct value *v,
					    const char *step, size_t len)
{
	for (size_t i = 0; i < v->members.count; i++) {
		if (path_step_is(v->members.at[i].name, step, len))
			return v->members.at[i].value;
	}
	return NULL;
}

/* True if the step is the key as value_cell() spells it. */
static bool path_key_is(const struct value *key, const char *step, size_t len)
{
	struct text shown = { 0 };
	bool is;

	text_puts(&shown, "");
	value_cell(&shown, key);
	is = path_step_is(shown.bytes, step, len);
	text_release(&shown);
	return is;
}

static const struct value *path_find_in_map(const struct value *v,
					    const char *step, size_t len)
{
	for (size_t i = 0; i < v->map.count; i++) {
		if (path_key_is(v->map.at[i].key, step, len))
			return v->map.at[i].value;
	}
	return NULL;
}

static const struct value *path_find_element(const struct value *v,
					     const char *step, size_t len)
{
	size_t index = 0;

	if (len == 0 || len > 9)
		return NULL;
	for (size_t i = 0; i < len; i++) {
		if (!is_digit(step[i]))
			return NULL;
		index = index * 10 + (size_t)(step[i] - '0');
	}
	return index < v->list.count ? v->list.at[index] : NULL;
}

/* The other column of a row with two columns; else the row. */
static const struct value *path_row_value(const struct value *row,
					  const char *key)
{
	if (row->kind != VALUE_COMPOSITE || row->members.count != 2)
		return row;
	return row->members
		.at[strcmp(row->members.at[0].name, key) == 0 ? 1 : 0]
		.value;
}

static const struct value *path_find_row(const struct value *v,
					 const char *step, size_t len)
{
	if (v->table.index_count != 1)
		return NULL;
	for (size_t i = 0; i < v->table.row_count; i++) {
		const struct value *row = v->table.rows[i];
		const struct value *key = value_member(row, v->table.index[0]);

		if (key && path_key_is(key, step, len))
			return path_row_value(row, v->table.index[0]);
	}
	return NULL;
}

static const struct value *path_find_part(const struct value *v,
					  const char *step, size_t len)
{
	switch (v->kind) {
	case VALUE_COMPOSITE:
	case VALUE_OBJECT:
		return path_find_member(v, step, len);
	case VALUE_MAP:
		return path_find_in_map(v, step, len);
	case VALUE_TABULAR:
		return path_find_row(v, step, len);
	case VALUE_ARRAY:
		return path_find_element(v, step, len);
	default:
		return NULL;
	}
}

/* Consumes the longest name at *path that exists; NULL if none does. */
static const struct value *path_take_longest(const struct value *v,
					     const char **path)
{
	size_t len = strlen(*path);

	for (;;) {
		const struct value *part = path_find_part(v, *path, len);

		if (part) {
			*path += len;
			*path += **path == '.';
			return part;
		}
		while (len && (*path)[len - 1] != '.')
			len--;
		if (!len)
			return NULL;
		len--;
	}
}

const struct value *value_path(const struct value *v, const char *path)
{
	while (v && v->kind != VALUE_NULL && *path)
		v = path_take_longest(v, &path);
	return v;
}
