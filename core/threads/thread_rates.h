/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_rates: computes rates per second from two samples.
 *
 * The definitions are SJK's where SJK has the value: 1.0 is one core; threads
 * that started or ended in between count in the values of the process only.
 * Rates are never negative and never exceed the number of CPUs. An unavailable
 * rate is NaN.
 */
#ifndef CORE_THREADS_THREAD_RATES_H
#define CORE_THREADS_THREAD_RATES_H

#include "core/threads/thread_source.h"

struct thread_row {
	const struct thread_sample *thread; /* of the later sample */
	bool is_new; /* was not in the earlier one: its rates are NaN */
	double rates[THREAD_COUNTERS]; /* times: share of one core or of the
					  interval; else per second */
};

struct gc_rate {
	const char *name; /* of the sample */
	double share;     /* of the interval that the program was stopped */
	int64_t count;    /* pauses in it */
	bool at_most;     /* of both; as in struct gc_sample */
};

/* The longest of all pauses between the first sample and the last. */
struct longest_pause {
	int64_t ns;      /* COUNTER_ABSENT: none, or unknown */
	int64_t most_ns; /* if more than ns: one between samples may have been
			    longer, up to this */
	int64_t wall_ns; /* of the sample that saw it */
	char cause[48];  /* foreign; "" = unknown */
};

struct process_rates {
	/*
	 * Shares of one core.  user and sys are of the application's threads,
	 * those of Java, and those that may be and are not named yet; other is
	 * the rest of cpu.  Without any names there is no application.
	 */
	double cpu, application, user, sys, other;
	double vm_cpu, gc_cpu, jit_cpu, native_cpu; /* by kind of thread */
	double alloc;                               /* bytes a second */
	bool alloc_is_coarse; /* added up from threads that know it coarsely */
	double safepoints;    /* a second */
	double safepoint_pause_ms; /* mean, reaching it included */
	double sync, safepoint;    /* shares of the interval */
	double gc_pauses; /* share of the interval, by all collectors */
	bool gc_at_most;  /* gc_pauses is an upper bound */
	size_t gc_count;
	struct gc_rate gc[GC_COLLECTORS_MAX];
	struct longest_pause gc_longest;
	struct longest_pause longest; /* of all safepoints, reaching included */
	double machine;   /* share of the machine's CPUs that were busy */
	double throttled; /* share of the interval that a limit held it back */
	size_t java_threads, new_threads, ended_threads;
};

struct top_rates {
	const struct top_sample *sample; /* the later one */
	double interval_s;
	struct process_rates process;
	struct thread_row *rows; /* in the sample's order; may be reordered */
	size_t row_count;
};

struct thread_rates;

struct thread_rates *thread_rates_new(void);
void thread_rates_free(struct thread_rates *r); /* NULL is fine */

/*
 * Compares a sample with the previous one. Returns NULL for the first sample,
 * and for one that is not later than the previous one. The result borrows from
 * the sample, and is valid until either is replaced.
 *
 * Where user and sys are known in ticks only, but cpu exactly, cpu is divided
 * in the ratio of the ticks of at least the last second. Allocation that is not
 * in every sample is compared with the last sample that had it.
 */
struct top_rates *thread_rates_update(struct thread_rates *r,
				      const struct top_sample *sample);

#endif
