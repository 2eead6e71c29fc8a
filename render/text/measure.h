/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure: what is counted of a cell when a view is drawn.
 */
#ifndef RENDER_TEXT_MEASURE_H
#define RENDER_TEXT_MEASURE_H

#include "core/profile/event_view.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
