/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report: a profile in words and figures: what was sampled, and where it went.
 *
 * One event view of a profile is summed up once, and then written as text for a
 * terminal, as CSV or as JSON.
 */
#ifndef RENDER_REPORT_H
#define RENDER_REPORT_H

#include "core/base/text.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"
#include "render/frame_sums.h"
#include "render/frame_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_TOP 20

struct report_options {
	const char *source; /* "dump.jfr", "4711 Main" */
	size_t top;         /* rows of each table */
	bool samples;       /* count samples, though they have weights */
	struct frame_style style;
	size_t width; /* of the terminal, in characters; 0: of any width */
};

struct report {
	const struct profile *profile; /* borrowed, as are these two */
	const struct event_view *view;
	const struct report_options *options;
	bool weights;   /* what is measured is */
	enum unit unit; /* in this unit, */
	uint64_t whole; /* so much in all */
	struct frame_table table;
	struct frame_sum *frames; /* the hottest first */
	size_t frame_count;
};

/* Sums up a view. */
void report_init(struct report *r, const struct profile *p,
		 const struct event_view *view,
		 const struct report_options *options);
void report_release(struct report *r);

/* Appends the report as text, names made safe for a terminal. */
void report_text(struct text *out, const struct report *r);

#endif
