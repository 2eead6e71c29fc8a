/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a report as text for a person. */
#include "render/profile/report.h"

#include "core/base/alloc.h"
#include "core/base/safe_text.h"
#include "core/base/saturate.h"
#include "core/base/units.h"
#include "render/profile/call_tree.h"
#include "render/profile/thread_roots.h"
#include "render/text/amount.h"
#include "render/text/columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_WIDTH  8 /* of a name, even on narrow terminals */
#define THREAD_WIDTH 28
#define MOST_THREAD  60 /* without a terminal: longer names overflow */
#define MOST_INDENT  12 /* levels; deeper calls are not indented further */
/* Stack traces without a frame of the application. */
#define WAIT_NOWHERE "[no application frame]"
#define AMOUNT_WIDTH 9 /* of a column of amounts, if they fit */

static void report_put_share(struct text *out, uint64_t part, uint64_t whole)
{
	struct text share = { 0 };

	amount_add_share(&share, part, whole);
	columns_right(out, &share, 7);
	text_release(&share);
}

/*
 * Returns by how much the column of amounts is wider than AMOUNT_WIDTH: samples
 * are printed with all their digits.
 */
static size_t report_extra_width(const struct report *r)
{
	struct text whole = { 0 };
	size_t wide;

	amount_add(&whole, r->unit, r->whole);
	wide = text_width(whole.bytes, whole.len) + 2;
	text_release(&whole);
	return wide > AMOUNT_WIDTH ? wide - AMOUNT_WIDTH : 0;
}

static void report_put_amount(struct text *out, const struct report *r,
			      uint64_t part)
{
	struct text amount = { 0 };

	report_put_share(out, part, r->whole);
	amount_add(&amount, r->unit, part);
	columns_right(out, &amount, AMOUNT_WIDTH + report_extra_width(r));
	text_release(&amount);
}

/* Puts the headings of a share and an amount. */
static void report_put_amount_heading(struct text *out, const struct report *r,
				      const char *heading)
{
	text_puts(out, heading);
	text_spaces(out, report_extra_width(r));
}

/* Puts the last column of the line that starts at `start`, and a newline. */
static void report_put_last(struct text *out, const struct report *r,
			    size_t start, const char *name, size_t len)
{
	size_t used = text_width(out->bytes + start, out->len - start);
	size_t width = r->options->width;
	size_t left = width > used + LEAST_WIDTH ? width - used : LEAST_WIDTH;

	columns_fit(out, name, len, width ? left : SIZE_MAX);
	text_putc(out, '\n');
}

static const char *const group_headings[FRAME_GROUPS] = {
	[GROUP_FRAME] = "hottest frames",
	[GROUP_CLASS] = "hottest classes",
	[GROUP_PACKAGE] = "hottest packages",
};

static void report_put_frames(struct text *out, const struct report *r)
{
	enum frame_group group = r->options->group;
	bool all = r->options->order != FRAME_TERM || group != GROUP_FRAME;
	size_t rows = report_rows(r, REPORT_FRAMES);

	if (!rows || (!all && !r->frames[0].self))
		return;
	text_printf(out, "\n%s\n", group_headings[group]);
	report_put_amount_heading(out, r, "   self          ");
	report_put_amount_heading(out, r, "   total        ");
	text_printf(out, "  %s\n", frame_group_names[group]);
	for (size_t i = 0; i < rows && (all || r->frames[i].self); i++) {
		const struct frame_sum *f = &r->frames[i];
		const struct label_name *name = report_frame_name(r, f->label);
		size_t start = out->len;

		report_put_amount(out, r, f->self);
		text_puts(out, " ");
		report_put_amount(out, r, f->total);
		text_puts(out, "  ");
		report_put_last(out, r, start, name->text, name->len);
	}
}

static const char *report_wait_callee(const struct report *r,
				      const struct wait_sum *w, size_t *len)
{
	const struct label_name *name;
	const char *text = w->callee == WAIT_MONITOR ? "[enters a monitor]"
			   : w->callee == WAIT_CPU   ? "[waits for a CPU]"
						     : "";

	*len = strlen(text);
	if (*text || w->callee == WAIT_NONE)
		return text;
	name = report_frame_name(r, w->callee);
	*len = name->len;
	return name->text;
}

