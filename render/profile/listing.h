/* SPDX-License-Identifier: Apache-2.0 */
/* listing: lists the event types of a profile as a table or as JSON. */
#ifndef RENDER_PROFILE_LISTING_H
#define RENDER_PROFILE_LISTING_H

#include "core/base/output.h"
#include "core/profile/profile.h"

/*
 * Prints a line per event type, sorted by samples: name, family, samples,
 * samples without a stack trace, weight; then the events without stack traces.
 */
void listing_events(struct output *out, const struct profile *p);

/*
 * The same as JSON: {"schema":"sjkc.events/1","events":[{name,samples,
 * without_stack,weight,unit}]}.
 */
void listing_events_json(struct output *out, const struct profile *p);

#endif
