/* SPDX-License-Identifier: Apache-2.0 */
/* Formats values for the columns of ttop; see top_format.h. */
#include "render/top/top_format.h"

#include "core/base/units.h"
#include "core/threads/thread_source.h"

#include <inttypes.h>
#include <math.h>

void top_format_percent(struct text *out, double share)
{
	double percent = share * 100;

	if (isnan(share))
		text_putc(out, '-');
	else if (percent < 999.995)
		text_printf(out, "%.2f", percent);
	else
		text_printf(out, "%.*f", percent < 9999.95 ? 1 : 0, percent);
}

void top_format_rate(struct text *out, double per_s)
{
	if (isnan(per_s))
		text_putc(out, '-');
	else if (per_s < 9.95)
		text_printf(out, "%.1f", per_s);
	else if (per_s < 99999.5)
		text_printf(out, "%.0f", per_s);
	else if (per_s < 9999.5e3)
		text_printf(out, "%.0f k", per_s / 1e3);
	else
		text_printf(out, "%.0f M", per_s / 1e6);
}

void top_format_time(struct text *out, int64_t ns)
{
	int64_t s = ns / 1000000000;
	int64_t minutes = s / 60;
	int64_t hours = minutes / 60;

	if (ns == COUNTER_ABSENT)
		text_putc(out, '-');
	else if (minutes == 0)
		text_printf(out, "%.2fs", (double)ns / 1e9);
	else if (minutes < 100)
		text_printf(out, "%" PRId64 ":%04.1f", minutes,
			    (double)(ns / 100000000 % 600) / 10);
	else if (hours < 100)
		text_printf(out, "%" PRId64 "h%02" PRId64 "m", hours,
			    minutes % 60);
	else
		text_printf(out, "%" PRId64 "d%02" PRId64 "h", hours / 24,
			    hours % 24);
}

void top_format_bytes(struct text *out, int64_t bytes)
{
	units_add_measured_bytes(out,
				 bytes == COUNTER_ABSENT ? NAN : (double)bytes);
}