/* Puts an application's frame, the column's width, and the call below it. */
static void report_put_wait(struct text *out, const struct report *r,
			    const struct wait_sum *w, size_t column)
{
	struct text fitted = { 0 };
	size_t start = out->len, wide, len;
	const char *callee = report_wait_callee(r, w, &len);

	if (w->label == NO_LABEL) {
		text_puts(&fitted, WAIT_NOWHERE);
	} else {
		const struct label_name *name = report_frame_name(r, w->label);

		columns_fit(&fitted, name->text, name->len,
			    r->options->width ? column : SIZE_MAX);
	}
	wide = text_width(fitted.bytes, fitted.len);
	report_put_amount(out, r, w->total);
	text_puts(out, "  ");
	text_add(out, fitted.bytes, fitted.len);
	if (len)
		text_spaces(out, 2 + (wide < column ? column - wide : 0));
	report_put_last(out, r, start, callee, len);
	text_release(&fitted);
}

static void report_put_waits(struct text *out, const struct report *r)
{
	size_t rows = report_rows(r, REPORT_WAITS);
	size_t column = strlen(WAIT_NOWHERE), limit = MOST_THREAD;

	if (!rows || (rows == 1 && r->waits[0].label == NO_LABEL))
		return;
	for (size_t i = 0; i < rows; i++) {
		const struct wait_sum *w = &r->waits[i];
		const struct label_name *name;

		if (w->label == NO_LABEL)
			continue;
		name = report_frame_name(r, w->label);
		if (text_width(name->text, name->len) > column)
			column = text_width(name->text, name->len);
	}
	column = column < limit ? column : limit;
	text_printf(out,
		    "\nwaits: the %s outside the JDK nearest the leaf, and its "
		    "call that waits\n",
		    frame_group_names[r->options->group]);
	report_put_amount_heading(out, r, "  total         ");
	text_printf(out, "  %s", frame_group_names[r->options->group]);
	text_spaces(out, column - strlen(frame_group_names[r->options->group]));
	text_puts(out, "  call\n");
	for (size_t i = 0; i < rows; i++)
		report_put_wait(out, r, &r->waits[i], column);
}

/* The table of waits has these sums, too. */
static void report_put_application(struct text *out, const struct report *r)
{
	size_t rows = report_rows(r, REPORT_APPLICATION);

	if (!rows || r->wait_count)
		return;
	text_printf(out,
		    "\napplication: the %s outside the JDK nearest the "
		    "leaf\n",
		    frame_group_names[r->options->group]);
	report_put_amount_heading(out, r, "  total         ");
	text_printf(out, "  %s\n", frame_group_names[r->options->group]);
	for (size_t i = 0; i < rows; i++) {
		const struct label_name *name = report_frame_name(
			r, r->application[i].label);
		size_t start = out->len;

		report_put_amount(out, r, r->application[i].total);
		text_puts(out, "  ");
		report_put_last(out, r, start, name->text, name->len);
	}
}

static void report_put_histogram(struct text *out, const struct report *r)
{
	size_t rows = report_rows(r, REPORT_HISTOGRAM);

	if (!rows)
		return;
	text_puts(out, "\nframe histogram\n");
	report_put_amount_heading(out, r, "   TERM          ");
	report_put_amount_heading(out, r, "  OCCUR          ");
	report_put_amount_heading(out, r, "   FREQ        ");
	text_printf(out, "   %s\n", frame_group_names[r->options->group]);
	for (size_t i = 0; i < rows; i++) {
		const struct frame_sum *f = &r->frames[i];
		const struct label_name *name = report_frame_name(r, f->label);
		size_t start = out->len;

		report_put_amount(out, r, f->self);
		text_puts(out, " ");
		report_put_amount(out, r, f->total);
		text_puts(out, " ");
		report_put_amount(out, r, f->frequency);
		text_puts(out, "  ");
		report_put_last(out, r, start, name->text, name->len);
	}
}

