/* SPDX-License-Identifier: Apache-2.0 */
/* Formats values of a profile: counts, times and sizes. */
#include "render/text/amount.h"

#include "core/base/units.h"

void amount_add(struct text *out, enum unit unit, uint64_t value)
{
	if (unit == UNIT_NS)
		units_add_time(out, (double)value);
	else if (unit == UNIT_BYTES)
		units_add_bytes(out, (double)value);
	else
		units_add_count(out, value);
}

void amount_add_share(struct text *out, uint64_t part, uint64_t whole)
{
	double percent = whole ? 100 * (double)part / (double)whole : 0;

	text_printf(out, "%.1f%%", percent);
}
