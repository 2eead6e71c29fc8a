/* SPDX-License-Identifier: Apache-2.0 */
#include "render/top/history.h"

#include <math.h>

/* From nothing to all; the first is for what is there, but 0. */
static const char *const bars[] = {
	"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
	"\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88",
};
static const char *const ascii_bars[] = {
	"_", ".", "-", ":", "=", "+", "*", "#"
};

enum { HIGHEST = sizeof(bars) / sizeof(*bars) - 1 };

void history_add(struct history *h, double value)
{
	h->values[h->added++ % HISTORY_MAX] = value;
}

/* The value that came so many before the newest; NaN when there is none. */
static double value_before(const struct history *h, size_t back)
{
	if (back >= h->added || back >= HISTORY_MAX)
		return NAN;
	return h->values[(h->added - 1 - back) % HISTORY_MAX];
}

double history_peak(const struct history *h, size_t last, double floor)
{
	double peak = floor;

	for (size_t back = 0; back < last; back++) {
		double value = value_before(h, back);

		if (value > peak)
			peak = value;
	}
	return peak;
}

static const char *bar(const struct pen *pen, double value, double scale)
{
	size_t level;

	if (isnan(value))
		return " ";
	level = value >= scale ? HIGHEST
		: value <= 0   ? 0
			       : (size_t)(value / scale * HIGHEST + 0.5);
	return (pen->screen->ascii ? ascii_bars : bars)[level];
}

void history_draw(const struct history *h, struct pen *pen, unsigned width,
		  double scale)
{
	for (unsigned i = 0; i < width; i++)
		pen_put(pen, STYLE_HISTORY,
			bar(pen, value_before(h, width - 1 - i), scale));
}
