/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class_sums: what was allocated or waited for by class, and by the thread that
 * owned the lock.
 */
#ifndef RENDER_PROFILE_CLASS_SUMS_H
#define RENDER_PROFILE_CLASS_SUMS_H

#include "core/base/text.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* What rows from `first` on come to together. */
struct class_sum class_sums_rest(const struct class_sum *sums, size_t first,
				 size_t count);

/* Appends the class as Java spells it, made safe; nothing when it is unknown.
 */
void class_sum_name(struct text *out, const struct profile *p,
		    const struct class_sum *sum, const struct style *style);

#endif