/* Appends "http-nio-8080-exec-1 #4711": the kernel's id, or else Java's. */
static void report_add_thread(struct text *out, const struct report *r,
			      uint32_t thread)
{
	const struct thread *t = &r->profile->threads[thread];
	const char *name = profile_text(r->profile, t->name);
	int64_t id = t->os_id ? t->os_id : t->java_id;

	if (t->name)
		safe_text(out, name, strlen(name));
	else
		text_puts(out, id ? "[unnamed]" : "[no thread]");
	if (id)
		text_printf(out, " #%" PRId64, id);
}

static void report_add_owner(struct text *out, const struct report *r,
			     uint32_t owner)
{
	if (owner)
		report_add_thread(out, r, owner);
	else
		text_puts(out, "[unknown]");
}

/* Returns the width of the thread column, limited for very long names. */
static size_t report_thread_column(const struct report *r,
				   enum report_part part)
{
	size_t limit = r->options->width ? THREAD_WIDTH : MOST_THREAD;
	size_t most = strlen("thread");
	struct text name = { 0 };

	for (size_t i = 0; i < report_rows(r, part); i++) {
		size_t wide;

		text_clear(&name);
		if (part == REPORT_THREADS)
			report_add_thread(&name, r, r->threads[i].thread);
		else
			report_add_owner(
				&name, r,
				r->by_class[CLASS_AND_OWNER].sums[i].owner);
		wide = text_width(name.bytes, name.len);
		if (wide > most)
			most = wide;
	}
	text_release(&name);
	return most < limit ? most : limit;
}

/* Puts the total of a class and, unless that is in samples, its samples. */
static void report_put_class_values(struct text *out, const struct report *r,
				    const struct class_sum *sum)
{
	struct text samples = { 0 };

	report_put_amount(out, r, sum->total);
	if (r->unit != UNIT_SAMPLES) {
		amount_add(&samples, UNIT_SAMPLES, sum->samples);
		columns_right(out, &samples, 9);
	}
	text_release(&samples);
	text_puts(out, "  ");
}

static void report_put_class_name(struct text *out, const struct report *r,
				  const struct class_sum *sum, size_t start)
{
	struct text name = { 0 };

	class_sum_name(&name, r->profile, sum, &r->options->style);
	if (!name.len)
		text_puts(&name, "[unknown]");
	report_put_last(out, r, start, name.bytes, name.len);
	text_release(&name);
}

/* Puts one row for all rows that are not shown. */
static void report_put_rest(struct text *out, const struct report *r,
			    enum report_part part)
{
	const struct report_classes *c = report_classes(r, part);
	size_t rows = report_rows(r, part);
	struct class_sum rest = class_sums_rest(c->sums, rows, c->count);

	if (rows == c->count)
		return;
	report_put_class_values(out, r, &rest);
	text_printf(out, "[%zu more]\n", c->count - rows);
}

static const char *report_samples_heading(const struct report *r)
{
	return r->unit == UNIT_SAMPLES ? "" : "  samples";
}

/* Returns the length of the recording if the classes are locks; 0: none. */
static double report_lock_seconds(const struct report *r)
{
	int64_t from, to;

	if (strcmp(r->view->name, "lock") != 0 || r->unit != UNIT_NS ||
	    !report_times(r, &from, &to) || to <= from)
		return 0;
	return (double)(to - from) / 1e9;
}

/* Of locks, the mean number of waiting threads tells how bad a convoy is. */
static void report_put_classes(struct text *out, const struct report *r)
{
	size_t rows = report_rows(r, REPORT_CLASSES);
	double seconds = report_lock_seconds(r);

	if (!rows)
		return;
	text_puts(out, "\nby class\n");
	report_put_amount_heading(out, r, "  total         ");
	text_printf(out, "%s%s  class\n", report_samples_heading(r),
		    seconds > 0 ? "  threads waiting" : "");
	for (size_t i = 0; i < rows; i++) {
		size_t start = out->len;

		report_put_class_values(out, r,
					&r->by_class[CLASS_ONLY].sums[i]);
		if (seconds > 0)
			text_printf(
				out, "%15.1f  ",
				(double)r->by_class[CLASS_ONLY].sums[i].total /
					1e9 / seconds);
		report_put_class_name(out, r, &r->by_class[CLASS_ONLY].sums[i],
				      start);
	}
	report_put_rest(out, r, REPORT_CLASSES);
}

