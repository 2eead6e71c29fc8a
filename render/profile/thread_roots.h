/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_roots: what a tree of calls by thread begins with: threads that come
 * to enough by themselves, and pools of the others: those whose names differ in
 * numbers only.
 */
#ifndef RENDER_PROFILE_THREAD_ROOTS_H
#define RENDER_PROFILE_THREAD_ROOTS_H

#include "core/base/text.h"
#include "core/profile/profile.h"
#include "render/profile/sums.h"

#include <stddef.h>
#include <stdint.h>

struct thread_root {
	uint32_t thread; /* of the profile; of a pool the one with most */
	uint32_t first;  /* among members, */
	uint32_t count;  /* and how many; 1 is a thread */
	uint64_t total;
};

struct thread_roots {
	struct thread_root *all; /* those with most first */
	size_t count;
	uint32_t *members; /* threads */
};

/*
 * Of sums, those with most first: at most so many threads stand alone, those
 * with at least so much.
 */
void thread_roots_init(struct thread_roots *r, const struct profile *p,
		       const struct thread_sum *sums, size_t count,
		       uint64_t least, size_t most);
void thread_roots_release(struct thread_roots *r);

/* Appends what a thread's pool is called: "pool-*-thread-*"; foreign. */
void thread_roots_pool(struct text *out, const struct profile *p,
		       uint32_t thread);

#endif
