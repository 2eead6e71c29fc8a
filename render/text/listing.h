/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing: what events a profile holds, as a table or as JSON.
 */
#ifndef RENDER_TEXT_LISTING_H
#define RENDER_TEXT_LISTING_H

#include "core/base/output.h"
#include "core/profile/profile.h"

/*
 * A line for each event type, those with most samples first: name, family if it
 * is drawn in one, samples, those without a stack trace, weight.
 */
void listing_events(struct output *out, const struct profile *p);

/*
 * The same as JSON: {"schema":"sjkc.events/1","events":[{name,samples,
 * without_stack,weight,unit}]}.
 */
void listing_events_json(struct output *out, const struct profile *p);

#endif
