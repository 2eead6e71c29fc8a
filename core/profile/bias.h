/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bias: what samples of an event do not show, or show wrongly, by the way in
 * which they were taken.
 */
#ifndef CORE_PROFILE_BIAS_H
#define CORE_PROFILE_BIAS_H

#include "core/base/text.h"
#include "core/profile/event_view.h"
#include "core/profile/profile.h"

#include <stdint.h>

/*
 * Appends it, as one line without its end, or nothing for events of which there
 * is nothing to say.  Of a view of several types, it is the first's.
 */
void bias_add(struct text *out, const struct profile *p,
	      const struct event_view *view);

/*
 * Appends how often samples were taken, "each 10 ms", "each 1000 cache-misses"
 * or "at most 300/s"; nothing when it is not known.  A source may say it in its
 * own words, by the setting "rate" of the event.
 */
void rate_add(struct text *out, const struct profile *p,
	      const struct event_view *view);

/*
 * The same in ns where samples were taken every so often; 0 when they were not,
 * or it is not known.
 */
uint64_t rate_period(const struct profile *p, const struct event_view *view);

#endif
