/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/thread_rates.h"

#include "tests/unit/top_samples.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CLOSE 1e-9

/* Two consecutive samples and their rates. */
struct sample_pair {
	struct made_sample before, now;
	struct thread_rates *rates;
};

static void pair_init(struct sample_pair *p, int64_t interval_ns)
{
	made_begin(&p->before, 100 * S);
	made_begin(&p->now, 100 * S + interval_ns);
	p->rates = thread_rates_new();
}

static struct top_rates *compared(struct sample_pair *p)
{
	assert_null(thread_rates_update(p->rates, &p->before.sample));
	return thread_rates_update(p->rates, &p->now.sample);
}

static void assert_close(double got, double wanted)
{
	assert_false(isnan(got));
	assert_float_equal((float)got, (float)wanted, (float)CLOSE);
}

#define assert_absent(value) assert_true(isnan(value))

static void cpu_is_a_share_of_one_core(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, 2 * S);
	made_busy(&p.before, 7, "a", 5 * S, 4 * S, 1 * S);
	made_busy(&p.now, 7, "a", 6 * S, 4 * S + 750 * MS, 1 * S + 250 * MS);
	r = compared(&p);
	assert_non_null(r);
	assert_close(r->interval_s, 2);
	assert_int_equal(r->row_count, 1);
	assert_false(r->rows[0].is_new);
	assert_close(r->rows[0].rates[THREAD_CPU], 0.5);
	assert_close(r->rows[0].rates[THREAD_USER], 0.375);
	assert_close(r->rows[0].rates[THREAD_SYS], 0.125);
	thread_rates_free(p.rates);
}

/* Ticks of 10 ms say 30 user and 10 sys, schedstat says 402.5 ms of CPU. */
static void exact_cpu_is_shared_out_as_the_ticks_were(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	made_busy(&p.before, 7, "a", 0, 0, 0);
	made_busy(&p.now, 7, "a", 402500000, 300 * MS, 100 * MS);
	r = compared(&p);
	assert_close(r->rows[0].rates[THREAD_CPU], 0.4025);
	assert_close(r->rows[0].rates[THREAD_SYS], 0.4025 / 4);
	assert_close(r->rows[0].rates[THREAD_USER], 0.4025 * 3 / 4);
	thread_rates_free(p.rates);
}

/*
 * Without a tick in the interval, CPU time is divided as in the thread's life.
 */
static void cpu_without_a_tick_is_shared_out_as_before(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	made_busy(&p.before, 7, "a", 100 * MS, 60 * MS, 40 * MS);
	made_busy(&p.now, 7, "a", 105 * MS, 60 * MS, 40 * MS);
	r = compared(&p);
	assert_close(r->rows[0].rates[THREAD_SYS], 0.005 * 0.4);
	assert_close(r->rows[0].rates[THREAD_USER], 0.005 * 0.6);
	thread_rates_free(p.rates);
}

/* Within 100 ms, a single tick would make it all user or all system time. */
static void short_intervals_share_by_the_ticks_of_a_second(void **state)
{
	struct thread_rates *rates = thread_rates_new();
	struct made_sample m;
	struct top_rates *r = NULL;

	(void)state;
	for (int i = 0; i <= 20; i++) {
		made_begin(&m, 100 * S + i * 100 * MS);
		/*
		 * Nine intervals with 10 ms of user time, then one with system
		 * time.
		 */
		made_busy(&m, 7, "a", i * 10 * MS, (i - i / 10) * 10 * MS,
			  i / 10 * 10 * MS);
		r = thread_rates_update(rates, &m.sample);
		if (!r)
			continue;
		assert_close(r->rows[0].rates[THREAD_CPU], 0.1);
		if (i >= 10)
			assert_close(r->rows[0].rates[THREAD_SYS], 0.01);
	}
	thread_rates_free(rates);
}

/* JMX: CPU time is exact; user time is in ticks and may exceed it. */
static void sys_is_never_negative(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	made_busy(&p.before, 7, "a", 0, 0, COUNTER_ABSENT);
	made_busy(&p.now, 7, "a", 96600000, 100 * MS, COUNTER_ABSENT);
	r = compared(&p);
	assert_close(r->rows[0].rates[THREAD_SYS], 0);
	assert_close(r->rows[0].rates[THREAD_USER], 0.0966);
	thread_rates_free(p.rates);
}

