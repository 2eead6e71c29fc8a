/* SPDX-License-Identifier: Apache-2.0 */
#include "render/text/measure.h"

#include "core/base/alloc.h"

bool *view_events(const struct profile *p, const struct event_view *view)
{
	bool *in_view = xcalloc(p->event_count, sizeof(*in_view));

	for (size_t i = 0; i < view->event_count; i++)
		in_view[view->events[i]] = true;
	return in_view;
}

uint32_t *views_of_events(const struct profile *p,
			  const struct event_view *views, size_t count)
{
	uint32_t *view_of = xcalloc(p->event_count, sizeof(*view_of));

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < views[i].event_count; k++)
			view_of[views[i].events[k]] = (uint32_t)i + 1;
	}
	return view_of;
}
