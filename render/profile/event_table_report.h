/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_table_report: a table of events, for a person, as CSV and as JSON.
 */
#ifndef RENDER_PROFILE_EVENT_TABLE_REPORT_H
#define RENDER_PROFILE_EVENT_TABLE_REPORT_H

#include "core/base/text.h"
#include "core/profile/event_table.h"

struct event_table_options {
	const char *source; /* what was read, for people */
	size_t rows;        /* so many in text */
	size_t width;       /* of a line of text; 0: as wide as it is */
};

typedef void event_table_fn(struct text *out, const struct profile *p,
			    const struct event_table *t,
			    const struct event_table_options *o);

event_table_fn event_table_text, event_table_csv, event_table_json;

#endif