static void cpu_without_exact_time_is_the_sum_of_ticks(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	made_busy(&p.before, 7, "a", COUNTER_ABSENT, 0, 0);
	made_busy(&p.now, 7, "a", COUNTER_ABSENT, 30 * MS, 10 * MS);
	r = compared(&p);
	assert_close(r->rows[0].rates[THREAD_CPU], 0.04);
	assert_close(r->rows[0].rates[THREAD_SYS], 0.01);
	thread_rates_free(p.rates);
}

static void absent_counters_give_absent_rates(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	made_thread(&p.before, 7, "a")->counters[THREAD_WAITS] = 5;
	made_thread(&p.now, 7, "a")->counters[THREAD_ALLOC] = 5;
	r = compared(&p);
	for (size_t i = 0; i < THREAD_COUNTERS; i++)
		assert_absent(r->rows[0].rates[i]);
	assert_absent(r->process.cpu);
	assert_absent(r->process.other);
	assert_absent(r->process.alloc);
	assert_absent(r->process.safepoints);
	assert_absent(r->process.safepoint_pause_ms);
	assert_absent(r->process.sync);
	assert_int_equal(r->process.gc_count, 0);
	thread_rates_free(p.rates);
}

static void thread_uses_at_most_one_core(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	p.before.sample.process.cpu_ns = 0;
	p.now.sample.process.cpu_ns = 90 * S;
	p.now.sample.process.cpus = 4;
	made_busy(&p.before, 7, "a", 0, 0, 0);
	made_busy(&p.now, 7, "a", 3 * S, 2 * S, 1 * S);
	r = compared(&p);
	assert_close(r->rows[0].rates[THREAD_CPU], 1);
	assert_close(r->rows[0].rates[THREAD_USER] +
			     r->rows[0].rates[THREAD_SYS],
		     1);
	assert_close(r->process.cpu, 4);
	assert_close(r->process.application, 1);
	assert_close(r->process.other, 3);
	thread_rates_free(p.rates);
}

static void counters_that_shrink_count_as_nothing(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	made_busy(&p.before, 7, "a", S, S, S)->counters[THREAD_WAITS] = 9;
	made_busy(&p.now, 7, "a", 0, 0, 0)->counters[THREAD_WAITS] = 3;
	r = compared(&p);
	assert_close(r->rows[0].rates[THREAD_CPU], 0);
	assert_close(r->rows[0].rates[THREAD_USER], 0);
	assert_close(r->rows[0].rates[THREAD_SYS], 0);
	assert_close(r->rows[0].rates[THREAD_WAITS], 0);
	thread_rates_free(p.rates);
}

static void reused_tid_is_a_new_thread(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	made_busy(&p.before, 7, "old", 10 * S, 10 * S, 0);
	made_busy(&p.now, 7, "new", 200 * MS, 150 * MS, 50 * MS)->start = 2000;
	r = compared(&p);
	assert_true(r->rows[0].is_new);
	assert_absent(r->rows[0].rates[THREAD_CPU]);
	assert_int_equal(r->process.new_threads, 1);
	assert_int_equal(r->process.ended_threads, 1);
	/* The thread used all its time in the interval. */
	assert_close(r->process.application, 0.2);
	assert_close(r->process.sys, 0.05);
	thread_rates_free(p.rates);
}

static void threads_without_a_tid_are_joined_by_their_java_id(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	made_busy(&p.before, 0, "a", 0, 0, 0)->java_id = 25;
	made_busy(&p.before, 25, "its tid is 25", S, 0, 0)->java_id = 0;
	made_busy(&p.now, 25, "its tid is 25", S, 0, 0)->java_id = 0;
	made_busy(&p.now, 0, "a", 100 * MS, 0, 0)->java_id = 25;
	r = compared(&p);
	assert_close(r->rows[0].rates[THREAD_CPU], 0);
	assert_close(r->rows[1].rates[THREAD_CPU], 0.1);
	thread_rates_free(p.rates);
}

