/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/flame_summary.h"

#include "core/base/safe_text.h"
#include "core/profile/frame_name.h"
#include "render/text/measure.h"

#include <inttypes.h>
#include <string.h>

void html_text(struct text *out, const char *bytes, size_t len)
{
	struct text safe = { 0 };

	safe_text(&safe, bytes, len);
	for (size_t i = 0; i < safe.len; i++) {
		switch (safe.bytes[i]) {
		case '<':
			text_puts(out, "&lt;");
			break;
		case '>':
			text_puts(out, "&gt;");
			break;
		case '&':
			text_puts(out, "&amp;");
			break;
		case '"':
			text_puts(out, "&quot;");
			break;
		case '\'':
			text_puts(out, "&#39;");
			break;
		default:
			text_putc(out, safe.bytes[i]);
		}
	}
	text_release(&safe);
}

static void html_string(struct text *out, const char *string)
{
	html_text(out, string, strlen(string));
}

void summary_events(struct text *out, const struct profile *p,
		    const char *title, const struct event_view *views,
		    size_t view_count)
{
	text_puts(out, "<h1>");
	html_string(out, title);
	text_puts(out,
		  "</h1>\n"
		  "<p>The graph is drawn by a script. Without it, these are "
		  "the totals.</p>\n"
		  "<table><thead><tr><th>event</th><th>samples</th>"
		  "<th>without stack trace</th><th>weight</th></tr></thead>"
		  "<tbody>\n");
	for (size_t i = 0; i < view_count; i++) {
		const struct event_view *v = &views[i];

		text_puts(out, "<tr><td>");
		html_string(out, v->name);
		text_printf(out,
			    "</td><td>%" PRIu64 "</td><td>%" PRIu64
			    "</td><td>%" PRIu64 " %s</td></tr>\n",
			    v->samples, v->without_stack, v->weight,
			    unit_names[v->unit]);
	}
	text_puts(out, "</tbody></table>\n");
	for (size_t i = 0; i < p->remark_count; i++) {
		const struct remark *r = &p->remarks[i];

		text_puts(out, "<p>");
		remark_add_count(out, r);
		text_putc(out, ' ');
		html_string(out, r->what);
		text_puts(out, *r->first ? ": " : "");
		html_string(out, r->first);
		text_puts(out, "</p>\n");
	}
}

/* A number and what part of the whole it is. */
static void put_share(struct text *out, uint64_t part, uint64_t whole)
{
	double percent = whole ? 100 * (double)part / (double)whole : 0;

	text_printf(out, "<td>%" PRIu64 "</td><td>%.2f %%</td>", part, percent);
}

void summary_frames(struct text *out, const struct profile *p,
		    const struct event_view *view, bool weights,
		    const struct hot_frame *hot, size_t count)
{
	static const struct style style = { 0 };
	bool weighs = view_weighs(view, weights);
	uint64_t whole = weighs ? view->weight : view->samples;
	struct text name = { 0 };

	if (!count)
		return;
	text_puts(out, "<h2>Hottest frames of ");
	html_string(out, view->name);
	text_printf(out,
		    ", in %s</h2>\n<table><thead><tr><th>self</th><th></th>"
		    "<th>total</th><th></th><th>frame</th></tr></thead>"
		    "<tbody>\n",
		    weighs ? unit_names[view->unit] : "samples");
	for (size_t i = 0; i < count; i++) {
		text_puts(out, "<tr>");
		put_share(out, hot[i].self, whole);
		put_share(out, hot[i].total, whole);
		text_puts(out, "<td>");
		text_clear(&name);
		frame_name(&name, p, &p->frames[hot[i].frame], &style);
		html_text(out, name.bytes ? name.bytes : "", name.len);
		text_puts(out, "</td></tr>\n");
	}
	text_puts(out, "</tbody></table>\n");
	text_release(&name);
}
