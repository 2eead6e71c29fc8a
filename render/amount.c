/* SPDX-License-Identifier: Apache-2.0 */
#include "render/amount.h"

#include <inttypes.h>

struct scale {
	double unit;
	const char *suffix;
};

/* The largest first; each list ends with the unit that all is counted in. */
static const struct scale times[] = {
	{ 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" }
};
static const struct scale sizes[] = { { 0x1p40, "t" },
				      { 0x1p30, "g" },
				      { 0x1p20, "m" },
				      { 0x1p10, "k" },
				      { 1, "b" } };

/* To three digits, or all of those before the point. */
static void add_scaled(struct text *out, const struct scale *scale,
		       double value)
{
	double scaled;

	while (scale->unit > 1 && value < scale->unit)
		scale++;
	scaled = value / scale->unit;
	text_printf(out, "%.*f%s",
		    scale->unit <= 1 || scaled >= 99.95 ? 0
		    : scaled >= 9.995                   ? 1
							: 2,
		    scaled, scale->suffix);
}

void amount_add(struct text *out, enum unit unit, uint64_t value)
{
	if (unit == UNIT_NS)
		add_scaled(out, times, (double)value);
	else if (unit == UNIT_BYTES)
		add_scaled(out, sizes, (double)value);
	else
		text_printf(out, "%" PRIu64, value);
}

void amount_add_share(struct text *out, uint64_t part, uint64_t whole)
{
	double percent = whole ? 100 * (double)part / (double)whole : 0;

	text_printf(out, "%.1f%%", percent);
}
