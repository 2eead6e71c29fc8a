/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top: the state of the thread screen, without a terminal.
 *
 * Samples and keys go in, a screen comes out.  It waits for nothing and reads
 * nothing.  Requests that need I/O (a stack trace, a file) are queued as
 * actions; the caller runs them between keys.
 */
#ifndef RENDER_TOP_TOP_H
#define RENDER_TOP_TOP_H

#include "core/base/pattern.h"
#include "core/threads/thread_rates.h"
#include "render/top/pager.h"
#include "render/top/prompt.h"
#include "render/top/screen.h"
#include "render/top/top_columns.h"
#include "render/top/top_keys.h"
#include "render/top/top_pools.h"
#include "render/top/top_rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value over time, drawn as a row of small bars. */

enum { HISTORY_MAX = 256 };

/* A zeroed struct is an empty history. */
struct history {
	double values[HISTORY_MAX]; /* a ring */
	size_t added;
};

void history_add(struct history *h, double value); /* NaN leaves a gap */

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
	int64_t id; /* the kernel's, or Java's below 0; 0 = none */
	uint64_t start;
	uint32_t pool; /* of a pool, and neither of the others */
};

enum top_action {
	TOP_ACTION_STACK = 1,     /* of top_stack_row(), for top_give_stack() */
	TOP_ACTION_DEADLOCKS = 2, /* for top_give_deadlocks() */
	TOP_ACTION_WRITE = 4,     /* the threads shown, to top->write_to */
	TOP_ACTION_REDRAW = 8,
	TOP_ACTION_QUIT = 16,
	TOP_ACTION_BLOCKED = 32,    /* for top_give_blocked() */
	TOP_ACTION_CONTENTION = 64, /* measure contention, or stop it */
};

enum { VIEW_DEPTH = 4 };

struct top {
	/* What is shown; of the source, until its next sample. */
	const char *title;  /* of the target; foreign, borrowed */
	const char *source; /* the name of the source */
	const struct top_sample *sample;
	struct top_rates *rates; /* of the first sample: all NaN */
	struct top_rates bare;   /* those */
	size_t bare_cap;
	struct history cpu, gc, alloc;

	/* How. */
	int64_t interval_ns;
	bool paused;
	bool ended;                      /* there are no more samples */
	const struct top_column *sorted; /* NULL: by no column */
	bool reversed;
	struct top_order ties; /* what was asked for at first */
	struct top_order order;
	struct top_filter filter;
	char *glob, *regex; /* as typed, or NULL */
	bool pooled;
	bool follow;
	struct top_pools pools;

	/* The table: lines of threads, or of pools and threads. */
	size_t passed; /* rows that the filter left */
	size_t line_count;
	size_t chosen, first;          /* lines; of the screen's first row */
	struct top_identity identity;  /* of the chosen line */
	unsigned table_at, table_rows; /* where it was drawn last */
	struct top_columns columns;

	/* The views, the first below; what is typed; what there is to say. */
	const struct view *views[VIEW_DEPTH];
	size_t depth;
	struct prompt prompt;
	char said[256];
	bool said_is_bad;

	struct pager stack, deadlocks, blocked, help;
	struct top_identity stack_of;
	int64_t stack_ns, deadlocks_ns; /* wall clock, when it was asked for */
	bool stack_auto;
	int64_t blocked_ns;       /* wall clock */
	int64_t blocked_due_ns;   /* when to ask anew, by samples' clock */
	int64_t blocked_every_ns; /* 0: with each sample */

	unsigned actions;     /* bits */
	const char *write_to; /* until the next key */
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

/* Returns the queued actions, bits of enum top_action, and empties the queue.
 */
unsigned top_take_actions(struct top *t);

/* Shows a message in the bottom line until the next key. */
void top_say(struct top *t, bool is_bad, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets the glob filter; "" matches any name. Call top_select() afterwards. */
void top_set_glob(struct top *t, const char *glob);

/* Returns line i of the table; top_choose() selects it. */
struct top_line top_line(const struct top *t, size_t i);
void top_choose(struct top *t, size_t line);

/* Queues a request for the stack trace of a thread. */
void top_ask_stack(struct top *t, const struct thread_row *row);

/* The row of the thread whose stack trace is shown; NULL when it has ended. */
const struct thread_row *top_stack_row(const struct top *t);

/* What was asked for; wall_ns is now. */
void top_give_stack(struct top *t, const struct text *text, int64_t wall_ns);
void top_give_deadlocks(struct top *t, const struct text *text,
			int64_t wall_ns);
/* To be asked anew every so often, 0 with each sample; -1 not any more. */
void top_give_blocked(struct top *t, const struct text *text, int64_t wall_ns,
		      int64_t every_ns);

/* Draws everything: the title, the view and the bottom line. */
void top_draw(struct top *t, struct screen *s);

#endif
