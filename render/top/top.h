/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top: the state of the thread screen, without a terminal.
 *
 * Takes samples and keys, draws a screen, and does no I/O itself. Requests that
 * need I/O (a stack trace, a file) are queued as actions; the caller runs them
 * between keys.
 */
#ifndef RENDER_TOP_TOP_H
#define RENDER_TOP_TOP_H

#include "core/base/intern.h"
#include "core/base/pattern.h"
#include "core/base/text.h"
#include "core/threads/thread_rates.h"
#include "render/top/keys.h"
#include "render/top/pager.h"
#include "render/top/screen.h"
#include "render/top/top_keys.h"
#include "render/top/top_rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* prompt: a line that the user types. */

enum prompt_answer {
	PROMPT_UNCHANGED,
	PROMPT_CHANGED,
	PROMPT_DONE, /* Enter */
	PROMPT_LEFT, /* Escape, or Backspace in an empty line */
};

/* A zeroed struct is an inactive prompt. */
struct prompt {
	const char *label; /* label, static; NULL: inactive */
	struct text typed;
};

/* Starts a prompt with a static label; the initial text may be NULL. */
void prompt_start(struct prompt *p, const char *label, const char *typed);

/* Edits the text with a key. */
enum prompt_answer prompt_key(struct prompt *p, const struct key *key);

/* Makes the prompt inactive; the typed text stays. */
void prompt_end(struct prompt *p);
void prompt_release(struct prompt *p);

/* Returns the typed text, NUL-terminated. */
const char *prompt_typed(const struct prompt *p);

/* Draws the prompt and its cursor into a row: the end of a long text. */
void prompt_draw(const struct prompt *p, struct screen *s, unsigned row);

/* top_columns: the columns of the thread table, and which of them fit. */

struct top_column {
	const char *title;
	const char *order; /* sort key of top_order_parse(), or NULL */
	const char *about; /* description in the help */
	unsigned width;    /* 0: the rest of the screen */
	unsigned since;    /* minimum width of a screen that shows it */
	bool is_text;      /* aligned to the left; numbers to the right */
	bool when_present; /* omitted while no thread has the value */
	enum thread_counter counter;
	/* Appends the value and returns its style. */
	enum screen_style (*format)(const struct top_column *c,
				    const struct thread_row *row,
				    struct text *out);
};

enum { TOP_COLUMNS_MAX = 24 };

/* The columns on a screen, from left to right. */
struct top_columns {
	struct {
		const struct top_column *column;
		unsigned at, width;
	} shown[TOP_COLUMNS_MAX];
	size_t count;
};

/* Returns all columns in table order. */
const struct top_column *top_columns_all(size_t *count);

/*
 * Chooses the columns that fit into width; columns without values in rows are
 * omitted (with no rows, none is).
 */
void top_columns_choose(struct top_columns *columns, unsigned width,
			const struct thread_row *rows, size_t count);

/* Returns the column of a sort key, in any case; or NULL. */
const struct top_column *top_columns_by_order(const char *key, size_t len);

/*
 * top_pools: groups threads whose names differ only in numbers.
 *
 * "pool-3-thread-12" belongs to "pool-*-thread-*". A pool of one thread is
 * shown as a thread.
 */

enum top_line_kind {
	LINE_THREAD,
	LINE_POOL,
	LINE_MEMBER, /* a thread of the open pool above */
	LINE_ALONE,  /* a thread outside the table */
};

/* A line of the table. */
struct top_line {
	const struct thread_row *row; /* LINE_POOL: sums of the pool */
	enum top_line_kind kind;
	uint32_t pool;  /* id of a LINE_POOL; 0 = none */
	size_t members; /* number of threads of a LINE_POOL */
	bool is_open;
};

