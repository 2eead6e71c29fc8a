/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_tree: who called whom, and what each call came to, as rows for a person:
 * callers before their callees, of each caller those with most first.
 *
 * A frame that calls itself is one row, as are those that call each other in
 * turn (up to four of them, twice at least); their callees are its callees.
 * Smaller calls are summed up in one row for each caller.
 */
#ifndef RENDER_PROFILE_CALL_TREE_H
#define RENDER_PROFILE_CALL_TREE_H

#include "core/profile/event_view.h"
#include "core/profile/profile.h"
#include "render/page/flame_widths.h"
#include "render/profile/frame_table.h"
#include "render/profile/sums.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More are not made: those with most stay. */
#define CALL_ROWS    ((size_t)100000)
#define CALL_THREADS 200

enum call_kind {
	CALL_FRAME,
	CALL_THREAD, /* the root of a thread's calls */
	CALL_POOL,   /* likewise, of threads that come to little each */
	CALL_OTHERS, /* what of a caller's callees is not shown */
};

/* "frame", "thread", "pool", "others" */
extern const char *const call_kind_names[];

struct call_row {
	enum call_kind kind;
	uint32_t id;      /* label; thread of the profile, of a pool any; number
			     of callees */
	uint32_t members; /* of a pool: threads */
	uint32_t depth;   /* how many rows called it */
	uint32_t indent;  /* of those, how many were one of several callees */
	uint32_t deep;    /* 1, or how often it is in a stack trace */
	bool is_choice;   /* it is one of several callees */
	uint64_t total, self;
};

struct call_tree {
	struct call_row *rows;
	size_t count;
	double min_percent; /* as it became */
};

struct call_tree_options {
	/*
	 * Calls below this percentage of the whole are not shown.
	 * Where that leaves more lines than fit (0: any number do), it becomes
	 * 2, 5, 10, 20 or 50 per cent, unless next to nothing is left then.  A
	 * maximum number of lines of a chain; 0: no limit.
	 */
	uint64_t whole;
	double min_percent;
	size_t fit, chain;
	bool weights;
	/*
	 * A root for each that comes to enough, and one for those of each pool
	 * (thread_roots.h) that do not; or NULL.
	 */
	const struct thread_sum *threads;
	size_t thread_count;
};

/*
 * w has the view only, and table all its frames and small_frames().  The marks
 * in w are used up.
 */
void call_tree_init(struct call_tree *t, struct flame_widths *w,
		    const struct event_view *view,
		    const struct frame_table *table,
		    const struct call_tree_options *options);
void call_tree_release(struct call_tree *t);

/* How many rows from the first on were each called by the one before it only.
 */
size_t call_tree_chain(const struct call_tree *t, size_t first);

#endif
