/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_view: selects the events of a profile that are drawn as one graph.
 *
 * Events of one family may be added up (file and socket reads are "io"), events
 * of different families never. An event without a family has its own view.
 */
#ifndef CORE_PROFILE_EVENT_VIEW_H
#define CORE_PROFILE_EVENT_VIEW_H

#include "core/base/error.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_VIEW_TYPES 8

struct event_view {
	const char *name; /* the family, or the event's own name */
	uint32_t events[EVENT_VIEW_TYPES];
	size_t event_count;
	enum unit unit;
	uint64_t samples, without_stack, weight; /* sums over the events */
};

/*
 * Lists all views of a profile that have samples, families first, in the order
 * of the family table. The caller frees *views; returns their number. If
 * jdk.ObjectAllocationSample has samples, it alone is "alloc" and the TLAB
 * events have their own views, since both record the same bytes. Views without
 * any stack trace are omitted if others have one.
 */
size_t event_views(const struct profile *p, struct event_view **views);

/*
 * Keeps the `most` views with the most stack traces, in their order, and always
 * the selected one, whose index is updated. Returns the number of views kept.
 */
size_t event_views_limit(struct event_view *views, size_t count, size_t most,
			 size_t *selected);

/*
 * Finds the view called wanted: a family, an event type, or the last part of an
 * event type's name if it is unique: "wall" is nps.wall. NULL is the default:
 * "cpu" if it has samples, else the view with the most stack traces. Fails with
 * ERROR_INPUT, naming the available views, if there are no such samples.
 */
int event_view_choose(const struct profile *p, const char *wanted,
		      struct event_view *view, struct error *err);

/*
 * Returns true if event_view_choose() may find an event of this type by one of
 * the names in a list, which are separated by commas.
 */
bool event_view_may_have(const char *list, const char *type);

/* Cells of a view. */
/*
 * Marks the events of a view: an array with an element for each event of the
 * profile, which the caller frees.
 */
bool *view_events(const struct profile *p, const struct event_view *view);

/* Likewise, with 1 + the index of the view of each event, or 0. */
uint32_t *views_of_events(const struct profile *p,
			  const struct event_view *views, size_t count);

/*
 * Number of cells by which prefetching runs ahead: the stack traces and frames
 * of cells are scattered over many megabytes.
 */
#define AHEAD 24

/* If the unit is samples, the weight is the number of samples of a cell. */
static inline bool view_weighs(const struct event_view *view, bool weights)
{
	return weights || view->unit == UNIT_SAMPLES;
}

static inline uint64_t cell_measure(const struct cell *c, bool weighs)
{
	return weighs ? c->weight : c->count;
}

#endif
