/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_budget: limits the time that is spent on the memory of a process, which
 * may lie to make the reading endless.
 *
 * The budget is CPU time of sjkc, because each read of an honest process may
 * take long on a busy machine; the child that reads needs about as much.  Ten
 * times as much may pass in all.
 */
#ifndef CORE_PROCESS_READ_BUDGET_H
#define CORE_PROCESS_READ_BUDGET_H

#include "core/base/clock.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct read_budget {
	int64_t until_cpu_ns; /* CPU time of this process */
	int64_t until_ns;     /* monotonic */
};

static inline int64_t read_budget_cpu_ns(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * CLOCK_NS_PER_S + t.tv_nsec;
}

/* Starts a budget of so much CPU time. */
static inline struct read_budget read_budget_of(int64_t cpu_ns)
{
	return (struct read_budget){
		.until_cpu_ns = read_budget_cpu_ns() + cpu_ns,
		.until_ns = clock_monotonic_ns() + 10 * cpu_ns,
	};
}

static inline bool read_budget_is_spent(const struct read_budget *b)
{
	return clock_monotonic_ns() > b->until_ns ||
	       read_budget_cpu_ns() > b->until_cpu_ns;
}

#endif
