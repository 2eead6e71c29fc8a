/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_summary: the part of the flame graph page for browsers without
 * JavaScript: totals, losses and the hottest frames as HTML.
 */
#ifndef RENDER_PAGE_FLAME_SUMMARY_H
#define RENDER_PAGE_FLAME_SUMMARY_H

#include "core/base/text.h"
#include "core/profile/event_view.h"
#include "core/profile/profile.h"
#include "render/tree/flame_widths.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Appends the summary. The selected view must be the last that was added to w;
 * marks in w that are not 0 may change to other values that are not 0.
 */
void flame_summary(struct text *out, struct flame_widths *w,
		   const struct event_view *views, size_t view_count,
		   size_t selected, const char *title, bool weights);

/* Appends foreign text, made safe, with the special characters of HTML escaped.
 */
void flame_html(struct text *out, const char *bytes, size_t len);

/* Appends a remark, made safe: "chunks were cut: 2 (first: offset 68)". */
void flame_remark(struct text *out, const struct remark *r);

#endif