static void report_put_owners(struct text *out, const struct report *r)
{
	size_t rows = report_rows(r, REPORT_OWNERS);
	size_t column = report_thread_column(r, REPORT_OWNERS);

	if (!rows)
		return;
	text_puts(out, "\nby monitor and owner\n");
	report_put_amount_heading(out, r, "  total         ");
	text_printf(out, "%s  owner", report_samples_heading(r));
	text_spaces(out, column - strlen("owner"));
	text_puts(out, "  monitor\n");
	for (size_t i = 0; i < rows; i++) {
		size_t start = out->len, wide;
		struct text owner = { 0 }, fitted = { 0 };

		report_put_class_values(out, r,
					&r->by_class[CLASS_AND_OWNER].sums[i]);
		report_add_owner(&owner, r,
				 r->by_class[CLASS_AND_OWNER].sums[i].owner);
		columns_fit(&fitted, owner.bytes, owner.len,
			    r->options->width ? column : SIZE_MAX);
		wide = text_width(fitted.bytes, fitted.len);
		text_add(out, fitted.bytes, fitted.len);
		text_spaces(out, 2 + (wide < column ? column - wide : 0));
		report_put_class_name(
			out, r, &r->by_class[CLASS_AND_OWNER].sums[i], start);
		text_release(&fitted);
		text_release(&owner);
	}
	report_put_rest(out, r, REPORT_OWNERS);
}

/* Appends the name of a monitor's class, padded to the width of the column. */
static void report_put_monitor(struct text *out, const struct report *r,
			       const struct class_sum *sum, size_t column)
{
	struct text name = { 0 }, fitted = { 0 };
	size_t wide;

	class_sum_name(&name, r->profile, sum, &r->options->style);
	if (!name.len)
		text_puts(&name, "[unknown]");
	columns_fit(&fitted, name.bytes, name.len,
		    r->options->width ? column : SIZE_MAX);
	wide = text_width(fitted.bytes, fitted.len);
	text_add(out, fitted.bytes, fitted.len);
	text_spaces(out, 2 + (wide < column ? column - wide : 0));
	text_release(&fitted);
	text_release(&name);
}

/* Returns the width of the monitor column, limited for very long names. */
static size_t report_monitor_column(const struct report *r)
{
	size_t limit = r->options->width ? THREAD_WIDTH : MOST_THREAD;
	size_t most = strlen("[unknown]");
	struct text name = { 0 };

	for (size_t i = 0; i < report_rows(r, REPORT_OWNER_METHODS); i++) {
		size_t wide;

		text_clear(&name);
		class_sum_name(&name, r->profile,
			       &r->by_class[CLASS_AND_METHOD].sums[i],
			       &r->options->style);
		wide = text_width(name.bytes, name.len);
		if (wide > most)
			most = wide;
	}
	text_release(&name);
	return most < limit ? most : limit;
}

static void report_put_owner_methods(struct text *out, const struct report *r)
{
	size_t rows = report_rows(r, REPORT_OWNER_METHODS);
	size_t column = report_monitor_column(r);

	if (!rows)
		return;
	text_puts(out, "\nby monitor and method of the owner, estimated\n");
	report_put_amount_heading(out, r, "  total         ");
	text_printf(out, "%s  monitor", report_samples_heading(r));
	text_spaces(out, column - strlen("monitor"));
	text_puts(out, "  method of the owner\n");
	for (size_t i = 0; i < rows; i++) {
		const struct class_sum *sum = &r->by_class[CLASS_AND_METHOD]
						       .sums[i];
		size_t start = out->len;
		struct text name = { 0 };

		report_put_class_values(out, r, sum);
		report_put_monitor(out, r, sum, column);
		if (sum->owner)
			frame_name(&name, r->profile,
				   &r->profile->frames[sum->owner],
				   &r->options->style);
		else
			text_puts(&name, "[unknown]");
		report_put_last(out, r, start, name.bytes, name.len);
		text_release(&name);
	}
	report_put_rest(out, r, REPORT_OWNER_METHODS);
}

