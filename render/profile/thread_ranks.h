/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_ranks: the threads of a profile by their names, as thread_frame_name()
 * writes them, in order; those of one name are one.
 */
#ifndef RENDER_PROFILE_THREAD_RANKS_H
#define RENDER_PROFILE_THREAD_RANKS_H

#include "core/base/text.h"
#include "core/profile/profile.h"
#include "render/profile/sort.h"

#include <stddef.h>
#include <stdint.h>

struct thread_ranks {
	struct name *names; /* by rank, from 0; point into text */
	size_t count;
	uint32_t *rank_of; /* by id of the thread */
	struct text text;
};

/* adapt changes a name in place before it is sorted; it may be NULL. */
void thread_ranks_init(struct thread_ranks *t, const struct profile *p,
		       void (*adapt)(char *name, size_t len));
void thread_ranks_release(struct thread_ranks *t); /* zeroes are fine */

#endif
