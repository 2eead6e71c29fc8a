/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_tree: the calls of a view as rows: each caller before its callees, the
 * callees of a caller sorted by total.
 *
 * A frame that calls itself is one row. So are up to four frames that call each
 * other in a cycle at least twice; the row has the callees of all of them. The
 * smaller callees of a caller are added up in one row.
 */
#ifndef RENDER_PROFILE_CALL_TREE_H
#define RENDER_PROFILE_CALL_TREE_H

#include "core/profile/event_view.h"
#include "core/profile/profile.h"
#include "render/profile/sums.h"
#include "render/tree/flame_widths.h"
#include "render/tree/frame_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More are not made: those with most stay. */
#define CALL_ROWS    ((size_t)100000)
#define CALL_THREADS 200

enum call_kind {
	CALL_FRAME,
	CALL_THREAD, /* the root of a thread's calls */
	CALL_POOL,   /* the root of the calls of a pool of small threads */
	CALL_OTHERS, /* the callees of a caller that are not shown */
};

/* "frame", "thread", "pool", "others" */
extern const char *const call_kind_names[];

struct call_row {
	enum call_kind kind;
	uint32_t id;      /* frame: label; thread: thread id; pool: id of any of
			     its threads; others: number of callees */
	uint32_t members; /* pool: number of threads */
	uint32_t depth;   /* number of rows above that are its callers */
	uint32_t indent;  /* number of them with is_choice */
	uint32_t deep;    /* recursion: occurrences in a stack trace; or 1 */
	bool is_choice;   /* the row is one of several callees */
	uint64_t total, self;
};

struct call_tree {
	struct call_row *rows;
	size_t count;
	double min_percent; /* the actual minimum, see `fit` */
};

struct call_tree_options {
	uint64_t whole;     /* total of the view */
	double min_percent; /* calls below this percentage are not shown */
	/*
	 * Maximum number of lines; 0: no limit. min_percent rises to 2, 5, 10,
	 * 20 or 50 until the lines fit, unless hardly any would be left.
	 */
	size_t fit;
	size_t chain; /* maximum lines of a non-branching chain; 0: no limit */
	bool weights;
	/* Threads to use as roots, see thread_roots.h; NULL: frames are. */
	const struct thread_sum *threads;
	size_t thread_count;
};

/*
 * Builds the rows. w must have this view only, and the table all its frames and
 * small_frames(). Overwrites the marks in w.
 */
void call_tree_init(struct call_tree *t, struct flame_widths *w,
		    const struct event_view *view,
		    const struct frame_table *table,
		    const struct call_tree_options *options);
void call_tree_release(struct call_tree *t);

/* Returns the length of the non-branching chain that starts at row `first`. */
size_t call_tree_chain(const struct call_tree *t, size_t first);

#endif
