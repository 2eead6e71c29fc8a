/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The <noscript> part of the page, and the text that the page and its summary
 * share.
 */
#include "render/page/flame_summary.h"

#include "core/base/alloc.h"
#include "core/base/safe_text.h"
#include "core/base/saturate.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "render/tree/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HOT_FRAMES 20

/* A method, whatever the kinds and lines of its frames. */
struct hot_frame {
	uint32_t frame; /* one of its frames */
	uint64_t self;
	uint64_t total; /* a recursive call counts once */
};

/* Returns the self of each frame in a view, by frame id; the caller frees it.
 */
static uint64_t *summary_frame_selfs(const struct profile *p,
				     const struct event_view *view,
				     bool weights)
{
	uint64_t *selfs = xcalloc(p->frame_count, sizeof(*selfs));
	bool weighs = view_weighs(view, weights);
	bool *in_view = view_events(p, view);

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t calls = profile_calls(p, c->stack);
		uint64_t *self = &selfs[p->stacks[calls].frame];

		if (i + AHEAD < p->cell_count)
			__builtin_prefetch(&p->stacks[c[AHEAD].stack]);
		if (c->stack && in_view[c->event])
			*self = saturate_add(*self, cell_measure(c, weighs));
	}
	free(in_view);
	return selfs;
}

/* Returns a row per frame, sorted by method; the caller frees the array. */
static struct row *summary_by_method(const struct profile *p)
{
	size_t count = p->frame_count - 1;
	struct row *rows = xmalloc(count * sizeof(*rows));

	for (uint32_t id = 1; id <= count; id++) {
		const struct frame *f = &p->frames[id];

		rows[id - 1] = (struct row){ f->method, f->class_name, id };
	}
	row_sort(rows, count);
	return rows;
}

static bool summary_same_method(const struct row *a, const struct row *b)
{
	return a->major == b->major && a->minor == b->minor;
}

/* Inserts a frame into hot[] if it is hot enough; returns the new count. */
static size_t summary_keep_hottest(struct hot_frame *hot, size_t count,
				   struct hot_frame candidate)
{
	size_t at = count;

	if (!candidate.self)
		return count;
	while (at > 0 && hot[at - 1].self < candidate.self)
		at--;
	if (at == HOT_FRAMES)
		return count;
	if (count < HOT_FRAMES)
		count++;
	memmove(hot + at + 1, hot + at, (count - at - 1) * sizeof(*hot));
	hot[at] = candidate;
	return count;
}

/* Returns by frame id the bit of its method in hot[], or 0; 2 is the first. */
static uint32_t *summary_method_bits(const struct profile *p,
				     const struct row *rows,
				     const struct hot_frame *hot, size_t count)
{
	uint32_t *bits = xcalloc(p->frame_count, sizeof(*bits));

	/* hot[].frame is the frame of the first row of the method. */
	for (size_t i = 0; i < count; i++)
		bits[hot[i].frame] = 2u << i;
	for (size_t i = 1; i + 1 < p->frame_count; i++) {
		if (summary_same_method(&rows[i], &rows[i - 1]))
			bits[rows[i].item] = bits[rows[i - 1].item];
	}
	return bits;
}

/* Adds the totals of the hot methods; recursive calls count once. */
static void summary_add_totals(struct flame_widths *w, const uint32_t *bits,
			       struct hot_frame *hot)
{
	const struct profile *p = w->profile;

	/* A mark holds the bits of the stack traces of a run and its callers.
	 */
	for (size_t i = 1; i < w->run_count; i++) {
		uint32_t above;

		if (!w->marks[i])
			continue;
		above = w->callers[i] ? w->marks[w->callers[i]] : 1;
		for (size_t id = w->firsts[i]; id < w->firsts[i + 1]; id++) {
			uint32_t here = bits[p->stacks[id].frame];
			uint64_t *total;

			if (!(here & ~above))
				continue;
			above |= here;
			total = &hot[__builtin_ctz(here) - 1].total;
			*total = saturate_add(*total, w->totals[i]);
		}
		w->marks[i] = above;
	}
}

/*
 * Fills hot[HOT_FRAMES], the greatest self first, and returns the number of
 * methods. The view must be the last that was added to w; adds bits to marks
 * that are not 0.
 */
