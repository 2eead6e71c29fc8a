/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/value/value_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