/* Ended threads count in the process's time, and so in other. */
static void ended_threads_are_in_the_process_only(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	p.before.sample.process.cpu_ns = 10 * S;
	p.now.sample.process.cpu_ns = 10 * S + 700 * MS;
	made_busy(&p.before, 7, "stays", 0, 0, 0);
	made_busy(&p.before, 8, "ends", 0, 0, 0);
	made_busy(&p.before, 9, "GC Thread#0", 0, 0, 0)->kind = THREAD_GC;
	made_busy(&p.now, 7, "stays", 400 * MS, 400 * MS, 0);
	made_busy(&p.now, 9, "GC Thread#0", 50 * MS, 0, 0)->kind = THREAD_GC;
	r = compared(&p);
	assert_close(r->process.cpu, 0.7);
	assert_close(r->process.application, 0.4);
	assert_close(r->process.user, 0.4);
	assert_close(r->process.sys, 0);
	assert_close(r->process.other, 0.3);
	assert_close(r->process.gc_cpu, 0.05);
	assert_close(r->process.jit_cpu, 0);
	assert_int_equal(r->process.java_threads, 1);
	assert_int_equal(r->process.ended_threads, 1);
	assert_int_equal(r->process.new_threads, 0);
	thread_rates_free(p.rates);
}

static void threads_between_two_samples_are_counted_by_the_jvm(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	p.before.sample.process.threads_started = 20;
	p.now.sample.process.threads_started = 120;
	made_busy(&p.before, 7, "stays", 0, 0, 0);
	made_busy(&p.before, 8, "ends", 0, 0, 0);
	made_busy(&p.now, 7, "stays", 0, 0, 0);
	made_busy(&p.now, 9, "starts", 0, 0, 0);
	r = compared(&p);
	assert_int_equal(r->process.new_threads, 100);
	assert_int_equal(r->process.ended_threads, 100);
	thread_rates_free(p.rates);
}

/* The process's time is in ticks, the time of its threads is exact. */
static void other_cpu_is_never_negative(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	p.before.sample.process.cpu_ns = 0;
	p.now.sample.process.cpu_ns = 30 * MS;
	made_busy(&p.before, 7, "a", 0, 0, 0);
	made_busy(&p.now, 7, "a", 34 * MS, 30 * MS, 0);
	r = compared(&p);
	assert_close(r->process.cpu, 0.034);
	assert_close(r->process.other, 0);
	thread_rates_free(p.rates);
}

static void application_share_without_names_is_absent(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	p.before.sample.process.cpu_ns = 0;
	p.now.sample.process.cpu_ns = 30 * MS;
	made_busy(&p.before, 7, "a", 0, 0, 0)->kind = THREAD_UNKNOWN;
	made_busy(&p.now, 7, "a", 30 * MS, 0, 0)->kind = THREAD_UNKNOWN;
	r = compared(&p);
	assert_close(r->process.cpu, 0.03);
	assert_absent(r->process.application);
	assert_absent(r->process.user);
	assert_absent(r->process.sys);
	assert_absent(r->process.other);
	assert_absent(r->process.gc_cpu);
	thread_rates_free(p.rates);
}

static void threads_not_named_yet_are_the_applications(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	p.before.sample.process.cpu_ns = 0;
	p.now.sample.process.cpu_ns = 100 * MS;
	made_busy(&p.before, 7, "main", 0, 0, 0);
	made_busy(&p.before, 8, "pool-1-thr", 0, 0, 0)->kind = THREAD_UNKNOWN;
	made_busy(&p.now, 7, "main", 10 * MS, 0, 0);
	made_busy(&p.now, 8, "pool-1-thr", 60 * MS, 30 * MS, 10 * MS)
		->kind = THREAD_UNKNOWN;
	r = compared(&p);
	assert_close(r->process.application, 0.07);
	assert_close(r->process.sys, 0.015);
	assert_close(r->process.other, 0.03);
	assert_int_equal(r->process.java_threads, 2);
	thread_rates_free(p.rates);
}

