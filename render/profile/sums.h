/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sums: the samples of a view added up by frame, by class and by thread.
 *
 * frame_sums: sums by label of the frame. self adds up the samples with the
 * frame as leaf, total the samples with the frame anywhere in the stack trace;
 * a recursive frame counts once. frequency counts each of its occurrences.
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
	uint64_t self, total, frequency;
};

/* SJK's words for self, total and frequency. */
enum frame_order { FRAME_TERM, FRAME_OCCUR, FRAME_FREQ, FRAME_ORDERS };

/* "TERM", "OCCUR", "FREQ" */
extern const char *const frame_order_names[FRAME_ORDERS];

/*
 * Returns table->label_count sums, sorted by this number, then total, then
 * label; the caller frees them. w must have this view only, and the table all
 * its frames.
 */
struct frame_sum *frame_sums(const struct flame_widths *w,
			     const struct event_view *view, bool weights,
			     const struct frame_table *table,
			     enum frame_order order);

/*
 * class_sums: sums by class of the allocated object or lock, and by the thread
 * that owned the lock.
 */
struct class_sum {
	uint32_t class_name; /* a string; 0 = unknown */
	uint32_t owner;      /* a thread; 0 = unknown, or not by_owner */
	uint64_t samples;
	uint64_t total; /* weight, or samples */
};

/*
 * Returns a sum per class, or with by_owner per class and owner, sorted by
 * total; the caller frees them. *count is 0 when no sample has a class or, with
 * by_owner, an owner; otherwise the sums add up to the view's total.
 */
struct class_sum *class_sums(const struct profile *p,
			     const struct event_view *view, bool weights,
			     bool by_owner, size_t *count);

/* Returns the sum of the rows from `first` on. */
struct class_sum class_sums_rest(const struct class_sum *sums, size_t first,
				 size_t count);

/* Appends the class name in Java's notation, made safe; nothing if unknown. */
void class_sum_name(struct text *out, const struct profile *p,
		    const struct class_sum *sum, const struct style *style);

/* thread_sums: the total of each thread and its hottest leaf frame. */
struct thread_sum {
	uint32_t thread; /* 0: samples without a thread */
	uint64_t total;
	uint32_t leaf;      /* label of the hottest leaf frame, or NO_LABEL */
	uint64_t leaf_self; /* its self */
};

/*
 * Returns *count sums, one per thread with a sample, sorted by total; the
 * caller frees them.
 */
struct thread_sum *thread_sums(const struct profile *p,
			       const struct event_view *view, bool weights,
			       const struct frame_table *table, size_t *count);

#endif
