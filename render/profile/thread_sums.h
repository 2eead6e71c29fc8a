/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_sums: what every thread of a view comes to, and where it mostly was.
 */
#ifndef RENDER_PROFILE_THREAD_SUMS_H
#define RENDER_PROFILE_THREAD_SUMS_H

#include "core/profile/event_view.h"
#include "core/profile/profile.h"
#include "render/profile/frame_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