static void allocation_is_compared_with_the_last_known_value(void **state)
{
	static const int64_t alloc[] = { 1000, COUNTER_ABSENT, COUNTER_ABSENT,
					 4000 };
	struct thread_rates *rates = thread_rates_new();
	struct made_sample m;
	struct top_rates *r = NULL;

	(void)state;
	for (int i = 0; i < 4; i++) {
		made_begin(&m, 100 * S + i * S);
		made_thread(&m, 7, "a")->counters[THREAD_ALLOC] = alloc[i];
		m.threads[0].alloc_is_coarse = true;
		r = thread_rates_update(rates, &m.sample);
		if (i == 1 || i == 2) {
			assert_absent(r->rows[0].rates[THREAD_ALLOC]);
			assert_absent(r->process.alloc);
		}
	}
	assert_close(r->rows[0].rates[THREAD_ALLOC], 1000);
	assert_close(r->process.alloc, 1000);
	assert_true(r->process.alloc_is_coarse);
	thread_rates_free(rates);
}

static void mean_allocation_is_shown_between_dumps(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, 2 * S);
	made_thread(&p.before, 7, "a");
	made_thread(&p.now, 7, "a");
	p.now.threads[0].has_alloc_mean = true;
	p.now.threads[0].alloc_mean = 700;
	p.now.threads[0].alloc_is_coarse = true;
	r = compared(&p);
	assert_close(r->rows[0].rates[THREAD_ALLOC], 700);
	assert_close(r->process.alloc, 700);
	assert_true(r->process.alloc_is_coarse);
	thread_rates_free(p.rates);
}

static void exact_allocation_of_the_process_is_preferred(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, 2 * S);
	p.before.sample.process.alloc_bytes = 100;
	p.now.sample.process.alloc_bytes = 4100;
	made_thread(&p.before, 7, "a")->counters[THREAD_ALLOC] = 0;
	made_thread(&p.now, 7, "a")->counters[THREAD_ALLOC] = 1024;
	p.now.threads[0].alloc_is_coarse = true;
	r = compared(&p);
	assert_close(r->process.alloc, 2000);
	assert_false(r->process.alloc_is_coarse);
	thread_rates_free(p.rates);
}

/*
 * SJK: pause = (time at safepoints + time to safepoint) / number of safepoints.
 */
static void safepoints_are_counted_as_sjk_does(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, 10 * S);
	p.before.sample.process.safepoints = 100;
	p.before.sample.process.safepoint_ns = 50 * MS;
	p.before.sample.process.sync_ns = 2 * MS;
	p.now.sample.process.safepoints = 110;
	p.now.sample.process.safepoint_ns = 65 * MS;
	p.now.sample.process.sync_ns = 2 * MS + 300000;
	r = compared(&p);
	assert_close(r->process.safepoints, 1);
	assert_close(r->process.safepoint_pause_ms, 1.53);
	assert_close(r->process.safepoint, 0.0015);
	assert_close(r->process.sync, 0.00003);
	thread_rates_free(p.rates);
}

static void mean_pause_without_safepoints_is_absent(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	p.before.sample.process.safepoints = 100;
	p.before.sample.process.safepoint_ns = 50 * MS;
	p.before.sample.process.sync_ns = 2 * MS;
	p.now.sample.process = p.before.sample.process;
	r = compared(&p);
	assert_close(r->process.safepoints, 0);
	assert_absent(r->process.safepoint_pause_ms);
	thread_rates_free(p.rates);
}

static void add_gc(struct made_sample *m, const char *name, int64_t count,
		   int64_t time_ns)
{
	struct process_sample *p = &m->sample.process;
	struct gc_sample *gc = &p->gc[p->gc_count++];

	snprintf(gc->name, sizeof(gc->name), "%s", name);
	gc->count = count;
	gc->time_ns = time_ns;
}

static void collectors_are_matched_by_name(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	add_gc(&p.before, "young", 5, 10 * MS);
	add_gc(&p.before, "full", 1, 90 * MS);
	add_gc(&p.now, "full", 1, 90 * MS);
	add_gc(&p.now, "young", 8, 16 * MS);
	add_gc(&p.now, "of a later sample", 1, MS);
	r = compared(&p);
	assert_int_equal(r->process.gc_count, 3);
	assert_string_equal(r->process.gc[0].name, "full");
	assert_close(r->process.gc[0].share, 0);
	assert_int_equal(r->process.gc[0].count, 0);
	assert_close(r->process.gc[1].share, 0.006);
	assert_int_equal(r->process.gc[1].count, 3);
	assert_absent(r->process.gc[2].share);
	thread_rates_free(p.rates);
}

