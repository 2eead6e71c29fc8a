/* SPDX-License-Identifier: Apache-2.0 */
/* thread_groups: groups the threads of a dump by stack trace or by pool. */
#ifndef RENDER_THREADS_THREAD_GROUPS_H
#define RENDER_THREADS_THREAD_GROUPS_H

#include "core/base/intern.h"
#include "core/threads/dump_series.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread_group {
	size_t first, count; /* the threads are order[first] and following */
	size_t states[THREAD_STATES];
	/* Fraction of a CPU since the first dump; negative = unknown. */
	double cpu;
	unsigned looks;   /* the least number of dumps without a move */
	int64_t since_ns; /* and the latest time of the first of these */
	uint32_t pool;    /* by pool: its name, an id of names */
};

/* A zeroed struct is empty. */
struct thread_groups {
	struct thread_group *groups; /* the largest first */
	size_t count, cap;
	size_t *order; /* indices of threads */
	size_t ordered;
	struct intern names; /* of pools */
	uint32_t *pool_of;   /* by thread: its pool */
};

enum thread_grouping {
	GROUP_STACKS, /* threads with frames, by stack trace and state */
	/* Those that have not moved since the dump before and are not idle. */
	GROUP_STUCK,
	GROUP_POOLS, /* all threads, by their names without numbers */
};

void thread_groups_make(struct thread_groups *g, const struct dump_series *s,
			enum thread_grouping by);
void thread_groups_release(struct thread_groups *g);

/* Returns the fraction of a CPU that a thread used; negative = unknown. */
double series_thread_cpu(const struct series_thread *t);

#endif
