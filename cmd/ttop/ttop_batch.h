/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttop_batch: reports of a top of threads, one after another, on stdout.
 */
#ifndef CMD_TTOP_TTOP_BATCH_H
#define CMD_TTOP_TTOP_BATCH_H

#include "cmd/ttop/ttop.h"

/* Appends one report to the output. */
typedef void ttop_format_fn(struct text *out, const struct top_rates *rates,
			    size_t passing, const struct ttop_options *o);

/*
 * Writes a report for each interval, the first after first_ns, until the
 * iterations are done, a stop is asked for or the target ends, *ended.  head is
 * written before the first; NULL: nothing.  ERROR_NO_TARGET when the target
 * ends before there is anything to report.
 */
int ttop_batch_run(const struct ttop_options *o, ttop_format_fn *format,
		   const char *head, int64_t first_ns, bool *ended,
		   struct error *err);

#endif
