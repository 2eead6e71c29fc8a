/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sums: the samples of a view added up by frame, by class and by thread.
 *
 * frame_sums: a sum for each frame, by its label.  Self is what was counted
 * with the frame at the leaf; total is what was counted with it anywhere in the
 * stack trace, once however often it is there.
 */
#ifndef RENDER_PROFILE_SUMS_H
#define RENDER_PROFILE_SUMS_H

#include "core/base/text.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"
#include "render/page/flame_widths.h"
#include "render/profile/frame_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_sum {
	uint32_t label;
	uint64_t self, total;
};

/*
 * A sum for each label, those of most self first, then of most total, then in
 * the order of the labels: table->label_count of them, the caller's to free.
 * view is the only one in w, and table has all of its frames.
 */
struct frame_sum *frame_sums(const struct flame_widths *w,
			     const struct event_view *view, bool weights,
			     const struct frame_table *table);

/*
 * class_sums: what was allocated or waited for by class, and by the thread that
 * owned the lock.
 */
struct class_sum {
	uint32_t class_name; /* a string; 0 = unknown */
	uint32_t owner;      /* a thread; 0 = unknown or not asked for */
	uint64_t samples;
	uint64_t total; /* of what is measured */
};

/*
 * A sum for each class, or with by_owner for each class and owner, the largest
 * first.  They come to all of the view; *count is 0 when no sample has a class
 * or, with by_owner, an owner.  The caller frees.
 */
struct class_sum *class_sums(const struct profile *p,
			     const struct event_view *view, bool weights,
			     bool by_owner, size_t *count);

/* The sum of the rows from `first` on. */
struct class_sum class_sums_rest(const struct class_sum *sums, size_t first,
				 size_t count);

/* Appends the class as Java spells it, made safe; nothing when it is unknown.
 */
void class_sum_name(struct text *out, const struct profile *p,
		    const struct class_sum *sum, const struct style *style);

/*
 * thread_sums: what every thread of a view comes to, and where it mostly was.
 */
struct thread_sum {
	uint32_t thread; /* 0: of samples without one */
	uint64_t total;
	uint32_t leaf;      /* the label it was in most, or NO_LABEL */
	uint64_t leaf_self; /* and what was counted there */
};

/*
 * A sum for each thread with a sample, those with most first; *count of them,
 * the caller's to free.
 */
struct thread_sum *thread_sums(const struct profile *p,
			       const struct event_view *view, bool weights,
			       const struct frame_table *table, size_t *count);

#endif
