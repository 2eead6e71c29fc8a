/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_ranks: the names of a profile's threads, from thread_frame_name(),
 * sorted; threads of the same name have the same rank.
 */
#ifndef RENDER_PROFILE_THREAD_RANKS_H
#define RENDER_PROFILE_THREAD_RANKS_H

#include "core/base/text.h"
#include "core/profile/profile.h"
#include "render/tree/sort.h"

#include <stddef.h>
#include <stdint.h>

struct thread_ranks {
	struct name *names; /* by rank, from 0; they point into text */
	size_t count;
	uint32_t *rank_of; /* by thread id */
	struct text text;
};

/* adapt changes a name in place before it is sorted; it may be NULL. */
void thread_ranks_init(struct thread_ranks *t, const struct profile *p,
		       void (*adapt)(char *name, size_t len));
void thread_ranks_release(struct thread_ranks *t); /* may be zeroed */

#endif
