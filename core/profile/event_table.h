/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_table: events without stack traces, grouped by the text of their
 * fields.
 *
 * A row for each combination of texts, such as the name and cause of a
 * collection, has sums of the numeric fields. Events are not stored.
 */
#ifndef CORE_PROFILE_EVENT_TABLE_H
#define CORE_PROFILE_EVENT_TABLE_H

#include "core/base/intern.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_TABLE_TEXTS  3
#define EVENT_TABLE_VALUES 4
#define EVENT_TABLE_ROWS                                                       \
	1000 /* the last row stands for all further combinations */

#define EVENT_VALUE_MISSING INT64_MIN

/* Sums of one field over the events of a row. */
struct event_sum {
	uint64_t count; /* number of events that have the field */
	uint64_t sum, most, last;
};

struct event_row {
	uint32_t texts[EVENT_TABLE_TEXTS]; /* strings of the profile */
	uint64_t count;
	int64_t last_ns; /* time of the last event */
	struct event_sum values[EVENT_TABLE_VALUES];
};

struct event_table {
	char *name; /* of the event type */
	uint64_t count;
	char *texts[EVENT_TABLE_TEXTS]; /* names of the text columns */
	size_t text_count;
	char *values[EVENT_TABLE_VALUES];
	enum unit units[EVENT_TABLE_VALUES];
	size_t value_count;
	/* Each event is a running total, so only the last event counts. */
	bool is_running_total;

	struct event_row *rows;
	size_t row_count, row_cap;
	struct intern row_ids; /* ids of the rows by their texts */
};

/* Returns the table of that name; creates one without columns if necessary. */
struct event_table *event_table_of(struct profile *p, const char *name);

/* True if the user asked for a table of events of that name. */
bool event_table_is_wanted(const struct profile *p, const char *name);

/*
 * Returns the table with events of that name, or the only table whose name ends
 * with a dot and that name; or NULL.
 */
const struct event_table *event_table_find(const struct profile *p,
					   const char *name);

/* Adds a column before the first row; false if there are too many columns. */
bool event_table_add_text(struct event_table *t, const char *name);
bool event_table_add_value(struct event_table *t, const char *name,
			   enum unit unit);

/*
 * Adds an event: a text and a value for each column; a value may be
 * EVENT_VALUE_MISSING. An event outside of the profile's time range is skipped.
 */
void event_table_add(struct profile *p, struct event_table *t, int64_t time_ns,
		     const uint32_t *texts, const int64_t *values);

/* Sorts the rows in descending order of the first value, or of the count. */
void event_table_sort(struct event_table *t);

#endif
