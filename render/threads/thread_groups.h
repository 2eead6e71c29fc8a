/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_groups: groups the threads of a dump by stack trace or by pool, and
 * the words for threads and groups in reports.
 */
#ifndef RENDER_THREADS_THREAD_GROUPS_H
#define RENDER_THREADS_THREAD_GROUPS_H

#include "core/base/intern.h"
#include "core/base/text.h"
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

/* Numbers of threads of a dump. */
struct thread_kinds {
	size_t natives; /* without Java frames */
	size_t runs;    /* RUNNABLE in Java code */
	size_t daemons, virtuals;
	size_t mounted, unmounted; /* virtual: with a carrier; in need of one */
};

struct thread_kinds series_count_kinds(const struct dump_series *s);

/*
 * True for a virtual thread without frames that has not started or waits for a
 * carrier.
 */
bool series_thread_needs_carrier(const struct series_thread *t);

/* Returns the fraction of a CPU that a thread used; negative = unknown. */
double series_thread_cpu(const struct series_thread *t);

/*
 * Returns the indices of the threads that used at least 0.1% of a CPU, in
 * descending order of their use. The caller frees the array.
 */
size_t *series_by_cpu(const struct dump_series *s, size_t *count);

/* True for a virtual thread that keeps its carrier although it waits. */
bool series_thread_is_pinned(const struct dump_series *s,
			     const struct series_thread *t);

/* Returns "RUNNABLE", or "no state". */
const char *series_state_name(enum thread_state state);

/* Each appends text that is safe for a terminal. */

/* "main" #1, with the quotes; "tid=12" if the Java id is unknown. */
void series_thread_name(struct text *out, const struct dump_series *s,
			const struct series_thread *t);

/* "pool-*-thread-*" (12), "main": names of a group, shortened to pools. */
void thread_group_names(struct text *out, const struct dump_series *s,
			const struct thread_groups *g,
			const struct thread_group *group);

/*
 * "waiting to lock <0x1> a.B": the lock that all threads of a group wait for.
 * Returns false, with nothing appended, if they do not wait.
 */
bool thread_group_wait(struct text *out, const struct dump_series *s,
		       const struct thread_groups *g,
		       const struct thread_group *group);

/*
 * Appends a line for each peer for which threads of a group wait, the most
 * frequent first: "reads from 10.1.2.3:5432\n" for a group of one thread, or
 * "20 threads read from 10.1.2.3:5432\n", "\"name\" #7 reads from a pipe\n". Of
 * many peers, the last line has the number of the rest.
 */
void thread_group_peers(struct text *out, const struct dump_series *s,
			const struct thread_groups *g,
			const struct thread_group *group);

#endif
