/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_view: which events of a profile are drawn as one graph.
 *
 * Events of one family may be added up (file and socket reads are "io");
 * families never are.  An event without a family is a view of its own.
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
 * All views of a profile that have samples, those of families first, in the
 * order of the family table; *views is the caller's to free.  Gives their
 * number.  jdk.ObjectAllocationSample, where it has samples, is "alloc" alone
 * and the TLAB events are views of their own: the same bytes are in both.
 * Views without a single stack trace are left out where others have one.
 */
size_t event_views(const struct profile *p, struct event_view **views);

/*
 * Leaves of the views the `most` that have the most stack traces, in their
 * order, and always the one selected, of which it corrects the index.  Gives
 * how many are left.
 */
size_t event_views_limit(struct event_view *views, size_t count, size_t most,
			 size_t *selected);

/*
 * The view called wanted: a family, an event type, or the last part of its
 * name where only one has it: "wall" is nps.wall.  NULL means the default:
 * "cpu" if it has samples, else the view with the most stack traces.  Fails
 * with ERROR_INPUT, naming what there is, when the profile has no such samples.
 */
int event_view_choose(const struct profile *p, const char *wanted,
		      struct event_view *view, struct error *err);

/*
 * measure: what is counted of a cell when a view is drawn.
 */
/*
 * Marks the events of a view: an array with an element for each event of the
 * profile, the caller's to free.
 */
bool *view_events(const struct profile *p, const struct event_view *view);

/* Likewise, for each event 1 + the index of the view that has it, or 0. */
uint32_t *views_of_events(const struct profile *p,
			  const struct event_view *views, size_t count);

/*
 * How many cells ahead memory is asked for that they lead to: stack traces and
 * places lie anywhere in many megabytes.
 */
#define AHEAD 24

/* Where samples are the unit too, the weight says how many a cell is. */
static inline bool view_weighs(const struct event_view *view, bool weights)
{
	return weights || view->unit == UNIT_SAMPLES;
}

static inline uint64_t cell_measure(const struct cell *c, bool weighs)
{
	return weighs ? c->weight : c->count;
}

#endif