/* The longest pause according to samples of one collector. */
struct longest {
	struct thread_rates *rates;
	struct made_sample m;
	int64_t at;
};

static struct longest_pause see(struct longest *l, int64_t count, int64_t time,
				int64_t last)
{
	struct top_rates *r;

	l->at += S;
	made_begin(&l->m, l->at);
	add_gc(&l->m, "young", count, time);
	l->m.sample.process.gc[0].last_ns = last;
	snprintf(l->m.sample.process.gc_cause, 8, "%s",
		 count > 5 ? "late" : "early");
	l->m.sample.wall_ns = l->at;
	r = thread_rates_update(l->rates, &l->m.sample);
	return r ? r->process.gc_longest : (struct longest_pause){ .ns = -1 };
}

static void longest_pause_is_exact_if_each_is_seen(void **state)
{
	struct longest l = { .rates = thread_rates_new() };
	struct longest_pause seen;

	(void)state;
	see(&l, 3, 900 * MS, 300 * MS);
	seen = see(&l, 3, 900 * MS, 300 * MS);
	assert_true(seen.ns == COUNTER_ABSENT);
	seen = see(&l, 4, 910 * MS, 10 * MS);
	assert_int_equal(seen.ns, 10 * MS);
	assert_true(seen.most_ns <= seen.ns);
	assert_string_equal(seen.cause, "early");
	/* With two pauses, the first is known, too. */
	seen = see(&l, 6, 945 * MS, 5 * MS);
	assert_int_equal(seen.ns, 30 * MS);
	assert_true(seen.most_ns <= seen.ns);
	assert_string_equal(seen.cause, "late");
	assert_int_equal(seen.wall_ns, 4 * S);
	thread_rates_free(l.rates);
}

static void longest_pause_is_a_bound_if_some_are_unseen(void **state)
{
	struct longest l = { .rates = thread_rates_new() };
	struct longest_pause seen;

	(void)state;
	see(&l, 1, 0, 0);
	/* 5 ms was the last; the two others took 55 ms. */
	seen = see(&l, 4, 60 * MS, 5 * MS);
	assert_int_equal(seen.ns, 27500000);
	assert_int_equal(seen.most_ns, 55 * MS);
	/* A pause longer than the unseen ones is exact again. */
	seen = see(&l, 5, 120 * MS, 60 * MS);
	assert_int_equal(seen.ns, 60 * MS);
	assert_true(seen.most_ns <= seen.ns);
	thread_rates_free(l.rates);
}

static void sample_inside_a_pause_does_not_add_up_two_pauses(void **state)
{
	struct longest l = { .rates = thread_rates_new() };
	struct longest_pause seen;

	(void)state;
	see(&l, 1, 10 * MS, 10 * MS);
	/* A second pause has begun; the third ends before the next sample. */
	see(&l, 2, 10 * MS, COUNTER_ABSENT);
	seen = see(&l, 3, 50 * MS, 20 * MS);
	assert_int_equal(seen.ns, 20 * MS);
	assert_true(seen.most_ns <= seen.ns);
	thread_rates_free(l.rates);
}

static void safepoints_and_cycles_are_not_pauses(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	add_gc(&p.before, "ZGC", 5, 10 * MS);
	add_gc(&p.now, "ZGC", 6, 40 * MS);
	p.before.sample.process.gc[0].is_cycles = true;
	p.now.sample.process.gc[0].is_cycles = true;
	add_gc(&p.before, "all safepoints", 5, 10 * MS);
	add_gc(&p.now, "all safepoints", 6, 50 * MS);
	p.now.sample.process.gc[1].at_most = true;
	r = compared(&p);
	assert_true(r->process.gc_longest.ns == COUNTER_ABSENT);
	assert_true(r->process.gc_at_most);
	assert_close(r->process.gc_pauses, 0.07);
	thread_rates_free(p.rates);
}