static void report_put_thread(struct text *out, const struct report *r,
			      const struct thread_sum *t, size_t column)
{
	struct text name = { 0 }, fitted = { 0 };
	size_t start = out->len, wide;
	const struct label_name *leaf;

	report_add_thread(&name, r, t->thread);
	columns_fit(&fitted, name.bytes, name.len,
		    r->options->width ? column : SIZE_MAX);
	wide = text_width(fitted.bytes, fitted.len);
	report_put_amount(out, r, t->total);
	text_puts(out, "  ");
	text_add(out, fitted.bytes, fitted.len);
	if (t->leaf == NO_LABEL) {
		text_putc(out, '\n');
	} else {
		leaf = report_frame_name(r, t->leaf);
		text_spaces(out, wide < column ? column - wide : 0);
		text_putc(out, ' ');
		report_put_share(out, t->leaf_self, t->total);
		text_puts(out, "  ");
		report_put_last(out, r, start, leaf->text, leaf->len);
	}
	text_release(&fitted);
	text_release(&name);
}

static void report_put_threads(struct text *out, const struct report *r)
{
	size_t rows = report_rows(r, REPORT_THREADS);
	size_t column = report_thread_column(r, REPORT_THREADS);

	if (r->thread_count == 1 && !r->threads[0].thread)
		return;

	text_puts(out, "\nhottest threads\n");
	report_put_amount_heading(out, r, "  total         ");
	text_puts(out, "  thread");
	text_spaces(out, column - strlen("thread"));
	text_puts(out, "   share  hottest frame\n");
	for (size_t i = 0; i < rows && r->threads[i].total; i++)
		report_put_thread(out, r, &r->threads[i], column);
}

/* "300 threads http-nio-*-exec-*" */
static void report_add_pool(struct text *out, const struct report *r,
			    const struct call_row *row)
{
	struct text name = { 0 };

	thread_roots_pool(&name, r->profile, row->id);
	text_printf(out, "%" PRIu32 " threads ", row->members);
	if (name.len)
		safe_text(out, name.bytes, name.len);
	else
		text_puts(out, "[unnamed]");
	text_release(&name);
}

static void report_add_call(struct text *out, const struct report *r,
			    const struct call_row *row)
{
	const struct label_name *label;

	switch (row->kind) {
	case CALL_FRAME:
		label = report_frame_name(r, row->id);
		text_add(out, label->text, label->len);
		break;
	case CALL_THREAD:
		text_puts(out, "thread ");
		report_add_thread(out, r, row->id);
		break;
	case CALL_POOL:
		report_add_pool(out, r, row);
		break;
	case CALL_OTHERS:
		text_printf(out, "[%" PRIu32 " more]", row->id);
	}
	/* Calls within a class or a package are not recursion. */
	if (row->deep > 1 && r->options->group == GROUP_FRAME)
		text_printf(out, " [%" PRIu32 " deep]", row->deep);
}

/* Indents a call below branching callers; "+" marks one of several callees. */
static void report_put_indent(struct text *out, const struct call_row *row)
{
	size_t level = row->indent < MOST_INDENT ? row->indent : MOST_INDENT;

	if (!level)
		return;
	text_spaces(out, 2 * (level - 1));
	text_puts(out, row->is_choice ? "+ " : "  ");
}

static void report_put_call(struct text *out, const struct report *r,
			    const struct call_row *row)
{
	size_t start = out->len;
	struct text name = { 0 };

	report_put_share(out, row->total, r->whole);
	/* Reversed, these stack traces begin with this frame. */
	if (row->self && !r->options->style.reverse)
		report_put_share(out, row->self, r->whole);
	else
		text_spaces(out, 7);
	text_puts(out, "  ");
	report_put_indent(out, row);
	report_add_call(&name, r, row);
	report_put_last(out, r, start, name.bytes, name.len);
	text_release(&name);
}

