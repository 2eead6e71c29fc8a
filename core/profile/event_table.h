/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_table: events without stack traces, summed up by what their fields say.
 *
 * A row is kept for each combination of texts, such as the name and the cause
 * of a collection, with sums of what the events measure: no event is kept.
 */
#ifndef CORE_PROFILE_EVENT_TABLE_H
#define CORE_PROFILE_EVENT_TABLE_H

#include "core/base/intern.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_TABLE_TEXTS   3
#define EVENT_TABLE_VALUES  4
#define EVENT_TABLE_ROWS    1000 /* the last stands for all that are left */

#define EVENT_VALUE_MISSING INT64_MIN

/* Sums of one field over the events of a row. */
struct event_sum {
	uint64_t count; /* of events that say something */
	uint64_t sum, most, last;
};

struct event_row {
	uint32_t texts[EVENT_TABLE_TEXTS]; /* strings of the profile */
	uint64_t count;
	int64_t last_ns; /* when the last event was */
	struct event_sum values[EVENT_TABLE_VALUES];
};

struct event_table {
	char *name; /* of the type of events */
	uint64_t count;
	char *texts[EVENT_TABLE_TEXTS]; /* names of fields */
	size_t text_count;
	char *values[EVENT_TABLE_VALUES];
	enum unit units[EVENT_TABLE_VALUES];
	size_t value_count;
	/* Each event has all that was before in it: only the last counts. */
	bool is_running_total;

	struct event_row *rows;
	size_t row_count, row_cap;
	struct intern row_ids; /* by texts */
};

/* The table of that name, a new one without columns if need be. */
struct event_table *event_table_of(struct profile *p, const char *name);

/* True when the profile is to have a table of events of that name. */
bool event_table_is_wanted(const struct profile *p, const char *name);

/*
 * The table with events that has that name, or the only one whose name ends
 * with it, behind a dot; or NULL.
 */
const struct event_table *event_table_find(const struct profile *p,
					   const char *name);

/* Adds a column, while there are no rows; false when there is no room. */
bool event_table_add_text(struct event_table *t, const char *name);
bool event_table_add_value(struct event_table *t, const char *name,
			   enum unit unit);

/*
 * Adds an event: as many texts and values as there are columns; a value may be
 * EVENT_VALUE_MISSING.  An event at a time that the profile does not want is
 * left out.
 */
void event_table_add(struct profile *p, struct event_table *t, int64_t time_ns,
		     const uint32_t *texts, const int64_t *values);

/* The rows in order: the greatest first value, or the greatest count, first. */
void event_table_sort(struct event_table *t);

void event_table_free(struct event_table *t); /* NULL is fine */

#endif
