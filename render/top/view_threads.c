/* SPDX-License-Identifier: Apache-2.0 */
/* The main view: header lines and the table of threads. */
#include "render/top/top.h"

#include <stdio.h>
#include <string.h>

enum { WHEEL_STEP = 3, POOL_INDENT = 2 };

/* Returns the arrow of the sort column: down when the largest come first.
 */
static const char *threads_sort_arrow(const struct top *t,
				      const struct screen *s)
{
	static const char *const arrows[2][2] = {
		{ "\xe2\x96\xbe", "\xe2\x96\xb4" }, /* U+25BE, U+25B4 */
		{ "v", "^" },
	};

	return arrows[s->ascii][t->reversed];
}

void view_threads_titles(const struct top *t, struct screen *s, unsigned row)
{
	screen_paint(s, row, 0, s->columns, STYLE_HEAD);
	for (size_t i = 0; i < t->columns.count; i++) {
		const struct top_column *c = t->columns.shown[i].column;
		unsigned at = t->columns.shown[i].at;
		unsigned width = t->columns.shown[i].width;
		bool sorted = c == t->sorted;
		const char *mark = sorted ? threads_sort_arrow(t, s) : "";
		char title[24];

		snprintf(title, sizeof(title), "%s%s",
			 c->is_text ? c->title : mark,
			 c->is_text ? mark : c->title);
		(c->is_text ? screen_put : screen_put_right)(
			s, row, at, width, STYLE_HEAD, title, strlen(title));
		if (sorted)
			screen_paint(s, row, at, width, STYLE_SORTED);
	}
}

/* Appends the mark of a pool or the indentation of its threads. */
static void threads_add_pool_mark(const struct top *t,
				  const struct top_line *line,
				  const struct screen *s, struct text *out)
{
	static const char *const marks[2][2] = {
		{ "\xe2\x96\xb8 ", "\xe2\x96\xbe " }, /* U+25B8, U+25BE */
		{ "+ ", "- " },
	};

	if (!t->pooled || line->kind == LINE_ALONE)
		return;
	text_puts(out, line->kind == LINE_POOL ? marks[s->ascii][line->is_open]
		       : line->kind == LINE_MEMBER ? "    "
						   : "  ");
}

void view_threads_line(const struct top *t, struct screen *s, unsigned row,
		       const struct top_line *line)
{
	struct text cell = { 0 };

	for (size_t i = 0; i < t->columns.count; i++) {
		const struct top_column *c = t->columns.shown[i].column;
		enum screen_style style;

		text_clear(&cell);
		if (!c->width)
			threads_add_pool_mark(t, line, s, &cell);
		style = c->format(c, line->row, &cell);
		if (!c->width && line->kind == LINE_POOL)
			text_printf(&cell, " (%zu)", line->members);
		if (line->kind == LINE_POOL && style == STYLE_PLAIN)
			style = STYLE_BOLD;
		(c->is_text ? screen_put : screen_put_right)(
			s, row, t->columns.shown[i].at,
			t->columns.shown[i].width, style, cell.bytes, cell.len);
	}
	text_release(&cell);
}

/* Scrolls so that the chosen line is visible. */
static void threads_scroll(struct top *t)
{
	size_t rows = t->table_rows;

	if (t->first + rows > t->line_count)
		t->first = t->line_count > rows ? t->line_count - rows : 0;
	if (t->chosen < t->first)
		t->first = t->chosen;
	if (rows && t->chosen >= t->first + rows)
		t->first = t->chosen - rows + 1;
}

static void threads_draw_table(struct top *t, struct screen *s)
{
	for (unsigned i = 0; i < t->table_rows; i++) {
		struct top_line line;

		if (t->first + i >= t->line_count)
			break;
		line = top_line(t, t->first + i);
		view_threads_line(t, s, t->table_at + i, &line);
		if (t->first + i == t->chosen)
			screen_paint(s, t->table_at + i, 0, s->columns,
				     t->follow ? STYLE_FOLLOWED
					       : STYLE_SELECTED);
	}
}

static void threads_draw(struct top *t, struct screen *s, unsigned top,
			 unsigned bottom)
{
	top += top_header_draw(t, s, top, bottom);
	top_columns_choose(&t->columns, s->columns, t->rates->rows,
			   t->rates->row_count);
	if (bottom - top > 1)
		view_threads_titles(t, s, top++);
	t->table_at = top;
	t->table_rows = bottom - top;
	threads_scroll(t);
	threads_draw_table(t, s);
}

static void threads_move(struct top *t, int64_t by)
{
	int64_t to = (int64_t)t->chosen + by;
	int64_t last = (int64_t)t->line_count - 1;

	if (last < 0)
		return;
	t->follow = false;
	top_choose(t, (size_t)(to < 0 ? 0 : to > last ? last : to));
}

static void threads_sort_by(struct top *t, const struct top_column *c)
{
	if (!c->order)
		return;
	/* Sorting by the same column again reverses the order. */
	t->reversed = c == t->sorted && !t->reversed;
	t->sorted = c;
	top_select(t);
}

static void threads_sort_by_order(struct top *t, const char *order)
{
	const struct top_column *c = top_columns_by_order(order, strlen(order));

	t->reversed = true; /* threads_sort_by() turns it to false for the same
			     * column
			     */
	t->sorted = c;
	threads_sort_by(t, c);
}

