/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a healthy JVM for tests of the diagnosis, and their changes. */
#ifndef TESTS_UNIT_CORE_DIAGNOSIS_FACTS_H
#define TESTS_UNIT_CORE_DIAGNOSIS_FACTS_H

#include "core/diagnosis/diagnosis.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The facts of a healthy JVM; tests change them. */
static struct {
	struct top_sample sample;
	struct top_rates rates;
	struct thread_row rows[1];
	struct thread_sample thread;
	struct process_sample before;
	struct dump_waits waits;
	struct dump_wait groups[2];
	struct diagnosis_pauses pauses;
	struct trends trends;
	struct jvm_replies replies;
	struct mem_account account;
	struct mem_growth growth;
	struct diagnosis_facts facts;
} m;

static struct diagnosis d;

/* The values of a trend at 0, 5 and 10 s. */
static inline void set_trend(enum trend which, int64_t first, int64_t second,
			     int64_t third, int64_t limit)
{
	const int64_t values[] = { first, second, third };

	for (size_t i = 0; i < 3; i++)
		m.trends.samples[i].values[which] = values[i];
	m.trends.limits[which] = limit;
}

static inline void set_files(int64_t first, int64_t second, int64_t third,
			     int64_t limit)
{
	set_trend(TREND_DESCRIPTORS, first, second, third, limit);
	m.trends.last = (struct open_files){ .files = (size_t)third,
					     .limit = limit };
}

static inline int healthy(void **state)
{
	struct process_sample *p = &m.sample.process;

	(void)state;
	memset(&m, 0, sizeof(m));
	process_sample_clear(p);
	p->cpus = 2;
	m.before = *p;
	m.rates.sample = &m.sample;
	m.rates.rows = m.rows;
	m.rates.row_count = 1;
	m.rows[0].thread = &m.thread;
	m.thread.state = RUN_SLEEPING;
	for (size_t i = 0; i < THREAD_COUNTERS; i++)
		m.rows[0].rates[i] = NAN;
	m.rates.process.cpu = 0.1;
	m.rates.process.runq = 0.01;
	m.rates.process.machine = 0.1;
	m.rates.process.throttled_periods = NAN;
	m.rows[0].rates[THREAD_VOLUNTARY] = 100;
	m.waits.all = m.groups;
	m.waits.dumps = 4;
	m.pauses.seconds = 10;
	m.pauses.has_sync = true;
	for (enum trend i = 0; i < TRENDS; i++)
		set_trend(i, TREND_UNKNOWN, TREND_UNKNOWN, TREND_UNKNOWN,
			  TREND_UNKNOWN);
	m.trends.count = 3;
	m.trends.samples[1].at_s = 5;
	m.trends.samples[2].at_s = 10;
	m.trends.uptime_s = 600;
	m.trends.old_is_concurrent = true;
	set_files(10, 10, 10, 1024);
	set_trend(TREND_THREADS, 30, 30, 30, -1);
	set_trend(TREND_CLASSES, 3000, 3000, 3000, -1);
	set_trend(TREND_OLD, 1 << 20, 1 << 20, 1 << 20, 100 << 20);
	set_trend(TREND_ANONYMOUS, 1 << 28, 1 << 28, 1 << 28, -1);
	m.thread.name = "C2 CompilerThre";
	m.rows[0].rates[THREAD_CPU] = 0;
	jvm_replies_init(&m.replies);
	m.account.direct = (struct mem_direct){ .is_known = true,
						.count = 10,
						.reserved = 1 << 20,
						.max = 100 << 20 };
	m.facts = (struct diagnosis_facts){
		.target = "4711",
		.seconds = 10,
		.rates = &m.rates,
		.before = &m.before,
		.dumps = &m.waits,
		.pauses = &m.pauses,
		.trends = &m.trends,
		.replies = &m.replies,
		.account = &m.account,
		.cpus = 2,
		.missing = { [4] = "no right", [3] = "not root" },
	};
	return 0;
}

static inline int release(void **state)
{
	(void)state;
	diagnosis_release(&d);
	text_release(&m.waits.deadlock);
	jvm_replies_release(&m.replies);
	return 0;
}

/* Judges the facts; the only cause has this rule, or there is none: NULL. */
static inline const struct cause *expect(const char *rule)
{
	diagnosis_release(&d);
	diagnosis_make(&d, &m.facts);
	if (!rule) {
		assert_int_equal(d.count, 0);
		return NULL;
	}
	assert_int_equal(d.count, 1);
	assert_string_equal(d.causes[0].rule->name, rule);
	return &d.causes[0];
}

/* The group has these threads, of a pool of this size, in each dump. */
static inline void set_group(struct dump_wait *g, size_t threads, size_t pool)
{
	g->dumps = m.waits.dumps;
	g->pool_sum = pool * g->dumps;
	for (size_t i = 0; i < g->dumps; i++)
		g->threads[i] = threads;
}

static inline struct dump_wait *add_group(enum dump_wait_kind kind,
					  size_t threads, size_t pool)
{
	struct dump_wait *g = &m.groups[m.waits.count++];

	*g = (struct dump_wait){
		.kind = kind,
		.pool = "http-worker-*",
		.place = "Orders.load:7",
		.lock = "Cache",
		.owner = "",
		.owner_place = "",
		.owner_kind = DUMP_WAIT_KINDS,
		.peer = "",
	};
	set_group(g, threads, pool);
	return g;
}

static inline bool rule_is_unchecked(const char *name)
{
	for (size_t i = 0; i < d.unchecked_count; i++)
		if (strcmp(d.unchecked[i]->name, name) == 0)
			return true;
	return false;
}

static inline struct gc_pause add_pause(enum gc_kind kind, int64_t stopped_ns,
					int64_t sync_ns, const char *cause)
{
	struct gc_pause p;

	gc_pause_init(&p);
	p.kind = kind;
	p.stopped_ns = stopped_ns;
	p.sync_ns = sync_ns;
	p.cause = cause;
	p.collections = kind != GC_OTHER;
	diagnosis_add_pause(&m.pauses, &p, GC_HAS_SYNC);
	return p;
}

static inline void clear_pauses(void)
{
	m.pauses = (struct diagnosis_pauses){ .seconds = 10 };
}

#endif