static void report_put_gap(struct text *out, const struct call_row *row,
			   size_t count)
{
	struct call_row beside = *row;

	if (!count)
		return;
	beside.is_choice = false;
	text_spaces(out, 16);
	report_put_indent(out, &beside);
	text_printf(out, "… %zu more (--chain 0 shows all)\n", count);
}

/*
 * Keeps frames of the application between the start and the end of a chain: the
 * first and the last ones, in all as many as the chain has rows otherwise.
 * Clears the flags of the rest.
 */
static bool *report_keep_application(const struct report *r,
				     const struct call_row *rows, size_t count,
				     size_t head, size_t tail)
{
	bool *keep = xcalloc(count + 1, sizeof(*keep));
	size_t found = 0, seen = 0, half = r->options->chain / 2;

	for (size_t i = head; r->is_application && i < tail; i++) {
		keep[i] = rows[i].kind == CALL_FRAME &&
			  r->is_application[rows[i].id];
		found += keep[i];
	}
	for (size_t i = head; i < tail; i++) {
		seen += keep[i];
		if (keep[i] && seen > half && seen + half <= found)
			keep[i] = false;
	}
	return keep;
}

/*
 * Puts a non-branching chain of calls. Of a chain longer than options->chain, a
 * quarter of the shown rows is its start, the rest its end, where the actual
 * work is. Rows between them are counted, unless they are the application's or
 * their self time is large.
 */
static void report_put_chain(struct text *out, const struct report *r,
			     const struct call_row *rows, size_t count)
{
	double least = r->calls.min_percent / 100 * (double)r->whole;
	size_t chain = r->options->chain;
	bool is_long = chain && count > chain;
	size_t head = is_long ? chain / 4 : count;
	size_t tail = is_long ? count - (chain - head) : count;
	size_t hidden = 0;
	bool *keep = report_keep_application(r, rows, count, head, tail);

	for (size_t i = 0; i < count; i++) {
		if (i >= head && i < tail && !keep[i] &&
		    (r->options->style.reverse ||
		     (double)rows[i].self < least)) {
			hidden++;
			continue;
		}
		report_put_gap(out, &rows[i], hidden);
		hidden = 0;
		report_put_call(out, r, &rows[i]);
	}
	report_put_gap(out, &rows[count - 1], hidden);
	free(keep);
}

static void report_put_calls(struct text *out, const struct report *r)
{
	const struct call_tree *t = &r->calls;

	if (!t->count) {
		if (r->has_callers)
			text_printf(out,
				    "\nmatching frames are below %g%%; use "
				    "--min-percent\n",
				    t->min_percent);
		else if (r->options->callers_of)
			text_puts(out, "\nno stack trace has such a frame\n");
		return;
	}
	text_printf(out, "\n%s of %g%% or more%s\n  total   %s  %s\n",
		    r->options->style.reverse ? "callers" : "calls",
		    t->min_percent,
		    t->min_percent > r->options->min_percent
			    ? " (use --min-percent for less)"
			    : "",
		    r->options->style.reverse ? "    " : "self",
		    frame_group_names[r->options->group]);
	if (r->reverse_depth)
		text_printf(out,
			    "stack traces are cut to the %zu frames nearest "
			    "the leaf\n",
			    r->reverse_depth);
	for (size_t i = 0; i < t->count;) {
		size_t count = call_tree_chain(t, i);

		report_put_chain(out, r, &t->rows[i], count);
		i += count;
	}
}

static void report_put_categories(struct text *out, const struct report *r)
{
	size_t count = r->options->category_count;

	text_puts(out, "\nby category\n");
	report_put_amount_heading(out, r, "  total         ");
	text_printf(out, "%s  category\n", report_samples_heading(r));
	for (size_t i = 0; i <= count; i++) {
		const char *name = i < count ? r->options->categories[i]
					     : "[other]";
		struct text safe = { 0 };
		size_t start = out->len;

		safe_text(&safe, name, strlen(name));
		report_put_class_values(out, r, &r->categories[i]);
		report_put_last(out, r, start, safe.bytes, safe.len);
		text_release(&safe);
	}
}

