/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The views that are pages of text: stack trace, blocked threads, deadlocks,
 * help.
 */
#include "render/top/top.h"

#include <string.h>

static bool view_line_has(const char *line, size_t len, const char *word)
{
	return memmem(line, len, word, strlen(word)) != NULL;
}

/* Highlights locks and the thread's name. */
static enum screen_style stack_style(const char *line, size_t len)
{
	if (view_line_has(line, len, "waiting to lock") ||
	    view_line_has(line, len, "owned by") ||
	    view_line_has(line, len, "held by") ||
	    view_line_has(line, len, "parking to wait for"))
		return STYLE_HOT;
	if (view_line_has(line, len, "- locked") ||
	    view_line_has(line, len, "- waiting on"))
		return STYLE_WARM;
	if (len && line[0] == '"')
		return STYLE_BOLD;
	return view_line_has(line, len, "java.lang.Thread.State") ? STYLE_JIT
								  : STYLE_PLAIN;
}

static void page_draw(struct top *t, struct screen *s, unsigned top,
		      unsigned bottom)
{
	const struct view *v = view_of(t);

	pager_draw(&t->pages[v->page].pager, s, top, bottom - top, v->style);
}

static bool page_request(struct top *t, enum top_request request,
			 const struct key *key)
{
	const struct view *v = view_of(t);

	(void)key;
	if (request == REQUEST_REFRESH && v->refresh) {
		t->actions |= v->refresh;
		return true;
	}
	return pager_request(&t->pages[v->page].pager, request);
}

/* Shows a message until the text of the page arrives. */
static void page_open(struct top *t, const char *message)
{
	enum view_page page = view_of(t)->page;

	pager_rewind(&t->pages[page].pager);
	pager_set(&t->pages[page].pager, message, strlen(message));
	t->pages[page].ns = 0;
}

/* Draws the thread's line of the table, with the column titles. */
static unsigned stack_draw_row(struct top *t, struct screen *s, unsigned top)
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

static void stack_draw(struct top *t, struct screen *s, unsigned top,
		       unsigned bottom)
{
	if (bottom - top > 4)
		top = stack_draw_row(t, s, top) + 1;
	page_draw(t, s, top, bottom);
}

static void stack_open(struct top *t)
{
	page_open(t, "requesting the stack trace");
}

static bool stack_request(struct top *t, enum top_request request,
			  const struct key *key)
{
	if (request != REQUEST_AUTO)
		return page_request(t, request, key);
	t->stack_auto = !t->stack_auto;
	return true;
}

const struct view view_stack = {
	.name = "stack trace",
	.place = PLACE_STACK,
	.page = PAGE_STACK,
	.style = stack_style,
	.refresh = TOP_ACTION_STACK,
	.open = stack_open,
	.draw = stack_draw,
	.request = stack_request,
};

/* Lines of lock owners start with a quote; other threads are indented. */
static enum screen_style blocked_style(const char *line, size_t len)
{
	if (view_line_has(line, len, "DEADLOCK"))
		return STYLE_HOT;
	if (len && line[0] == '"')
		return STYLE_BOLD;
	if (view_line_has(line, len, "holds ") ||
	    view_line_has(line, len, "waits for "))
		return STYLE_WARM;
	return STYLE_PLAIN;
}

static void blocked_open(struct top *t)
{
	page_open(t, "requesting the blocked threads");
	t->actions |= TOP_ACTION_BLOCKED;
}

const struct view view_blocked = {
	.name = "blocked threads",
	.place = PLACE_BLOCKED,
	.page = PAGE_BLOCKED,
	.style = blocked_style,
	.refresh = TOP_ACTION_BLOCKED,
	.open = blocked_open,
	.draw = page_draw,
	.request = page_request,
};

static enum screen_style deadlocks_style(const char *line, size_t len)
{
	if (memmem(line, len, "waiting", 7) || memmem(line, len, "held by", 7))
		return STYLE_HOT;
	return len && line[0] == '"' ? STYLE_BOLD : STYLE_PLAIN;
}

static void deadlocks_open(struct top *t)
{
	page_open(t, "searching for deadlocks");
	t->actions |= TOP_ACTION_DEADLOCKS;
}

const struct view view_deadlocks = {
	.name = "deadlocks",
	.place = PLACE_DEADLOCKS,
	.page = PAGE_DEADLOCKS,
	.style = deadlocks_style,
	.refresh = TOP_ACTION_DEADLOCKS,
	.open = deadlocks_open,
	.draw = page_draw,
	.request = page_request,
};

/* Headings are not indented; they are bold. */
static enum screen_style help_style(const char *line, size_t len)
{
	return len && line[0] != ' ' ? STYLE_BOLD : STYLE_PLAIN;
}

static void view_add_columns(struct text *out)
{
	size_t count;
	const struct top_column *columns = top_columns_all(&count);

	for (size_t i = 0; i < count; i++)
		text_printf(out, "  %-12s%s\n", columns[i].title,
			    columns[i].about);
}

static void help_open(struct top *t)
{
	struct text text = { 0 };

	text_puts(&text, "Keys\n");
	top_keys_help(&text);
	text_puts(&text, "\nColumns (wider screens show more)\n");
	view_add_columns(&text);
	text_puts(&text, "\nWhere the values come from\n");
	top_header_notes(t, &text);
	text_puts(&text,
		  "\nThe bar: | in user mode, # in the kernel, "
		  "G garbage collection,\n  J compilers, V the VM's other "
		  "threads, N native threads.\n"
		  "  100 % is one core.\n");
	page_open(t, text.bytes);
	text_release(&text);
}

const struct view view_help = {
	.name = "help",
	.place = PLACE_HELP,
	.page = PAGE_HELP,
	.style = help_style,
	.open = help_open,
	.draw = page_draw,
	.request = page_request,
};