/* A sample in which a probe measured pauses of a collector. */
static void made_measured(struct made_sample *m, int64_t count, int64_t time,
			  int64_t longest)
{
	m->sample.process.measured = (struct measured){
		.all = { count, time, longest },
		.gc = { count, time, longest },
		.sync_ns = count * MS,
		.collections = count,
		.collect_ns = time - count * MS,
	};
	snprintf(m->sample.process.measured.cause, 48, "%s",
		 longest ? "measured" : "");
}

static void made_safepoints(struct made_sample *m, int64_t count, int64_t at,
			    int64_t sync)
{
	m->sample.process.safepoints = count;
	m->sample.process.safepoint_ns = at;
	m->sample.process.sync_ns = sync;
}

/* Eight pauses: the counters have only their sum, the probe the longest. */
static void measured_pauses_are_exact(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	add_gc(&p.before, "young", 2, 10 * MS);
	add_gc(&p.now, "young", 10, 90 * MS);
	made_safepoints(&p.before, 2, 10 * MS, MS);
	made_safepoints(&p.now, 10, 90 * MS, 9 * MS);
	made_measured(&p.before, 0, 0, 0);
	made_measured(&p.now, 8, 88 * MS, 40 * MS);
	r = compared(&p);
	assert_int_equal(r->process.gc_longest.ns, 40 * MS);
	assert_true(r->process.gc_longest.most_ns <= 40 * MS);
	assert_string_equal(r->process.gc_longest.cause, "measured");
	assert_int_equal(r->process.longest.ns, 40 * MS);
	assert_true(r->process.longest.most_ns <= 40 * MS);
	assert_string_equal(r->process.longest.cause, "");
	/* The collector's own time stays the share. */
	assert_close(r->process.gc_pauses, 0.08);
	thread_rates_free(p.rates);
}

/* Stops before the probe was attached, or whose records were lost. */
static void missed_stops_leave_a_bound(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	add_gc(&p.before, "young", 2, 10 * MS);
	add_gc(&p.now, "young", 10, 190 * MS);
	made_safepoints(&p.before, 2, 10 * MS, MS);
	made_safepoints(&p.now, 10, 190 * MS, 9 * MS);
	made_measured(&p.now, 5, 85 * MS, 30 * MS);
	r = compared(&p);
	/* The other three took 100 ms, and 3 ms to safepoint. */
	assert_int_equal(r->process.gc_longest.ns, 100 * MS / 3);
	assert_int_equal(r->process.gc_longest.most_ns, 103 * MS);
	assert_int_equal(r->process.longest.ns, 100 * MS / 3);
	assert_int_equal(r->process.longest.most_ns, 103 * MS);
	/* A measured pause that is longer is exact again. */
	made_begin(&p.now, 102 * S);
	add_gc(&p.now, "young", 11, 390 * MS);
	made_safepoints(&p.now, 11, 390 * MS, 10 * MS);
	made_measured(&p.now, 6, 286 * MS, 201 * MS);
	r = thread_rates_update(p.rates, &p.now.sample);
	assert_int_equal(r->process.gc_longest.ns, 201 * MS);
	assert_true(r->process.gc_longest.most_ns <= 201 * MS);
	assert_true(r->process.longest.most_ns <= 201 * MS);
	thread_rates_free(p.rates);
}

/* The counters are read a little before the measured stops. */
static void stop_after_the_counters_were_read_is_not_missed(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, S);
	made_safepoints(&p.before, 2, 10 * MS, 2 * MS);
	made_safepoints(&p.now, 3, 20 * MS, 3 * MS);
	made_measured(&p.before, 0, 0, 0);
	made_measured(&p.now, 3, 33 * MS, 11 * MS);
	r = compared(&p);
	assert_int_equal(r->process.longest.ns, 11 * MS);
	made_begin(&p.now, 102 * S);
	made_safepoints(&p.now, 5, 40 * MS, 5 * MS);
	made_measured(&p.now, 3, 33 * MS, 11 * MS);
	r = thread_rates_update(p.rates, &p.now.sample);
	assert_int_equal(r->process.longest.ns, 11 * MS);
	assert_true(r->process.longest.most_ns <= 11 * MS);
	thread_rates_free(p.rates);
}

