/* SPDX-License-Identifier: Apache-2.0 */
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

bool value_has_text(const struct value *v)
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

/* Spelling */

#define MS_PER_DAY INT64_C(86400000)

/* Days of the 400 years after which the calendar repeats; since 0000-03-01. */
#define ERA_DAYS   INT64_C(146097)
#define EPOCH_DAYS INT64_C(719468)

static bool is_float(const struct value *v)
{
	return !strcmp(v->type, "float") || !strcmp(v->type, "java.lang.Float");
}

void value_add_real(struct text *out, const struct value *v)
{
	bool narrow = is_float(v);
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

/* Rounded towards minus infinity; *rest is from 0 on. */
static int64_t floor_div(int64_t a, int64_t b, int64_t *rest)
{
	int64_t quotient = a / b;

	*rest = a % b;
	if (*rest < 0) {
		*rest += b;
		quotient--;
	}
	return quotient;
}

/* The proleptic Gregorian calendar, years begun in March. */
static void add_day(struct text *out, int64_t days)
{
	int64_t day, era = floor_div(days + EPOCH_DAYS, ERA_DAYS, &day);
	int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	int64_t of_year = day - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153;
	int64_t of_month = of_year - (153 * month + 2) / 5 + 1;

	month += month < 10 ? 3 : -9;
	year += era * 400 + (month <= 2);
	/* As java.time writes years of more than four digits. */
	text_printf(out, "%s%0*" PRId64 "-%02d-%02d", year > 9999 ? "+" : "",
		    year < 0 ? 5 : 4, year, (int)month, (int)of_month);
}

void value_add_date(struct text *out, int64_t ms)
{
	int64_t of_day;

	add_day(out, floor_div(ms, MS_PER_DAY, &of_day));
	text_printf(out, "T%02d:%02d:%02d.%03dZ", (int)(of_day / 3600000),
		    (int)(of_day / 60000 % 60), (int)(of_day / 1000 % 60),
		    (int)(of_day % 1000));
}

/* Paths */

static bool is_called(const char *name, const char *step, size_t len)
{
	return strlen(name) == len && memcmp(name, step, len) == 0;
}

static const struct value *member(const struct value *v, const char *step,
				  size_t len)
{
	for (size_t i = 0; i < v->members.count; i++) {
		if (is_called(v->members.at[i].name, step, len))
			return v->members.at[i].value;
	}
	return NULL;
}

/* True when a key, as a person would write it, is the step. */
static bool is_key(const struct value *key, const char *step, size_t len)
{
	struct text shown = { 0 };
	bool is;

	text_puts(&shown, "");
	value_cell(&shown, key);
	is = is_called(shown.bytes, step, len);
	text_release(&shown);
	return is;
}

static const struct value *mapped(const struct value *v, const char *step,
				  size_t len)
{
	for (size_t i = 0; i < v->map.count; i++) {
		if (is_key(v->map.at[i].key, step, len))
			return v->map.at[i].value;
	}
	return NULL;
}

static const struct value *element(const struct value *v, const char *step,
				   size_t len)
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

/* What else a row of a key has, when that is one thing; else the row. */
static const struct value *beside(const struct value *row, const char *key)
{
	if (row->kind != VALUE_COMPOSITE || row->members.count != 2)
		return row;
	return row->members
		.at[strcmp(row->members.at[0].name, key) == 0 ? 1 : 0]
		.value;
}

static const struct value *row_of(const struct value *v, const char *step,
				  size_t len)
{
	if (v->table.index_count != 1)
		return NULL;
	for (size_t i = 0; i < v->table.row_count; i++) {
		const struct value *row = v->table.rows[i];
		const struct value *key = value_member(row, v->table.index[0]);

		if (key && is_key(key, step, len))
			return beside(row, v->table.index[0]);
	}
	return NULL;
}

static const struct value *one_step(const struct value *v, const char *step,
				    size_t len)
{
	switch (v->kind) {
	case VALUE_COMPOSITE:
	case VALUE_OBJECT:
		return member(v, step, len);
	case VALUE_MAP:
		return mapped(v, step, len);
	case VALUE_TABULAR:
		return row_of(v, step, len);
	case VALUE_ARRAY:
		return element(v, step, len);
	default:
		return NULL;
	}
}

/* Takes the longest name at *path that is there; NULL when none is. */
static const struct value *longest_step(const struct value *v,
					const char **path)
{
	size_t len = strlen(*path);

	for (;;) {
		const struct value *part = one_step(v, *path, len);

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
		v = longest_step(v, &path);
	return v;
}