/* A zeroed struct has no pools. */
struct top_pools {
	struct intern names; /* pool names, with * for each number */
	bool *open;          /* by pool id */
	size_t open_cap;
	bool all_open;      /* new pools are open */
	struct pool *pools; /* pools of the current sample */
	size_t count, cap;
	size_t *of_id; /* by pool id: 1 + index into pools; 0 = none */
	size_t of_id_cap;
	size_t *next; /* by row: 1 + next row of its pool; 0 = none */
	size_t next_cap;
	struct thread_row *rows;       /* one per pool: sums */
	struct thread_sample *samples; /* their thread samples */
	size_t row_cap, sample_cap;
	struct text name;
	struct top_line *lines;
	size_t line_count, line_cap;
};

/*
 * Groups count rows, which are sorted by `order`, and sorts the pools likewise.
 * Sets p->lines and returns p->line_count; both are valid until the next call
 * and while the rows are.
 */
size_t top_pools_group(struct top_pools *p, const struct thread_row *rows,
		       size_t count, const struct top_order *order);

/* Opens or closes a pool; call top_pools_group() afterwards. */
void top_pools_open(struct top_pools *p, uint32_t pool, bool open);
void top_pools_open_all(struct top_pools *p, bool open);

void top_pools_release(struct top_pools *p);

/* A history: a value over time, drawn as a row of small bars. */

enum { HISTORY_MAX = 256 };

/* A zeroed struct is an empty history. */
struct history {
	double values[HISTORY_MAX]; /* a ring buffer */
	size_t added;               /* number of values ever added */
};

/* The maximum of the last values, at least floor. */
double history_peak(const struct history *h, size_t last, double floor);

/*
 * Draws the last values that fit into width columns, the newest on the right; a
 * bar of full height stands for scale.
 */
void history_draw(const struct history *h, struct pen *pen, unsigned width,
		  double scale);

struct view;

/* Identifies a line from sample to sample. */
struct top_identity {
	int64_t id;     /* kernel thread id, or minus the Java id; 0 = none */
	uint64_t start; /* start time: kernel thread ids are reused */
	uint32_t pool;  /* pool id; id and start are 0 then */
};

enum top_action {
	TOP_ACTION_STACK = 1,     /* get the stack trace of top_stack_row() */
	TOP_ACTION_DEADLOCKS = 2, /* search for deadlocks */
	TOP_ACTION_WRITE = 4,     /* write the threads shown to write_to */
	TOP_ACTION_REDRAW = 8,
	TOP_ACTION_QUIT = 16,
	TOP_ACTION_BLOCKED = 32,    /* get the blocked threads */
	TOP_ACTION_CONTENTION = 64, /* switch contention monitoring */
};

enum { VIEW_DEPTH = 4 };

/* The pages of text. */
enum view_page {
	PAGE_STACK,
	PAGE_DEADLOCKS,
	PAGE_BLOCKED,
	PAGE_HELP,
	VIEW_PAGES
};

struct top {
	/* The data; the source owns it until its next sample. */
	const char *title;  /* target, foreign text, borrowed */
	const char *source; /* name of the source */
	const struct top_sample *sample;
	struct top_rates *rates; /* points to bare after the first sample */
	struct top_rates bare;   /* rows of the first sample: all NaN */
	size_t bare_cap;
	struct history cpu, gc, alloc;

	/* The settings. */
	int64_t interval_ns;
	bool paused;
	bool ended;                      /* the source has no more samples */
	const struct top_column *sorted; /* NULL: sorted by no column */
	bool reversed;
	struct top_order ties;  /* sort keys of the command line */
	struct top_order order; /* the column, then ties */
	struct top_filter filter;
	char *glob, *regex; /* as typed, or NULL */
	bool pooled;
	bool follow;
	struct top_pools pools;

	/* The table: lines of threads, or of pools and threads. */
	size_t passed; /* rows that pass the filter */
	size_t line_count;
	size_t chosen, first;          /* selected line; first line drawn */
	struct top_identity identity;  /* identity of the selected line */
	unsigned table_at, table_rows; /* screen rows of the last drawing */
	struct top_columns columns;