static void measured_pauses_replace_an_upper_bound(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	for (int missed = 0; missed < 3; missed++) {
		pair_init(&p, S);
		add_gc(&p.before, "Shenandoah pauses", 5, 10 * MS);
		add_gc(&p.now, "Shenandoah pauses", 15, 100 * MS);
		p.before.sample.process.gc[0].at_most = true;
		p.now.sample.process.gc[0].at_most = true;
		made_safepoints(&p.before, 5, 10 * MS, MS);
		made_safepoints(&p.now, 15, 100 * MS, MS);
		made_measured(&p.before, 0, 0, 0);
		made_measured(&p.now, 10 - missed, 80 * MS, 30 * MS);
		p.now.sample.process.measured.gc.count = 4;
		p.now.sample.process.measured.gc.time_ns = 50 * MS;
		r = compared(&p);
		/* A stop at the end of the interval may be in the next. */
		assert_int_equal(r->process.gc_at_most, missed > 1);
		assert_int_equal(r->process.gc[0].at_most, missed > 1);
		assert_int_equal(r->process.gc[0].count, missed > 1 ? 10 : 4);
		assert_close(r->process.gc_pauses, missed > 1 ? 0.09 : 0.05);
		assert_int_equal(r->process.gc_longest.ns, 30 * MS);
		thread_rates_free(p.rates);
	}
}

static void machine_load_includes_all_cpus(void **state)
{
	struct sample_pair p;
	struct top_rates *r;

	(void)state;
	pair_init(&p, 2 * S);
	p.before.sample.process.machine_busy_ns = 10 * S;
	p.before.sample.process.machine_idle_ns = 50 * S;
	p.before.sample.process.throttled_ns = 0;
	p.now.sample.process.machine_busy_ns = 13 * S;
	p.now.sample.process.machine_idle_ns = 51 * S;
	p.now.sample.process.throttled_ns = 500 * MS;
	p.before.sample.process.cfs_periods = 100;
	p.before.sample.process.throttled_periods = 1;
	p.now.sample.process.cfs_periods = 120;
	p.now.sample.process.throttled_periods = 5;
	r = compared(&p);
	assert_close(r->process.machine, 0.75);
	assert_close(r->process.throttled, 0.25);
	assert_close(r->process.throttled_periods, 0.2);
	thread_rates_free(p.rates);
}

static void clock_that_does_not_advance_yields_no_rates(void **state)
{
	struct thread_rates *rates = thread_rates_new();
	struct made_sample m;
	struct top_rates *r;

	(void)state;
	made_begin(&m, 100 * S);
	made_busy(&m, 7, "a", 0, 0, 0)->counters[THREAD_ALLOC] = 0;
	assert_null(thread_rates_update(rates, &m.sample));
	assert_null(thread_rates_update(rates, &m.sample));
	made_begin(&m, 10 * S);
	made_busy(&m, 7, "a", 1 * S, 1 * S, 0)->counters[THREAD_ALLOC] = 10;
	assert_null(thread_rates_update(rates, &m.sample));
	made_begin(&m, 12 * S);
	made_busy(&m, 7, "a", 2 * S, 2 * S, 0)->counters[THREAD_ALLOC] = 30;
	r = thread_rates_update(rates, &m.sample);
	assert_close(r->rows[0].rates[THREAD_CPU], 0.5);
	assert_close(r->rows[0].rates[THREAD_ALLOC], 10);
	/* Values from before the clock was set are dropped. */
	made_begin(&m, 5 * S);
	made_busy(&m, 7, "a", 2 * S, 2 * S, 0);
	assert_null(thread_rates_update(rates, &m.sample));
	made_begin(&m, 7 * S);
	made_busy(&m, 7, "a", 2 * S, 2 * S, 0)->counters[THREAD_ALLOC] = 40;
	r = thread_rates_update(rates, &m.sample);
	assert_absent(r->rows[0].rates[THREAD_ALLOC]);
	thread_rates_free(rates);
}

enum { MANY = 20000 };

