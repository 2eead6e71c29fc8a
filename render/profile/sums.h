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
#include "render/tree/flame_widths.h"
#include "render/tree/frame_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_sum {
	uint32_t label;
	uint64_t self, total, frequency;
};

/* The numbers of a frame_sum: self, total and frequency. */
enum frame_order {
	FRAME_SELF,
	FRAME_TOTAL,
	FRAME_OCCURRENCES,
	FRAME_ORDERS,
};

/* "self", "total", "occurrences", and then SJK's names in the same order. */
extern const char *const frame_order_names[2 * FRAME_ORDERS];

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
 * that owned the lock, or by the method of that thread that held it.
 */
enum class_key { CLASS_ONLY, CLASS_AND_OWNER, CLASS_AND_METHOD, CLASS_KEYS };

struct class_sum {
	uint32_t class_name; /* a string; 0 = unknown */
	uint32_t owner;      /* a thread or, by method, a frame; 0 = unknown */
	uint64_t samples;
	uint64_t total; /* weight, or samples */
};

/*
 * Returns a sum per class, or per class and owner or method, sorted by total;
 * the caller frees them. *count is 0 when no sample has a class or, if it is
 * part of the key, an owner or a method; otherwise the sums add up to the
 * view's total.
 */
struct class_sum *class_sums(const struct profile *p,
			     const struct event_view *view, bool weights,
			     enum class_key key, size_t *count);

/* Returns the sum of the rows from `first` on. */
struct class_sum class_sums_rest(const struct class_sum *sums, size_t first,
				 size_t count);

/* Appends the class name in Java's notation, made safe; nothing if unknown. */
void class_sum_name(struct text *out, const struct profile *p,
		    const struct class_sum *sum, const struct style *style);

/*
 * wait_sums: sums by the application's frame that is nearest the leaf, and by
 * the call that waits below it.
 */
struct wait_sum {
	uint32_t label;  /* NO_LABEL: no frame of the application */
	uint32_t callee; /* a label, or as below */
	uint64_t total;
};

/* Values of callee that are not labels. */
#define WAIT_NONE    NO_LABEL       /* the application's frame is the leaf */
#define WAIT_MONITOR (NO_LABEL - 1) /* enters a monitor */
#define WAIT_CPU     (NO_LABEL - 2) /* could run, but another thread does */

/*
 * Returns *count sums, sorted by total; the caller frees them. Cells for which
 * left_out[cell] is true are omitted; left_out may be NULL. Without calls, sums
 * have no callee, and samples without a frame of the application are omitted.
 */
struct wait_sum *wait_sums(const struct profile *p,
			   const struct event_view *view, bool weights,
			   const struct frame_table *table,
			   const bool *is_application, const bool *left_out,
			   bool calls, size_t *count);

/* thread_sums: the total of each thread and its hottest leaf frame. */
struct thread_sum {
	uint32_t thread; /* 0: samples without a thread */
	uint64_t total;
	uint32_t leaf;      /* label of the hottest leaf frame, or NO_LABEL */
	uint64_t leaf_self; /* its self */
};

/*
 * Returns *count sums, one per thread with a sample, sorted by total; the
 * caller frees them. With is_application, the leaf is the application's frame
 * nearest the leaf, if there is one.
 */
struct thread_sum *thread_sums(const struct profile *p,
			       const struct event_view *view, bool weights,
			       const struct frame_table *table,
			       const bool *is_application, size_t *count);

/* thread_infos: how often and in which states each thread was sampled. */
struct thread_info {
	uint32_t thread; /* 0: samples without a thread */
	uint64_t total;  /* weight, or samples */
	uint64_t samples;
	uint64_t native; /* samples with a native leaf frame, or no frame */
	uint64_t states[THREAD_STATES]; /* samples */
	uint16_t first, last; /* time buckets, see struct cell; 0 = unknown */
};

/*
 * Returns *count rows, one per thread with a sample, sorted by total; the
 * caller frees them.
 */
struct thread_info *thread_infos(const struct profile *p,
				 const struct event_view *view, bool weights,
				 size_t *count);

/* timeline: the total of all threads, and of each thread, by time bucket. */
struct timeline {
	uint32_t *threads; /* by row; row 0 adds up all threads */
	size_t row_count;
	size_t bucket_count;
	int64_t from_ns; /* start of the first bucket */
	int64_t bucket_ns;
	uint64_t *values; /* by row, then bucket */
	uint64_t without_time;
};

/*
 * Sums up a view; after the first row, the `rows` threads of infos, which are
 * sorted by total. Without times, bucket_count is 0.
 */
void timeline_init(struct timeline *t, const struct profile *p,
		   const struct event_view *view, bool weights,
		   const struct thread_info *infos, size_t rows);
void timeline_release(struct timeline *t); /* may be zeroed */

#endif