/* The states with a column, in text. */
static const enum thread_state info_states[] = { STATE_RUNNABLE, STATE_BLOCKED,
						 STATE_WAITING,
						 STATE_TIMED_WAITING };

#define INFO_STATES (sizeof(info_states) / sizeof(*info_states))

/* Puts when the bucket starts; "~", because the sample may be later. */
static void report_put_info_time(struct text *out, const struct report *r,
				 uint16_t bucket)
{
	const struct profile *p = r->profile;
	int64_t ns = bucket ? (p->bucket_first + bucket - 1) * p->bucket_ns -
				      p->earliest_ns
			    : 0;
	struct text time = { 0 };

	text_puts(&time, bucket ? "~" : "-");
	if (bucket)
		amount_add(&time, UNIT_NS, ns > 0 ? (uint64_t)ns : 0);
	columns_right(out, &time, 9);
	text_release(&time);
}

static void report_put_info(struct text *out, const struct report *r,
			    const struct thread_info *t)
{
	size_t start = out->len;
	struct text name = { 0 };

	report_put_class_values(out, r,
				&(struct class_sum){ .samples = t->samples,
						     .total = t->total });
	out->len -= 2;
	for (size_t i = 0; i < INFO_STATES; i++) {
		if (t->states[STATE_NONE] < t->samples)
			report_put_share(out, t->states[info_states[i]],
					 t->samples);
		else
			text_puts(out, "      -");
	}
	report_put_share(out, t->native, t->samples);
	report_put_info_time(out, r, t->first);
	report_put_info_time(out, r, t->last);
	text_puts(out, "  ");
	report_add_thread(&name, r, t->thread);
	report_put_last(out, r, start, name.bytes, name.len);
	text_release(&name);
}

static void report_put_infos(struct text *out, const struct report *r)
{
	size_t rows = report_rows(r, REPORT_THREAD_INFO);

	text_puts(out, "\nstates of threads\n");
	report_put_amount_heading(out, r, "  total         ");
	text_printf(out, "%s%s  thread\n", report_samples_heading(r),
		    "    run  block   wait  timed native    first     last");
	for (size_t i = 0; i < rows; i++)
		report_put_info(out, r, &r->infos[i]);
	if (rows < r->info_count)
		text_printf(out, "%zu more thread%s: use -n\n",
			    r->info_count - rows,
			    units_plural(r->info_count - rows));
}

/* Appends a column of a timeline: an eighth of the maximum for each level. */
static void timeline_put_level(struct text *out, uint64_t value, uint64_t most,
			       bool ascii)
{
	static const char levels[] = ".:-=+*#@";
	size_t level;

	if (!value) {
		text_putc(out, ' ');
		return;
	}
	level = (size_t)((double)value / (double)most * 8);
	if (level > 7)
		level = 7;
	if (ascii)
		text_putc(out, levels[level]);
	else /* U+2581 to U+2588, from one eighth to the full block */
		text_utf8(out, 0x2581 + (uint32_t)level);
}

/* Returns the number of buckets in a column. */
static size_t timeline_step(const struct report *r)
{
	size_t width = r->options->width, columns = REPORT_TIMELINE_WIDTH;

	if (width && width < columns + THREAD_WIDTH + 18)
		columns = width > THREAD_WIDTH + 28 ? width - THREAD_WIDTH - 18
						    : 10;
	return (r->timeline.bucket_count + columns - 1) / columns;
}

static uint64_t timeline_column(const struct timeline *t, size_t row,
				size_t first, size_t step)
{
	uint64_t sum = 0;

	for (size_t i = first; i < first + step && i < t->bucket_count; i++)
		sum = saturate_add(sum, t->values[row * t->bucket_count + i]);
	return sum;
}

