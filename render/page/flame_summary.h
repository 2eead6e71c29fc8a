/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_summary: what the page says where scripts do not run.
 */
#ifndef RENDER_PAGE_FLAME_SUMMARY_H
#define RENDER_PAGE_FLAME_SUMMARY_H

#include "core/base/text.h"
#include "core/profile/event_view.h"
#include "core/profile/profile.h"
#include "render/profile/hot_frames.h"

#include <stddef.h>

/* Appends foreign text, made safe and with HTML's own characters escaped. */
void html_text(struct text *out, const char *bytes, size_t len);

/* Appends the heading and a table of the events. */
void summary_events(struct text *out, const struct profile *p,
		    const char *title, const struct event_view *views,
		    size_t view_count);

/* Appends a table of the hottest frames of a view. */
void summary_frames(struct text *out, const struct profile *p,
		    const struct event_view *view, bool weights,
		    const struct hot_frame *hot, size_t count);

#endif