static size_t summary_hot_frames(struct flame_widths *w,
				 const struct event_view *view, bool weights,
				 struct hot_frame *hot)
{
	const struct profile *p = w->profile;
	struct row *rows = summary_by_method(p);
	uint64_t *selfs = summary_frame_selfs(p, view, weights);
	uint32_t *bits;
	size_t count = 0;

	for (size_t i = 0; i + 1 < p->frame_count;) {
		struct hot_frame method = { .frame = rows[i].item };
		const struct row *first = &rows[i];

		for (; i + 1 < p->frame_count &&
		       summary_same_method(first, &rows[i]);
		     i++)
			method.self = saturate_add(method.self,
						   selfs[rows[i].item]);
		count = summary_keep_hottest(hot, count, method);
	}
	bits = summary_method_bits(p, rows, hot, count);
	summary_add_totals(w, bits, hot);
	free(bits);
	free(selfs);
	free(rows);
	return count;
}

/* Appends "chunks were cut: 2 (first: offset 68)", safe for a terminal. */
void flame_remark(struct text *out, const struct remark *r)
{
	text_puts(out, r->is_loss ? "Lost: " : "");
	safe_text_puts(out, r->what);
	text_puts(out, ": ");
	remark_add_count(out, r);
	if (!*r->first)
		return;
	text_puts(out, " (first: ");
	safe_text_puts(out, r->first);
	text_putc(out, ')');
}

/* Appends foreign text, made safe and with HTML's own characters escaped. */
void flame_html(struct text *out, const char *bytes, size_t len)
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

static void summary_html_string(struct text *out, const char *string)
{
	flame_html(out, string, strlen(string));
}

/* Appends the heading and a table of the events. */
static void summary_events(struct text *out, const struct profile *p,
			   const char *title, const struct event_view *views,
			   size_t view_count)
{
	struct text note = { 0 };

	text_puts(out, "<h1>");
	summary_html_string(out, title);
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
		summary_html_string(out, v->name);
		text_printf(out,
			    "</td><td>%" PRIu64 "</td><td>%" PRIu64
			    "</td><td>%" PRIu64 " %s</td></tr>\n",
			    v->samples, v->without_stack, v->weight,
			    unit_names[v->unit]);
	}
	text_puts(out, "</tbody></table>\n");
	for (size_t i = 0; i < p->remark_count; i++) {
		text_clear(&note);
		flame_remark(&note, &p->remarks[i]);
		text_puts(out, "<p>");
		flame_html(out, note.bytes, note.len);
		text_puts(out, "</p>\n");
	}
	text_release(&note);
}

/* Appends two table cells: a number and its percentage of the whole. */
static void summary_put_share(struct text *out, uint64_t part, uint64_t whole)
{
	double percent = whole ? 100 * (double)part / (double)whole : 0;

	text_printf(out, "<td>%" PRIu64 "</td><td>%.2f %%</td>", part, percent);
}

/* Appends a table of the hottest frames of a view. */
static void summary_frames(struct text *out, const struct profile *p,
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
	summary_html_string(out, view->name);
	text_printf(out,
		    ", in %s</h2>\n<table><thead><tr><th>self</th><th></th>"
		    "<th>total</th><th></th><th>frame</th></tr></thead>"
		    "<tbody>\n",
		    weighs ? unit_names[view->unit] : "samples");
	for (size_t i = 0; i < count; i++) {
		text_puts(out, "<tr>");
		summary_put_share(out, hot[i].self, whole);
		summary_put_share(out, hot[i].total, whole);
		text_puts(out, "<td>");
		text_clear(&name);
		frame_name(&name, p, &p->frames[hot[i].frame], &style);
		flame_html(out, name.bytes ? name.bytes : "", name.len);
		text_puts(out, "</td></tr>\n");
	}
	text_puts(out, "</tbody></table>\n");
	text_release(&name);
}

void flame_summary(struct text *out, struct flame_widths *w,
		   const struct event_view *views, size_t view_count,
		   size_t selected, const char *title, bool weights)
{
	const struct profile *p = w->profile;
	struct hot_frame hot[HOT_FRAMES];
	size_t count;

	summary_events(out, p, title, views, view_count);
	if (selected >= view_count)
		return;
	count = summary_hot_frames(w, &views[selected], weights, hot);
	summary_frames(out, p, &views[selected], weights, hot, count);
}