static void timeline_put_row(struct text *out, const struct report *r,
			     size_t row, size_t step)
{
	const struct timeline *t = &r->timeline;
	uint64_t most = 0, total = 0;
	size_t start = out->len;
	struct text name = { 0 };

	for (size_t i = 0; i < t->bucket_count; i += step) {
		uint64_t value = timeline_column(t, row, i, step);

		total = saturate_add(total, value);
		if (value > most)
			most = value;
	}
	report_put_amount(out, r, total);
	text_puts(out, " |");
	for (size_t i = 0; i < t->bucket_count; i += step)
		timeline_put_level(out, timeline_column(t, row, i, step), most,
				   r->options->ascii);
	text_puts(out, "| ");
	if (row)
		report_add_thread(&name, r, t->threads[row]);
	else
		text_puts(&name, "all threads");
	report_put_last(out, r, start, name.bytes, name.len);
	text_release(&name);
}

/* Puts the times below the first, the middle and the last column. */
static void timeline_put_axis(struct text *out, const struct report *r,
			      size_t step)
{
	const struct timeline *t = &r->timeline;
	size_t columns = (t->bucket_count + step - 1) / step;
	uint64_t span = (uint64_t)t->bucket_ns * step * columns;
	struct text mark = { 0 };
	size_t used = 0;

	text_spaces(out, 7 + AMOUNT_WIDTH + report_extra_width(r) + 1);
	for (unsigned i = 0; i <= 2; i++) {
		size_t at = columns * i / 2, wide;

		text_clear(&mark);
		text_puts(&mark, i ? "" : "+");
		amount_add(&mark, UNIT_NS, span / 2 * i);
		text_puts(&mark, i == 2 ? "+" : "");
		wide = text_width(mark.bytes, mark.len);
		if (i)
			at = at + (i == 2 ? 2 : wide / 2) - wide;
		if (i && (at < used + 1 || at > columns))
			continue;
		text_spaces(out, at - used);
		text_add(out, mark.bytes, mark.len);
		used = at + wide;
	}
	text_putc(out, '\n');
	text_release(&mark);
}

static void report_put_timeline(struct text *out, const struct report *r)
{
	const struct timeline *t = &r->timeline;
	size_t step = timeline_step(r);
	struct text width = { 0 };

	if (!t->bucket_count) {
		text_puts(out, "\nno timeline: the samples have no times\n");
		return;
	}
	amount_add(&width, UNIT_NS, (uint64_t)t->bucket_ns * step);
	text_printf(out,
		    "\ntimeline: a column is %s; the highest column of a row "
		    "is full\n",
		    width.bytes);
	text_release(&width);
	for (size_t i = 0; i < t->row_count; i++)
		timeline_put_row(out, r, i, step);
	timeline_put_axis(out, r, step);
	if (t->without_time) {
		text_puts(out, "without a time: ");
		amount_add(out, r->unit, t->without_time);
		text_putc(out, '\n');
	}
}

static void (*const put_part[REPORT_PARTS])(struct text *out,
					    const struct report *r) = {
	[REPORT_WAITS] = report_put_waits,
	[REPORT_FRAMES] = report_put_frames,
	[REPORT_APPLICATION] = report_put_application,
	[REPORT_CLASSES] = report_put_classes,
	[REPORT_OWNERS] = report_put_owners,
	[REPORT_OWNER_METHODS] = report_put_owner_methods,
	[REPORT_THREADS] = report_put_threads,
	[REPORT_CALLS] = report_put_calls,
	[REPORT_HISTOGRAM] = report_put_histogram,
	[REPORT_CATEGORIES] = report_put_categories,
	[REPORT_THREAD_INFO] = report_put_infos,
	[REPORT_TIMELINE] = report_put_timeline,
};

void report_text(struct text *out, const struct report *reports, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		text_puts(out, i ? "\n" : "");
		report_head(out, &reports[i]);
		for (size_t part = 0; part < REPORT_PARTS; part++) {
			if (reports[i].options->parts & 1U << part)
				put_part[part](out, &reports[i]);
		}
	}
}
