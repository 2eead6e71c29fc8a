/* SPDX-License-Identifier: Apache-2.0 */
/* top_rows: filters and sorts the threads. */
#ifndef RENDER_TOP_TOP_ROWS_H
#define RENDER_TOP_TOP_ROWS_H

#include "core/base/error.h"
#include "core/base/pattern.h"
#include "core/threads/thread_rates.h"

#include <stdbool.h>
#include <stddef.h>

enum { TOP_ORDER_MAX = 16 };

/* Sort keys: the first one decides, the others break ties. */
struct top_order {
	struct {
		unsigned char key; /* private: index into a table */
		bool reversed;
	} by[TOP_ORDER_MAX];
	size_t count;
};

/*
 * Adds "CPU,ALLOC" or "-name" to an order: keys in any case, "-" reverses a
 * key. Numbers sort largest first, names alphabetically, unavailable values
 * last. ERROR_MISUSE lists the valid keys and suggests the nearest.
 */
int top_order_parse(const char *text, struct top_order *order,
		    struct error *err);

/* Returns the first key and its direction; NULL when there is none. */
const char *top_order_first(const struct top_order *order, bool *reversed);

struct top_filter {
	const char *glob; /* matches the whole name, like SJK's; or NULL */
	struct pattern *pattern; /* matches a part; borrowed, or NULL */
	bool hide_idle;          /* hide threads that used no CPU time */
	bool java_only;
};

/*
 * Moves the rows that pass the filter to the front, sorted, and returns their
 * number. Ties are sorted by id, so that lines do not jump.
 */
size_t top_rows_select(struct top_rates *rates, const struct top_filter *filter,
		       const struct top_order *order);

/* Context switches per second, of both kinds; NaN when unknown. */
double top_row_switches(const struct thread_row *row);

/* True when the whole name matches: * is any text, ? any character. */
bool top_glob_matches(const char *glob, const char *name);

#endif
