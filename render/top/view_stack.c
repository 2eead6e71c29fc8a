/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack trace of one thread, below what it uses.
 */
#include "render/top/view.h"

#include <string.h>

/* True when the line has that word in it. */
static bool has(const char *line, size_t len, const char *word)
{
	return memmem(line, len, word, strlen(word)) != NULL;
}

/* Locks come forward; where it stands in the file steps back. */
static enum screen_style look(const char *line, size_t len)
{
	if (has(line, len, "waiting to lock") || has(line, len, "owned by") ||
	    has(line, len, "held by") || has(line, len, "parking to wait for"))
		return STYLE_HOT;
	if (has(line, len, "- locked") || has(line, len, "- waiting on"))
		return STYLE_WARM;
	if (len && line[0] == '"')
		return STYLE_BOLD;
	return has(line, len, "java.lang.Thread.State") ? STYLE_JIT
							: STYLE_PLAIN;
}

/* The line that the table has of it, under the same titles. */
static unsigned draw_row(struct top *t, struct screen *s, unsigned top)
{
	const struct thread_row *row = top_stack_row(t);
	struct top_line line = { .row = row, .kind = LINE_ALONE };

	top_columns_choose(&t->columns, s->columns, t->rates->rows,
			   t->rates->row_count);
	view_threads_titles(t, s, top);
	if (row)
		view_threads_line(t, s, top + 1, &line);
	else
		screen_put(s, top + 1, 0, s->columns, STYLE_HOT,
			   "the thread has ended", 20);
	return top + 2;
}

static void draw(struct top *t, struct screen *s, unsigned top, unsigned bottom)
{
	if (bottom - top > 4)
		top = draw_row(t, s, top) + 1;
	pager_draw(&t->stack, s, top, bottom - top, look);
}

static void open(struct top *t)
{
	static const char wait[] = "asking for its stack trace";

	pager_rewind(&t->stack);
	pager_set(&t->stack, wait, sizeof(wait) - 1);
	t->stack_ns = 0;
}

static bool request(struct top *t, enum top_request request,
		    const struct key *key)
{
	(void)key;
	if (pager_request(&t->stack, request))
		return true;
	switch (request) {
	case REQUEST_REFRESH:
		t->actions |= TOP_ACTION_STACK;
		return true;
	case REQUEST_AUTO:
		t->stack_auto = !t->stack_auto;
		return true;
	default:
		return false;
	}
}

const struct view view_stack = {
	.name = "stack trace",
	.place = PLACE_STACK,
	.open = open,
	.draw = draw,
	.request = request,
};
