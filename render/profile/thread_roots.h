/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_roots: the roots of a call tree by thread: each thread with a large
 * total, and pools of other threads whose names differ only in numbers.
 */
#ifndef RENDER_PROFILE_THREAD_ROOTS_H
#define RENDER_PROFILE_THREAD_ROOTS_H

#include "core/base/text.h"
#include "core/profile/profile.h"
#include "render/profile/sums.h"

#include <stddef.h>
#include <stdint.h>

struct thread_root {
	uint32_t thread; /* thread id; of a pool, the largest thread */
	uint32_t first;  /* index of the first thread in members */
	uint32_t count;  /* number of threads; 1 is a single thread */
	uint64_t total;
};

struct thread_roots {
	struct thread_root *all; /* sorted by total */
	size_t count;
	uint32_t *members; /* thread ids, root by root */
};

/*
 * Makes roots from sums, which are sorted by total. The first `most` threads
 * with a total of at least `least` are roots of their own.
 */
void thread_roots_init(struct thread_roots *r, const struct profile *p,
		       const struct thread_sum *sums, size_t count,
		       uint64_t least, size_t most);
void thread_roots_release(struct thread_roots *r);

/* Appends the name of a thread's pool: "pool-*-thread-*"; foreign text. */
void thread_roots_pool(struct text *out, const struct profile *p,
		       uint32_t thread);

#endif
