/* SPDX-License-Identifier: Apache-2.0 */
#include "render/measure.h"

#include "core/base/alloc.h"

bool *view_events(const struct profile *p, const struct event_view *view)
{
	bool *in_view = xcalloc(p->event_count, sizeof(*in_view));

	for (size_t i = 0; i < view->event_count; i++)
		in_view[view->events[i]] = true;
	return in_view;
}
