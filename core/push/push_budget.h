/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push_budget: keeps the costs of `prof --push` below --cpu-limit and
 * --memory-limit, by what sjkc and its child processes use, and chooses the
 * minutes of --probability.
 */
#ifndef CORE_PUSH_PUSH_BUDGET_H
#define CORE_PUSH_PUSH_BUDGET_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Use of CPU time of this process and its descendants, and of their memory. */
struct push_usage {
	int64_t cpu_ns;        /* also of descendants that have ended */
	uint64_t memory_bytes; /* proportional (PSS) */
};

/* Reads the usage, without the process `omitted` and its descendants. */
struct push_usage push_usage_read(pid_t omitted);

/* The memory of this process that it shares with no other; fast. */
uint64_t push_usage_own_bytes(void);

/* The limit of CPU time. A new one has the first two fields alone. */
struct push_budget {
	double limit_percent; /* of a core; 0 = none */
	uint64_t wanted_hz;   /* the frequency without a limit */
	uint64_t hz;          /* the frequency now; 0 = wanted_hz */
	unsigned quiet;       /* windows in a row that permit the next one */
	unsigned within;      /* windows in a row within the limit */
	bool has_begun;       /* the window of the start is over */
	/*
	 * Even the lowest frequency was over the limit, less than
	 * PUSH_BUDGET_QUIET windows ago.
	 */
	bool is_at_least;
	int64_t cpu_ns, time_ns; /* at the last window */
	double percent;          /* of the last window */
};

/* Windows in a row before the frequency is raised or all is well again. */
enum { PUSH_BUDGET_QUIET = 5 };

/*
 * Call at the end of each window with the CPU time used so far and the time
 * (both only grow); returns the frequency for the next window. The window of
 * the start, whose costs do not recur, counts for nothing. The frequency rises
 * by one step when PUSH_BUDGET_QUIET windows in a row would have stayed below
 * the limit at the higher frequency.
 */
uint64_t push_budget_next(struct push_budget *b, int64_t cpu_ns,
			  int64_t time_ns);

/* Ignores the costs until now: those of a pause. */
void push_budget_skip(struct push_budget *b, int64_t cpu_ns, int64_t time_ns);

/* Parses "1%", "0.5", "200%" of an option. ERROR_MISUSE. */
int push_budget_parse(const char *option, const char *word, double *percent,
		      struct error *err);

/*
 * True if a node is sampled in a minute, of the Unix epoch, when every node is
 * to be sampled in this percentage of the minutes. The choice is random, but
 * always the same.
 */
bool push_budget_hits(const char *node, int64_t minute, double percent);

#endif