/* Threads i*step .. i*step+MANY; those that remain used 1 ms each. */
static void churn(struct thread_sample *threads, int round, int step)
{
	for (int i = 0; i < MANY; i++) {
		struct thread_sample *t = &threads[i];
		int number = round * step + i;

		*t = (struct thread_sample){
			.tid = 1 + number % 32768,
			.start = (uint64_t)number / 32768,
			.name = "churn",
			.kind = THREAD_JAVA,
		};
		for (size_t c = 0; c < THREAD_COUNTERS; c++)
			t->counters[c] = COUNTER_ABSENT;
		t->counters[THREAD_CPU] = round * MS;
	}
}

static void twenty_thousand_threads_start_and_end(void **state)
{
	struct thread_sample *threads = calloc(MANY, sizeof(*threads));
	struct thread_rates *rates = thread_rates_new();
	struct made_sample m;
	struct top_rates *r;

	(void)state;
	for (int round = 0; round < 10; round++) {
		size_t stayed = 0;

		churn(threads, round, 5000);
		made_begin(&m, 100 * S + round * S);
		m.sample.threads = threads;
		m.sample.thread_count = MANY;
		r = thread_rates_update(rates, &m.sample);
		if (!r)
			continue;
		assert_int_equal(r->row_count, MANY);
		assert_int_equal(r->process.new_threads, 5000);
		assert_int_equal(r->process.ended_threads, 5000);
		for (size_t i = 0; i < MANY; i++) {
			if (r->rows[i].is_new)
				continue;
			stayed++;
			assert_close(r->rows[i].rates[THREAD_CPU], 0.001);
		}
		assert_int_equal(stayed, 15000);
	}
	thread_rates_free(rates);
	free(threads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_is_a_share_of_one_core),
		cmocka_unit_test(exact_cpu_is_shared_out_as_the_ticks_were),
		cmocka_unit_test(cpu_without_a_tick_is_shared_out_as_before),
		cmocka_unit_test(
			short_intervals_share_by_the_ticks_of_a_second),
		cmocka_unit_test(sys_is_never_negative),
		cmocka_unit_test(cpu_without_exact_time_is_the_sum_of_ticks),
		cmocka_unit_test(absent_counters_give_absent_rates),
		cmocka_unit_test(thread_uses_at_most_one_core),
		cmocka_unit_test(counters_that_shrink_count_as_nothing),
		cmocka_unit_test(reused_tid_is_a_new_thread),
		cmocka_unit_test(
			threads_without_a_tid_are_joined_by_their_java_id),
		cmocka_unit_test(ended_threads_are_in_the_process_only),
		cmocka_unit_test(
			threads_between_two_samples_are_counted_by_the_jvm),
		cmocka_unit_test(other_cpu_is_never_negative),
		cmocka_unit_test(application_share_without_names_is_absent),
		cmocka_unit_test(threads_not_named_yet_are_the_applications),
		cmocka_unit_test(
			allocation_is_compared_with_the_last_known_value),
		cmocka_unit_test(mean_allocation_is_shown_between_dumps),
		cmocka_unit_test(exact_allocation_of_the_process_is_preferred),
		cmocka_unit_test(safepoints_are_counted_as_sjk_does),
		cmocka_unit_test(mean_pause_without_safepoints_is_absent),
		cmocka_unit_test(collectors_are_matched_by_name),
		cmocka_unit_test(longest_pause_is_exact_if_each_is_seen),
		cmocka_unit_test(longest_pause_is_a_bound_if_some_are_unseen),
		cmocka_unit_test(measured_pauses_are_exact),
		cmocka_unit_test(missed_stops_leave_a_bound),
		cmocka_unit_test(
			stop_after_the_counters_were_read_is_not_missed),
		cmocka_unit_test(measured_pauses_replace_an_upper_bound),
		cmocka_unit_test(
			sample_inside_a_pause_does_not_add_up_two_pauses),
		cmocka_unit_test(safepoints_and_cycles_are_not_pauses),
		cmocka_unit_test(machine_load_includes_all_cpus),
		cmocka_unit_test(clock_that_does_not_advance_yields_no_rates),
		cmocka_unit_test(twenty_thousand_threads_start_and_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
