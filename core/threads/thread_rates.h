/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_rates: computes rates per second from two samples.
 *
 * The definitions are SJK's where SJK has the value: 1.0 is one core; threads
 * that started or ended in between count only in the values of the process.
 * Rates are never negative and never exceed the number of CPUs. An unavailable
 * rate is NaN.
 */
#ifndef CORE_THREADS_THREAD_RATES_H
#define CORE_THREADS_THREAD_RATES_H

#include "core/threads/thread_source.h"

struct thread_row {
	const struct thread_sample *thread; /* in the later sample */
	bool is_new; /* the earlier sample lacks the thread: its rates are NaN
		      */
	/* Of a pool: the number of threads in the state of the row. */
	size_t in_state;               /* 0 = the row is a thread */
	double rates[THREAD_COUNTERS]; /* times: share of one core or of the
					  interval; else per second */
};

struct gc_rate {
	const char *name; /* of the sample */
	double share;  /* share of the interval that the program was stopped */
	int64_t count; /* number of pauses in the interval */
	bool at_most;  /* in either sample; as in struct gc_sample */
};

/* The longest pause between the first and the last sample. */
struct longest_pause {
	int64_t ns;      /* COUNTER_ABSENT: none or unknown */
	int64_t most_ns; /* if larger than ns: upper bound, because a pause
			    between samples may have been longer */
	int64_t wall_ns; /* of the sample in which it was found */
	char cause[48];  /* foreign; "" = unknown */
};

struct process_rates {
	/*
	 * Shares of one core. user and sys are those of the application's
	 * threads: Java threads and threads that may be Java threads but have
	 * no name yet. other is the rest of cpu. Without any names, application
	 * is NaN.
	 */
	double cpu, application, user, sys, other;
	double vm_cpu, gc_cpu, jit_cpu, native_cpu; /* by kind of thread */
	double runq;  /* time that threads waited for a CPU; NaN: unknown */
	double alloc; /* bytes per second */
	bool alloc_is_coarse; /* sum of threads whose allocation is coarse */
	double safepoints;    /* per second */
	double safepoint_pause_ms; /* mean, including the time to safepoint */
	double sync, safepoint;    /* shares of the interval */
	double gc_pauses; /* share of the interval, of all collectors */
	bool gc_at_most;  /* gc_pauses is an upper bound */
	size_t gc_count;
	struct gc_rate gc[GC_COLLECTORS_MAX];
	struct longest_pause gc_longest;
	struct longest_pause longest; /* of all safepoints, including the time
					 to safepoint */
	double machine;   /* share of the machine's CPUs that were busy */
	double throttled; /* time that a CPU limit stopped it, added up over the
			     CPUs, as a share of the interval, at most 1 */
	double throttled_periods; /* share of the limit's periods */
	size_t java_threads, new_threads, ended_threads;
};

struct top_rates {
	const struct top_sample *sample; /* the later sample */
	double interval_s;
	struct process_rates process;
	struct thread_row *rows; /* in the sample's order; may be reordered */
	size_t row_count;
};

struct thread_rates;

struct thread_rates *thread_rates_new(void);
void thread_rates_free(struct thread_rates *r); /* NULL is allowed */

/*
 * Compares a sample with the previous one. Returns NULL for the first sample,
 * and for a sample that is not later than the previous one. The result borrows
 * from the sample, and is valid until either is replaced.
 *
 * If user and sys are in ticks but cpu is exact, cpu is divided in the ratio of
 * the ticks of at least the last second. Allocation that is not in every sample
 * is compared with the last sample that had it.
 */
struct top_rates *thread_rates_update(struct thread_rates *r,
				      const struct top_sample *sample);

#endif
