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
#define UNKNOWN      "[unknown]"
#define AMOUNT_WIDTH 9 /* of a column of amounts, if they fit */

static void report_put_share(struct text *out, uint64_t part, uint64_t whole)
{
	size_t start = out->len;

	amount_add_share(out, part, whole);
	columns_right(out, start, 7);
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
	size_t start;

	report_put_share(out, part, r->whole);
	start = out->len;
	amount_add(out, r->unit, part);
	columns_right(out, start, AMOUNT_WIDTH + report_extra_width(r));
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

/* Appends "http-nio-8080-exec-1 #4711": the kernel's id, or else Java's. */
static void report_add_thread(struct text *out, const struct report *r,
			      uint32_t thread)
{
	const struct thread *t = &r->profile->threads[thread];
	const char *name = profile_text(r->profile, t->name);
	int64_t id = t->os_id ? t->os_id : t->java_id;

	if (t->name)
		safe_text_puts(out, name);
	else
		text_puts(out, id ? "[unnamed]" : "[no thread]");
	if (id)
		text_printf(out, " #%" PRId64, id);
}

static void report_add_frame(struct text *out, const struct report *r,
			     uint32_t label)
{
	const struct label_name *name = report_frame_name(r, label);

	text_add(out, name->text, name->len);
}

/* ---- tables: amounts, a column of names if there are two, names ---- */

/* The frames, classes or packages of the report. */
#define GROUP NULL

static const struct table_part {
	/* The group is between the two; GROUP: group_headings */
	const char *heading, *heading_end;
	const char *amounts[4]; /* headings; of shares and values */
	bool has_samples;       /* unless the values are samples */
	const char *first;      /* heading of the first of two names */
	const char *least; /* a name, or a heading, that fits in any case */
	bool is_wide;      /* even on a terminal */
	const char *last;
} tables[REPORT_PARTS] = {
	/* clang-format off */
	[REPORT_WAITS] = {
		"waits: the ",
		" outside the JDK nearest the leaf, and its call that waits",
		{ "total" }, .first = GROUP, .least = WAIT_NOWHERE,
		.is_wide = true, .last = "call" },
	/* This total is a column to the right of its shares. */
	[REPORT_FRAMES] = { GROUP, NULL, { "self", "   total" }, .last = GROUP },
	[REPORT_APPLICATION] = {
		"application: the ", " outside the JDK nearest the leaf",
		{ "total" }, .last = GROUP },
	[REPORT_CLASSES] = { "by class", NULL,
		{ "total" }, .has_samples = true, .last = "class" },
	[REPORT_OWNERS] = { "by monitor and owner", NULL,
		{ "total" }, .has_samples = true,
		.first = "owner", .least = "thread", .last = "monitor" },
	[REPORT_OWNER_METHODS] = {
		"by monitor and method of the owner, estimated", NULL,
		{ "total" }, .has_samples = true, .first = "monitor",
		.least = UNKNOWN, .last = "method of the owner" },
	[REPORT_THREADS] = { "hottest threads", NULL, { "total" },
		.first = "thread", .least = "thread", .last = "hottest frame" },
	[REPORT_HISTOGRAM] = { "frame histogram", NULL,
		{ "TERM", "OCCUR", "FREQ" }, .last = GROUP },
	[REPORT_CATEGORIES] = { "by category", NULL,
		{ "total" }, .has_samples = true, .last = "category" },
	[REPORT_THREAD_INFO] = { "states of threads", NULL,
		{ "total" }, .has_samples = true, .last = "thread" },
	/* clang-format on */
};

static const char *const group_headings[FRAME_GROUPS] = {
	[GROUP_FRAME] = "hottest frames",
	[GROUP_CLASS] = "hottest classes",
	[GROUP_PACKAGE] = "hottest packages",
};

/* Returns a text of the table, or that of the group. */
static const char *table_word(const struct report *r, const char *word)
{
	return word == GROUP ? frame_group_names[r->options->group] : word;
}

/* Returns the number of rows, or -1 if the report has no such table. */
static ssize_t table_rows(const struct report *r, enum report_part part)
{
	ssize_t rows = (ssize_t)report_rows(r, part), i = 0;
	bool all = r->options->order != FRAME_SELF ||
		   r->options->group != GROUP_FRAME;

	switch (part) {
	case REPORT_CATEGORIES:
	case REPORT_THREAD_INFO:
		return rows;
	case REPORT_THREADS:
		while (i < rows && r->threads[i].total)
			i++;
		return r->thread_count == 1 && !r->threads[0].thread ? -1 : i;
	case REPORT_FRAMES:
		while (i < rows && (all || r->frames[i].self))
			i++;
		return i ? i : -1;
	case REPORT_WAITS:
		return rows == 1 && r->waits[0].label == NO_LABEL ? -1
		       : rows                                     ? rows
								  : -1;
	case REPORT_APPLICATION:
		/* The table of waits has these sums, too. */
		return rows && !r->wait_count ? rows : -1;
	default:
		return rows ? rows : -1;
	}
}

/* Returns the sums of a row of classes or categories. */
static const struct class_sum *table_class(const struct report *r,
					   enum report_part part, size_t row)
{
	return part == REPORT_CATEGORIES ? &r->categories[row]
					 : &report_classes(r, part)->sums[row];
}

/* Gets the values of a row. */
static void table_values(const struct report *r, enum report_part part,
			 size_t row, uint64_t amounts[3], uint64_t *samples)
{
	const struct frame_sum *f;

	switch (part) {
	case REPORT_FRAMES:
	case REPORT_HISTOGRAM:
		f = &r->frames[row];
		amounts[0] = f->self;
		amounts[1] = f->total;
		amounts[2] = f->frequency;
		break;
	case REPORT_APPLICATION:
		amounts[0] = r->application[row].total;
		break;
	case REPORT_WAITS:
		amounts[0] = r->waits[row].total;
		break;
	case REPORT_THREADS:
		amounts[0] = r->threads[row].total;
		break;
	case REPORT_THREAD_INFO:
		amounts[0] = r->infos[row].total;
		*samples = r->infos[row].samples;
		break;
	default:
		amounts[0] = table_class(r, part, row)->total;
		*samples = table_class(r, part, row)->samples;
	}
}

static void report_put_values(struct text *out, const struct report *r,
			      enum report_part part, const uint64_t *amounts,
			      uint64_t samples)
{
	const struct table_part *p = &tables[part];

	for (size_t i = 0; p->amounts[i]; i++) {
		text_puts(out, i ? " " : "");
		report_put_amount(out, r, amounts[i]);
	}
	if (p->has_samples && r->unit != UNIT_SAMPLES) {
		size_t start = out->len;

		amount_add(out, UNIT_SAMPLES, samples);
		columns_right(out, start, 9);
	}
}

/* Appends the name of the class, or of that of a monitor. */
static void report_add_class(struct text *out, const struct report *r,
			     const struct class_sum *sum)
{
	size_t start = out->len;

	class_sum_name(out, r->profile, sum, &r->options->style);
	if (out->len == start)
		text_puts(out, UNKNOWN);
}

/* Appends the first of two names. */
static void report_add_first(struct text *out, const struct report *r,
			     enum report_part part, size_t row)
{
	uint32_t owner, label;

	switch (part) {
	case REPORT_WAITS:
		label = r->waits[row].label;
		if (label == NO_LABEL)
			text_puts(out, WAIT_NOWHERE);
		else
			report_add_frame(out, r, label);
		break;
	case REPORT_OWNERS:
		owner = table_class(r, part, row)->owner;
		if (owner)
			report_add_thread(out, r, owner);
		else
			text_puts(out, UNKNOWN);
		break;
	case REPORT_OWNER_METHODS:
		report_add_class(out, r, table_class(r, part, row));
		break;
	default:
		report_add_thread(out, r, r->threads[row].thread);
	}
}

static void report_add_callee(struct text *out, const struct report *r,
			      uint32_t callee)
{
	if (callee == WAIT_MONITOR)
		text_puts(out, "[enters a monitor]");
	else if (callee == WAIT_CPU)
		text_puts(out, "[waits for a CPU]");
	else if (callee != WAIT_NONE)
		report_add_frame(out, r, callee);
}

static void report_add_method(struct text *out, const struct report *r,
			      uint32_t frame)
{
	if (frame)
		frame_name(out, r->profile, &r->profile->frames[frame],
			   &r->options->style);
	else
		text_puts(out, UNKNOWN);
}

/* Appends the last name, if there is one. */
static void report_add_last(struct text *out, const struct report *r,
			    enum report_part part, size_t row)
{
	const char *name;

	switch (part) {
	case REPORT_WAITS:
		report_add_callee(out, r, r->waits[row].callee);
		break;
	case REPORT_FRAMES:
	case REPORT_HISTOGRAM:
		report_add_frame(out, r, r->frames[row].label);
		break;
	case REPORT_APPLICATION:
		report_add_frame(out, r, r->application[row].label);
		break;
	case REPORT_OWNER_METHODS:
		report_add_method(out, r, table_class(r, part, row)->owner);
		break;
	case REPORT_THREADS:
		if (r->threads[row].leaf != NO_LABEL)
			report_add_frame(out, r, r->threads[row].leaf);
		break;
	case REPORT_CATEGORIES:
		name = row < r->options->category_count
			       ? r->options->categories[row]
			       : "[other]";
		safe_text_puts(out, name);
		break;
	case REPORT_THREAD_INFO:
		report_add_thread(out, r, r->infos[row].thread);
		break;
	default:
		report_add_class(out, r, table_class(r, part, row));
	}
}

/* Returns the width of the first names, limited for very long names. */
static size_t table_first_width(const struct report *r, enum report_part part)
{
	const struct table_part *p = &tables[part];
	size_t limit = r->options->width && !p->is_wide ? THREAD_WIDTH
							: MOST_THREAD;
	size_t most = strlen(p->least);
	struct text name = { 0 };

	for (size_t i = 0; i < report_rows(r, part); i++) {
		size_t wide;

		text_clear(&name);
		report_add_first(&name, r, part, i);
		wide = text_width(name.bytes, name.len);
		if (wide > most)
			most = wide;
	}
	text_release(&name);
	return most < limit ? most : limit;
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

/* Puts when the bucket starts; "~", because the sample may be later. */
static void report_put_info_time(struct text *out, const struct report *r,
				 uint16_t bucket)
{
	const struct profile *p = r->profile;
	int64_t ns = bucket ? (p->bucket_first + bucket - 1) * p->bucket_ns -
				      p->earliest_ns
			    : 0;
	size_t start = out->len;

	text_puts(out, bucket ? "~" : "-");
	if (bucket)
		amount_add(out, UNIT_NS, ns > 0 ? (uint64_t)ns : 0);
	columns_right(out, start, 9);
}

/* The states with a column. */
static const enum thread_state info_states[] = { STATE_RUNNABLE, STATE_BLOCKED,
						 STATE_WAITING,
						 STATE_TIMED_WAITING };

#define INFO_STATES (sizeof(info_states) / sizeof(*info_states))

static void report_put_info(struct text *out, const struct report *r,
			    const struct thread_info *t)
{
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
}

/*
 * Puts the columns that only one table has before the names. Of locks, the mean
 * number of waiting threads tells how bad a convoy is.
 */
static void report_put_special(struct text *out, const struct report *r,
			       enum report_part part, size_t row)
{
	double seconds = report_lock_seconds(r);

	if (part == REPORT_CLASSES && seconds > 0)
		text_printf(out, "%17.1f",
			    (double)table_class(r, part, row)->total / 1e9 /
				    seconds);
	else if (part == REPORT_THREAD_INFO)
		report_put_info(out, r, &r->infos[row]);
}

static void report_put_row(struct text *out, const struct report *r,
			   enum report_part part, size_t row, size_t column)
{
	size_t start = out->len, at;
	uint64_t amounts[3], samples = 0;
	struct text first = { 0 }, last = { 0 };

	text_puts(&last, "");
	report_add_last(&last, r, part, row);
	table_values(r, part, row, amounts, &samples);
	report_put_values(out, r, part, amounts, samples);
	report_put_special(out, r, part, row);
	text_puts(out, "  ");
	if (column) {
		report_add_first(&first, r, part, row);
		at = out->len;
		columns_fit(out, first.bytes, first.len,
			    r->options->width ? column : SIZE_MAX);
		at = text_width(out->bytes + at, out->len - at);
		text_spaces(out, last.len && at < column ? column - at : 0);
	}
	if (last.len && part == REPORT_THREADS) {
		text_putc(out, ' ');
		report_put_share(out, r->threads[row].leaf_self,
				 r->threads[row].total);
	}
	if (last.len && column)
		text_puts(out, "  ");
	report_put_last(out, r, start, last.bytes, last.len);
	text_release(&first);
	text_release(&last);
}

static void report_put_headings(struct text *out, const struct report *r,
				enum report_part part, size_t column)
{
	const struct table_part *p = &tables[part];
	const char *first = table_word(r, p->first);

	for (size_t i = 0; p->amounts[i]; i++) {
		size_t len = strlen(p->amounts[i]);

		text_printf(out, "%s%7s", i ? " " : "", p->amounts[i]);
		text_spaces(out, 7 + AMOUNT_WIDTH - (len > 7 ? len : 7) +
					 report_extra_width(r));
	}
	if (p->has_samples && r->unit != UNIT_SAMPLES)
		text_puts(out, "  samples");
	if (part == REPORT_CLASSES && report_lock_seconds(r) > 0)
		text_puts(out, "  threads waiting");
	if (part == REPORT_THREAD_INFO)
		text_puts(out, "    run  block   wait  timed native    first"
			       "     last");
	if (column) {
		text_printf(out, "  %s", first);
		text_spaces(out, column - strlen(first));
	}
	if (part == REPORT_THREADS)
		text_puts(out, "   share");
	text_printf(out, "  %s\n", table_word(r, p->last));
}

/* Puts the rows that are not shown as one row, or tells their number. */
static void report_put_rest(struct text *out, const struct report *r,
			    enum report_part part)
{
	const struct report_classes *c = report_classes(r, part);
	size_t rows = report_rows(r, part);

	if (c && rows < c->count) {
		struct class_sum rest = class_sums_rest(c->sums, rows,
							c->count);

		report_put_values(out, r, part, &rest.total, rest.samples);
		text_printf(out, "  [%zu more]\n", c->count - rows);
	} else if (part == REPORT_THREAD_INFO && rows < r->info_count) {
		text_printf(out, "%zu more thread%s: use -n\n",
			    r->info_count - rows,
			    units_plural(r->info_count - rows));
	}
}

static void report_put_table(struct text *out, const struct report *r,
			     enum report_part part)
{
	const struct table_part *p = &tables[part];
	ssize_t rows = table_rows(r, part);
	size_t column = p->least ? table_first_width(r, part) : 0;

	if (rows < 0)
		return;
	if (p->heading == GROUP)
		text_printf(out, "\n%s\n", group_headings[r->options->group]);
	else
		text_printf(out, "\n%s%s%s\n", p->heading,
			    p->heading_end ? table_word(r, GROUP) : "",
			    p->heading_end ? p->heading_end : "");
	report_put_headings(out, r, part, column);
	for (ssize_t i = 0; i < rows; i++)
		report_put_row(out, r, part, (size_t)i, column);
	report_put_rest(out, r, part);
}

/* ---- calls ---- */

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
	switch (row->kind) {
	case CALL_FRAME:
		report_add_frame(out, r, row->id);
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

/* ---- the timeline ---- */

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

void report_text(struct text *out, const struct report *reports, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct report *r = &reports[i];

		text_puts(out, i ? "\n" : "");
		report_head(out, r);
		for (enum report_part part = 0; part < REPORT_PARTS; part++) {
			if (!(r->options->parts & 1U << part))
				continue;
			if (part == REPORT_CALLS)
				report_put_calls(out, r);
			else if (part == REPORT_TIMELINE)
				report_put_timeline(out, r);
			else
				report_put_table(out, r, part);
		}
	}
}