	/* The stack of views, the prompt and the message of the bottom line. */
	const struct view *views[VIEW_DEPTH];
	size_t depth;
	struct prompt prompt;
	char message[256];
	bool message_is_error;

	struct {
		struct pager pager;
		int64_t ns; /* wall clock time of the data; 0: none yet */
	} pages[VIEW_PAGES];
	struct top_identity stack_of;
	bool stack_auto;
	int64_t blocked_due_ns;   /* next refresh, by the samples' clock */
	int64_t blocked_every_ns; /* 0: refresh with each sample */

	unsigned actions;     /* queued: bits of enum top_action */
	const char *write_to; /* file name; valid until the next key */
};

/*
 * Initializes a top with a sort order. The caller sets title, source and
 * filter.
 */
void top_init(struct top *t, const struct top_order *order);
void top_release(struct top *t);

/*
 * Shows a sample; rates are NULL for the first one. Both are borrowed until the
 * next call.
 */
void top_update(struct top *t, const struct top_sample *sample,
		struct top_rates *rates);

/* Sorts and filters the rows again. */
void top_select(struct top *t);

/* Handles a key, which may queue actions. */
void top_key(struct top *t, const struct key *key);

/* Returns the queued actions, bits of enum top_action, and clears them. */
unsigned top_take_actions(struct top *t);

/* Shows a message in the bottom line until the next key. */
void top_message(struct top *t, bool is_bad, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets the glob filter; "" matches any name. Call top_select() afterwards. */
void top_set_glob(struct top *t, const char *glob);

/* Returns line i of the table; top_choose() selects it. */
struct top_line top_line(const struct top *t, size_t i);
void top_choose(struct top *t, size_t line);

/* Queues a request for the stack trace of a thread. */
void top_ask_stack(struct top *t, const struct thread_row *row);

/* Returns the row of the thread in the stack view; NULL when it has ended. */
const struct thread_row *top_stack_row(const struct top *t);

/* Shows the result of an action; wall_ns is the time of the data. */
void top_set_page(struct top *t, enum view_page page, const struct text *text,
		  int64_t wall_ns);
/*
 * The same for blocked threads; every_ns is the refresh interval: 0 refreshes
 * with each sample, a negative value never.
 */
void top_set_blocked(struct top *t, const struct text *text, int64_t wall_ns,
		     int64_t every_ns);

/* Draws the title line, the view and the bottom line. */
void top_draw(struct top *t, struct screen *s);

/* The views of the screen: the table of threads and pages of text. */

struct view {
	const char *name; /* in the title line */
	enum top_place place;
	/* Of pages of text, which are all other views than the table. */
	enum view_page page;
	pager_style_fn *style;
	enum top_action refresh; /* gets the text; 0: none does */
	/* Called when the view opens; may be NULL. */
	void (*open)(struct top *t);
	/* Draws into rows top to bottom - 1. */
	void (*draw)(struct top *t, struct screen *s, unsigned top,
		     unsigned bottom);
	/* Handles a request; false when the view does not support it. */
	bool (*request)(struct top *t, enum top_request request,
			const struct key *key);
};

extern const struct view view_threads, view_stack, view_deadlocks, view_blocked,
	view_help;

/* Draw the column titles and one line of the thread table, by t->columns. */
void view_threads_titles(const struct top *t, struct screen *s, unsigned row);
void view_threads_line(const struct top *t, struct screen *s, unsigned row,
		       const struct top_line *line);

/* Returns the open view on top of the others. */
const struct view *view_of(const struct top *t);

/* Open a view on top of the others; close the top view, unless it is the last.
 */
void view_open(struct top *t, const struct view *view);
void view_leave(struct top *t);

/* The values of the process, above the table of threads. */

/*
 * Draws header lines into at most half of the rows from top to bottom; returns
 * how many.
 */
unsigned top_header_draw(const struct top *t, struct screen *s, unsigned top,
			 unsigned bottom);

/*
 * Appends the source of each value, one per line, and why a value is
 * unavailable.
 */
void top_header_notes(const struct top *t, struct text *out);

#endif