/* Sorts by the next sortable column on the screen, -1 left or 1 right. */
static void threads_sort_beside(struct top *t, int step)
{
	int count = (int)t->columns.count, at = 0;

	while (at < count && t->columns.shown[at].column != t->sorted)
		at++;
	for (int i = at + step; i >= 0 && i < count; i += step) {
		const struct top_column *c = t->columns.shown[i].column;

		if (c->order) {
			t->sorted = NULL;
			threads_sort_by(t, c);
			return;
		}
	}
}

static void threads_sort_by_number(struct top *t, const struct key *key)
{
	size_t i = key->code - '1';

	if (i < t->columns.count)
		threads_sort_by(t, t->columns.shown[i].column);
}

static void threads_open_pool(struct top *t, bool open)
{
	struct top_line line;

	if (!t->pooled || t->chosen >= t->line_count)
		return;
	line = top_line(t, t->chosen);
	/* A thread of an open pool closes the pool, which is above it. */
	while (!open && line.kind == LINE_MEMBER && t->chosen > 0)
		line = top_line(t, --t->chosen);
	if (line.kind != LINE_POOL)
		return;
	top_choose(t, t->chosen);
	top_pools_open(&t->pools, line.pool, open);
	top_select(t);
}

static void threads_open_line(struct top *t)
{
	struct top_line line;

	if (t->chosen >= t->line_count)
		return;
	line = top_line(t, t->chosen);
	if (line.kind == LINE_POOL) {
		threads_open_pool(t, !line.is_open);
		return;
	}
	top_ask_stack(t, line.row);
	view_open(t, &view_stack);
}

static void threads_click(struct top *t, const struct key *key)
{
	if (t->table_at && key->row == t->table_at - 1) {
		for (size_t i = 0; i < t->columns.count; i++) {
			unsigned at = t->columns.shown[i].at;

			if (key->column >= at &&
			    key->column <= at + t->columns.shown[i].width)
				threads_sort_by(t, t->columns.shown[i].column);
		}
	} else if (key->row >= t->table_at &&
		   key->row < t->table_at + t->table_rows) {
		size_t line = t->first + (key->row - t->table_at);

		if (line == t->chosen)
			threads_open_line(t);
		else
			threads_move(t, (int64_t)line - (int64_t)t->chosen);
	}
}

static void threads_pools(struct top *t)
{
	t->pooled = !t->pooled;
	t->chosen = 0;
	t->first = 0;
	top_select(t);
}

static void threads_toggle(struct top *t, bool *what)
{
	*what = !*what;
	top_select(t);
}

static bool threads_request_move(struct top *t, enum top_request request)
{
	int64_t page = t->table_rows > 1 ? t->table_rows - 1 : 1;

	switch (request) {
	case REQUEST_UP:
		threads_move(t, -1);
		return true;
	case REQUEST_DOWN:
		threads_move(t, 1);
		return true;
	case REQUEST_PAGE_UP:
		threads_move(t, -page);
		return true;
	case REQUEST_PAGE_DOWN:
		threads_move(t, page);
		return true;
	case REQUEST_WHEEL_UP:
		threads_move(t, -WHEEL_STEP);
		return true;
	case REQUEST_WHEEL_DOWN:
		threads_move(t, WHEEL_STEP);
		return true;
	case REQUEST_FIRST:
		threads_move(t, INT32_MIN);
		return true;
	case REQUEST_LAST:
		threads_move(t, INT32_MAX);
		return true;
	default:
		return false;
	}
}

static bool threads_request_sort(struct top *t, enum top_request request,
				 const struct key *key)
{
	switch (request) {
	case REQUEST_SORT_LEFT:
		threads_sort_beside(t, -1);
		return true;
	case REQUEST_SORT_RIGHT:
		threads_sort_beside(t, 1);
		return true;
	case REQUEST_REVERSE:
		threads_toggle(t, &t->reversed);
		return true;
	case REQUEST_SORT_CPU:
		threads_sort_by_order(t, "CPU");
		return true;
	case REQUEST_SORT_USER:
		threads_sort_by_order(t, "USER");
		return true;
	case REQUEST_SORT_SYS:
		threads_sort_by_order(t, "SYS");
		return true;
	case REQUEST_SORT_ALLOC:
		threads_sort_by_order(t, "ALLOC");
		return true;
	case REQUEST_SORT_NAME:
		threads_sort_by_order(t, "NAME");
		return true;
	case REQUEST_SORT_NUMBER:
		threads_sort_by_number(t, key);
		return true;
	default:
		return false;
	}
}

static bool threads_request(struct top *t, enum top_request request,
			    const struct key *key)
{
	if (threads_request_move(t, request) ||
	    threads_request_sort(t, request, key))
		return true;
	switch (request) {
	case REQUEST_OPEN:
		threads_open_line(t);
		return true;
	case REQUEST_LEFT:
		threads_open_pool(t, false);
		return true;
	case REQUEST_RIGHT:
		threads_open_pool(t, true);
		return true;
	case REQUEST_CLICK:
		threads_click(t, key);
		return true;
	case REQUEST_POOLS:
		threads_pools(t);
		return true;
	case REQUEST_EXPAND_ALL:
		top_pools_open_all(&t->pools, !t->pools.all_open);
		top_select(t);
		return true;
	case REQUEST_FOLLOW:
		threads_toggle(t, &t->follow);
		return true;
	case REQUEST_IDLE:
		threads_toggle(t, &t->filter.hide_idle);
		return true;
	case REQUEST_JAVA:
		threads_toggle(t, &t->filter.java_only);
		return true;
	default:
		return false;
	}
}

const struct view view_threads = {
	.name = "threads",
	.place = PLACE_THREADS,
	.draw = threads_draw,
	.request = threads_request,
};
