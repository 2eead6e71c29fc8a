/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bias: states the limitations of an event, which follow from the way its
 * samples are taken.
 */
#ifndef CORE_PROFILE_BIAS_H
#define CORE_PROFILE_BIAS_H

#include "core/base/text.h"
#include "core/profile/event_view.h"
#include "core/profile/profile.h"

#include <stdint.h>

/*
 * Appends the limitation as one line without a newline; nothing if none is
 * known. For a view of several types, uses the first.
 */
void bias_add(struct text *out, const struct profile *p,
	      const struct event_view *view);

/*
 * Appends how often samples were taken: "taken every 10 ms", "taken every 1000
 * cache-misses" or "at most 300/s"; nothing if unknown.  A source may set its
 * own wording with the setting "rate" of the event.
 */
void rate_add(struct text *out, const struct profile *p,
	      const struct event_view *view);

/*
 * The sampling period in ns, or in bytes for a view of bytes; 0 if samples were
 * not taken periodically or it is unknown.
 */
uint64_t rate_period(const struct profile *p, const struct event_view *view);

#endif
