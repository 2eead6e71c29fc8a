/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that judge made facts. */
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
static void set_trend(enum trend which, int64_t first, int64_t second,
		      int64_t third, int64_t limit)
{
	const int64_t values[] = { first, second, third };

	for (size_t i = 0; i < 3; i++)
		m.trends.samples[i].values[which] = values[i];
	m.trends.limits[which] = limit;
}

static void set_files(int64_t first, int64_t second, int64_t third,
		      int64_t limit)
{
	set_trend(TREND_DESCRIPTORS, first, second, third, limit);
	m.trends.last = (struct open_files){ .files = (size_t)third,
					     .limit = limit };
}

static int healthy(void **state)
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

static int release(void **state)
{
	(void)state;
	diagnosis_release(&d);
	text_release(&m.waits.deadlock);
	jvm_replies_release(&m.replies);
	return 0;
}

/* Judges the facts; the only cause has this rule, or there is none: NULL. */
static const struct cause *expect(const char *rule)
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
static void set_group(struct dump_wait *g, size_t threads, size_t pool)
{
	g->dumps = m.waits.dumps;
	g->pool_sum = pool * g->dumps;
	for (size_t i = 0; i < g->dumps; i++)
		g->threads[i] = threads;
}

static struct dump_wait *add_group(enum dump_wait_kind kind, size_t threads,
				   size_t pool)
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

static bool rule_is_unchecked(const char *name)
{
	for (size_t i = 0; i < d.unchecked_count; i++)
		if (strcmp(d.unchecked[i]->name, name) == 0)
			return true;
	return false;
}

static void healthy_jvm_has_no_cause(void **state)
{
	(void)state;
	expect(NULL);
	/* The rules that need a profile. */
	assert_true(rule_is_unchecked("exceptions"));
	assert_true(rule_is_unchecked("place"));
	assert_int_equal(d.unchecked_count, 2);
	assert_string_equal(d.reasons[0], "not root");
	assert_true(d.fine_count > 5);
}

static void deadlock_needs_two_dumps(void **state)
{
	const struct cause *c;

	(void)state;
	text_puts(&m.waits.deadlock, "A waits for B");
	m.waits.deadlocked = 2;
	m.waits.behind = 3;
	m.waits.deadlock_dumps = 1;
	expect(NULL);
	m.waits.deadlock_dumps = 2;
	c = expect("deadlock");
	assert_string_equal(c->sentence.bytes,
			    "deadlock of 2 threads; 3 more threads wait behind "
			    "them");
	assert_int_equal(c->threads, 5);
}

static void jvm_that_a_signal_stopped_is_broken(void **state)
{
	(void)state;
	m.thread.state = RUN_STOPPED;
	assert_int_equal(expect("stopped")->rank, CAUSE_BROKEN);
}

static void convoy_is_in_most_dumps(void **state)
{
	struct dump_wait *g = add_group(DUMP_WAIT_MONITOR, 9, 20);

	(void)state;
	g->dumps = 2;
	expect(NULL);
	g->dumps = 3;
	expect("convoy");
	g->dumps = 4;
	assert_string_equal(expect("convoy")->sentence.bytes,
			    "9 of 20 threads of http-worker-* wait for the "
			    "monitor Cache");
	/* Few threads are a convoy only if they are much of their pool. */
	set_group(g, 3, 20);
	expect(NULL);
	set_group(g, 3, 12);
	expect("convoy");
	g->dumps = 3;
	expect(NULL);
}

static void owner_that_waits_for_a_file_is_the_first_cause(void **state)
{
	struct dump_wait *g = add_group(DUMP_WAIT_MONITOR, 9, 20);

	(void)state;
	g->owner = "writer";
	g->dumps = 2;
	expect(NULL);
	g->dumps = 4;
	diagnosis_release(&d);
	g->owner_place = "Journal.append:3";
	g->owner_kind = DUMP_WAIT_DISK;
	diagnosis_make(&d, &m.facts);
	assert_int_equal(d.count, 2);
	assert_string_equal(d.causes[0].rule->name, "disk");
	assert_string_equal(d.causes[0].place.bytes, "Journal.append:3");
}

static void pool_is_reported_if_all_its_threads_wait(void **state)
{
	struct dump_wait *g = add_group(DUMP_WAIT_SOCKET, 20, 20);
	const struct cause *c = expect("pool");

	(void)state;
	assert_string_equal(
		c->sentence.bytes,
		"all 20 threads of http-worker-* wait for a socket");
	assert_string_equal(c->place.bytes, "Orders.load:7");
	g->peer = "read from 10.1.2.3:5432";
	assert_string_equal(expect("pool")->sentence.bytes,
			    "all 20 threads of http-worker-* wait to read from "
			    "10.1.2.3:5432");
	/* Clients may be silent. */
	g->is_inbound = true;
	expect(NULL);
	g->is_inbound = false;
	set_group(g, 17, 20);
	expect(NULL);
	/* Outside the application, it is a pool that waits for work. */
	set_group(g, 20, 20);
	g->place = "";
	expect(NULL);
	g->place = "Orders.load:7";
	set_group(g, 3, 3);
	expect(NULL);
	/* Name resolution is slow for few threads, too. */
	g->kind = DUMP_WAIT_NAMES;
	expect("pool");
	/* A consumer's loop, and tasks that sleep. */
	set_group(g, 20, 20);
	g->kind = DUMP_WAIT_OTHER;
	expect(NULL);
	g->kind = DUMP_WAIT_SLEEP;
	expect(NULL);
}

static void limit_is_judged_by_periods(void **state)
{
	struct process_sample *p = &m.sample.process;

	(void)state;
	p->cpu_limit = 150;
	p->cfs_periods = 52;
	p->throttled_periods = 10;
	m.before.cfs_periods = m.before.throttled_periods = 0;
	m.rates.process.throttled_periods = 10 / 52.0;
	expect("throttled");
	/* A few periods at the start tell nothing. */
	p->throttled_periods = 4;
	expect(NULL);
}

static void run_queue_needs_other_processes(void **state)
{
	(void)state;
	m.rates.process.runq = 0.6;
	m.rates.process.machine = 1;
	expect("no_cpu");
	/* The JVM itself uses the CPUs. */
	m.rates.process.cpu = 1.9;
	expect(NULL);
	m.rates.process.cpu = 0.1;
	/* Many switches: each waits for a short time. */
	m.rows[0].rates[THREAD_VOLUNTARY] = 10000;
	expect(NULL);
}

static struct gc_pause add_pause(enum gc_kind kind, int64_t stopped_ns,
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

static void clear_pauses(void)
{
	m.pauses = (struct diagnosis_pauses){ .seconds = 10 };
}

static void collections_are_judged_by_share_length_and_kind(void **state)
{
	struct gc_pause two;

	(void)state;
	for (int i = 0; i < 9; i++)
		add_pause(GC_YOUNG, 100000000, 0, "Allocation Failure");
	expect(NULL);
	add_pause(GC_YOUNG, 200000000, 0, "Allocation Failure");
	expect("collections");
	clear_pauses();
	add_pause(GC_FULL, 10000000, 0, "System.gc()");
	add_pause(GC_FULL, 10000000, 0, "Heap Inspection Initiated GC");
	expect(NULL);
	two = add_pause(GC_FULL, 10000000, 0, "Ergonomics");
	expect(NULL);
	add_pause(GC_FULL, 10000000, 0, "Ergonomics");
	expect("collections");
	/* A full collection and another stop in one record. */
	clear_pauses();
	two.count = 2;
	diagnosis_add_pause(&m.pauses, &two, GC_HAS_SYNC);
	expect(NULL);
}

static void large_arrays_are_counted_by_their_collections(void **state)
{
	(void)state;
	for (int i = 0; i < 9; i++)
		add_pause(GC_YOUNG, 1000000, 0, "G1 Humongous Allocation");
	expect(NULL);
	add_pause(GC_YOUNG, 1000000, 0, "G1 Humongous Allocation");
	assert_int_equal(expect("humongous")->rank, CAUSE_TREND);
	add_pause(GC_YOUNG, 100000000, 0, "G1 Humongous Allocation");
	assert_int_equal(expect("humongous")->rank, CAUSE_STOPPED);
}

static void slow_stop_is_not_blamed_on_the_collector(void **state)
{
	(void)state;
	add_pause(GC_YOUNG, 2000000000, 1990000000, "Allocation Failure");
	expect("safepoints");
}

static void slow_stop_names_the_last_thread(void **state)
{
	(void)state;
	add_pause(GC_OTHER, 301000000, 300000000, NULL);
	m.pauses.last_thread = "audit\x1b[31m";
	m.pauses.last_times = 1;
	m.pauses.last_of = 1;
	assert_non_null(strstr(expect("safepoints")->detail.bytes,
			       "last to stop: audit"));
	assert_null(strchr(d.causes[0].detail.bytes, '\x1b'));
}

static void too_few_facts_are_not_fine(void **state)
{
	(void)state;
	clear_pauses(); /* of a source without the time to safepoint */
	m.rates.process.runq = NAN;
	m.sample.process.cpu_limit = CPU_LIMIT_UNKNOWN;
	expect(NULL);
	assert_true(rule_is_unchecked("no_cpu"));
	assert_true(rule_is_unchecked("throttled"));
	assert_true(rule_is_unchecked("safepoints"));
}

static void descriptors_are_judged_by_limit_and_growth(void **state)
{
	(void)state;
	set_files(850, 850, 850, 1024);
	assert_int_equal(expect("descriptors")->rank, CAUSE_BROKEN);
	set_files(300, 300, 300, 1024);
	expect(NULL);
	set_files(300, 350, 400, 1024); /* 10 a second: full in a minute */
	assert_int_equal(expect("descriptors")->rank, CAUSE_TREND);
	set_files(300, 400, 390, 1024); /* it falls, too */
	expect(NULL);
	set_files(300, 301, 302, 1024); /* a few */
	expect(NULL);
	set_files(300, 350, 400, 1000000); /* full in a day */
	expect(NULL);
	set_files(300, 350, 400, -1);
	expect(NULL);
}

static void trends_begin_after_half_a_minute(void **state)
{
	(void)state;
	set_trend(TREND_THREADS, 30, 40, 50, -1);
	assert_string_equal(expect("threads")->sentence.bytes,
			    "the JVM has 50 threads, 2.0 more each second");
	m.trends.uptime_s = 29;
	expect(NULL);
	assert_true(rule_is_unchecked("threads"));
}

static void classes_that_are_never_unloaded_name_their_loaders(void **state)
{
	static const char reply
		[] = "ClassLoader Parent CLD* Classes ChunkSz BlockSz Type\n"
		     "0x01 0x00 0x02 1 2048 1024 app.ScriptLoader\n"
		     "0x02 0x00 0x03 1 2048 1024 app.ScriptLoader\n"
		     "0x03 0x00 0x03 1 2048 1024 jdk.internal.Loader\n"
		     "           1 2048 1024  + hidden classes\n";

	(void)state;
	jvm_replies_add_loaders(&m.replies, reply, strlen(reply));
	set_trend(TREND_CLASSES, 3000, 3600, 4200, -1);
	assert_string_equal(expect("classes")->detail.bytes,
			    "most class loaders of one class: "
			    "app.ScriptLoader (2 loaders)");
	/* Some were unloaded. */
	set_trend(TREND_CLASSES, 3000, 3600, 3599, -1);
	expect(NULL);
}

static void old_generation_grows_towards_its_limit(void **state)
{
	(void)state;
	set_trend(TREND_OLD, 60 << 20, 65 << 20, 70 << 20, 100 << 20);
	assert_string_equal(expect("old")->sentence.bytes,
			    "the old generation grows by 1 MB each second; the "
			    "heap is full in 30 s");
	/* A collection begins at 45 %. */
	set_trend(TREND_OLD, 30 << 20, 35 << 20, 40 << 20, 100 << 20);
	expect(NULL);
	set_trend(TREND_OLD, 60 << 20, 65 << 20, 70 << 20, 100 << 20);
	m.trends.old_is_concurrent = false;
	expect(NULL);
	assert_true(rule_is_unchecked("old"));
}

static void native_memory_is_what_the_heap_does_not_have(void **state)
{
	(void)state;
	/* All memory grows: is it the heap? */
	set_trend(TREND_ANONYMOUS, 1 << 28, 3 << 27, 1 << 29, -1);
	expect(NULL);
	assert_true(rule_is_unchecked("native"));
	set_trend(TREND_NATIVE, 1 << 26, 1 << 26, 1 << 26, -1);
	expect(NULL);
	assert_false(rule_is_unchecked("native"));
	set_trend(TREND_NATIVE, 1 << 26, 3 << 25, 1 << 27, -1);
	text_puts(&m.replies.native, "java.util.zip.Deflater +90 (1,700)");
	assert_non_null(strstr(expect("native")->detail.bytes,
			       "java.util.zip.Deflater +90"));
}

static void native_growth_names_the_blocks(void **state)
{
	(void)state;
	set_trend(TREND_ANONYMOUS, 1 << 28, 3 << 27, 1 << 29, -1);
	set_trend(TREND_NATIVE, 1 << 26, 3 << 25, 1 << 27, -1);
	m.growth.has_blocks = true;
	m.growth.in_use = 20 << 20;
	m.growth.kinds[0].name = "java.util.zip.Inflater";
	m.growth.kinds[0].count = 600;
	m.growth.kinds[0].is_guess = true;
	m.growth.kind_count = 1;
	m.facts.growth = &m.growth;
	assert_string_equal(expect("native")->detail.bytes,
			    "128 MB now; malloc has 20 MB more: +600 "
			    "java.util.zip.Inflater (by the sizes of blocks)");
	m.growth.in_use = -1;
	assert_string_equal(expect("native")->detail.bytes, "128 MB now");
}

static void direct_buffers_reach_their_limit(void **state)
{
	(void)state;
	m.account.direct.reserved = 94 << 20;
	expect(NULL);
	m.account.direct.reserved = 95 << 20;
	assert_string_equal(expect("direct")->sentence.bytes,
			    "direct buffers have 95 MB of at most 100 MB");
	m.account.direct.is_known = false;
	expect(NULL);
	assert_true(rule_is_unchecked("direct"));
	m.facts.account = NULL;
	expect(NULL);
	assert_true(rule_is_unchecked("direct"));
}

static void memory_limit_and_killed_processes_are_reported(void **state)
{
	(void)state;
	set_trend(TREND_MEMORY, 90, 94, 94, 100);
	expect(NULL);
	set_trend(TREND_MEMORY, 90, 94, 95, 100);
	assert_int_equal(expect("memory")->rank, CAUSE_STARVED);
	set_trend(TREND_MEMORY, 50, 50, 50, 100);
	set_trend(TREND_OOM_KILLS, 2, 2, 2, -1);
	assert_int_equal(expect("memory")->rank, CAUSE_TREND);
	set_trend(TREND_OOM_KILLS, 2, 2, 3, -1);
	assert_int_equal(expect("memory")->rank, CAUSE_STARVED);
}

static void swap_space_matters_if_pages_come_back(void **state)
{
	(void)state;
	set_trend(TREND_SWAPPED, 1 << 20, 1 << 20, 1 << 20, -1);
	expect(NULL);
	set_trend(TREND_MAJOR_FAULTS, 100, 150, 200, -1);
	expect("swap");
	set_trend(TREND_SWAPPED, 0, 0, 0, -1);
	expect(NULL);
	set_trend(TREND_PRESSURE_US, 0, 500000, 1000000, -1);
	expect("swap");
}

static void full_heap_needs_a_full_collection(void **state)
{
	struct gc_pause p = add_pause(GC_FULL, 10000000, 0, "System.gc()");

	(void)state;
	m.sample.process.heap_max = 100;
	expect(NULL);
	p.after = 84;
	diagnosis_add_pause(&m.pauses, &p, GC_HAS_SYNC);
	expect(NULL);
	p.after = 85;
	diagnosis_add_pause(&m.pauses, &p, GC_HAS_SYNC);
	assert_string_equal(expect("full_heap")->sentence.bytes,
			    "85% of the heap is in use after a full "
			    "collection");
}

static void code_cache_is_judged_by_the_reply(void **state)
{
	static const char reply[] =
		"CodeHeap 'non-profiled nmethods': size=2000Kb used=1800Kb "
		"max_used=1800Kb free=200Kb\n"
		"CodeHeap 'profiled nmethods': size=2000Kb used=1700Kb "
		"max_used=1700Kb free=300Kb\n"
		" total_blobs=900\n compilation: enabled\n";

	(void)state;
	jvm_replies_add_code_cache(&m.replies, reply, strlen(reply));
	assert_string_equal(expect("code_cache")->sentence.bytes,
			    "the code cache is 88% full");
	m.replies.code_used /= 2;
	expect(NULL);
	/* It was nearly full, and the compilers are busy. */
	m.trends.uptime_s = 60;
	m.rows[0].rates[THREAD_CPU] = 0.5;
	assert_string_equal(expect("code_cache")->sentence.bytes,
			    "the code cache is 44% full: the JVM discards "
			    "code, and compiles it again");
	m.rows[0].rates[THREAD_CPU] = 0.01;
	expect(NULL);
	for (int i = 0; i < 10; i++)
		add_pause(GC_YOUNG, 1000000, 0, "CodeCache GC Threshold");
	expect("code_cache");
	clear_pauses();
	m.pauses.has_sync = true;
	m.replies.code_is_off = true;
	expect("code_cache");
}

static void compilers_may_be_busy_in_the_first_minutes(void **state)
{
	(void)state;
	m.rates.process.cpu = 1;
	m.rows[0].rates[THREAD_CPU] = 0.5;
	expect("compilers");
	m.trends.uptime_s = 299;
	expect(NULL);
	m.trends.uptime_s = 600;
	m.rows[0].rates[THREAD_CPU] = 0.2;
	expect(NULL);
}

static void finalizer_is_busy_and_has_a_queue(void **state)
{
	static const char reply
		[] = "Unreachable instances waiting for finalization\n"
		     "#instances  class name\n-----------------------\n"
		     "      11257  app.LegacyHandle\n          3  app.Other\n";

	(void)state;
	jvm_replies_add_finalizable(&m.replies, reply, strlen(reply));
	expect(NULL);
	m.waits.finalizer = (struct dump_work){ "LegacyHandle.finalize:4", 1,
						4 };
	assert_string_equal(expect("finalizer")->sentence.bytes,
			    "11260 objects wait for the thread Finalizer, "
			    "which is busy");
	assert_string_equal(d.causes[0].detail.bytes,
			    "most of them: app.LegacyHandle (11257); Finalizer "
			    "is in LegacyHandle.finalize:4");
	m.replies.finalizable_count = 999;
	expect(NULL);
}

static void carriers_are_judged_by_the_queue(void **state)
{
	static const char reply[] =
		"java.util.concurrent.ForkJoinPool@1b2c[Running, parallelism = "
		"2, size = 2, active = 2, running = 2, steals = 41, tasks = 0, "
		"submissions = 1042]\n";

	(void)state;
	m.waits.virtual_threads = (struct dump_work){ "Images.scale:9", 2, 4 };
	expect(NULL);
	assert_true(rule_is_unchecked("carriers"));
	jvm_replies_add_scheduler(&m.replies, reply, strlen(reply));
	assert_string_equal(expect("carriers")->sentence.bytes,
			    "1042 virtual threads wait for one of the 2 "
			    "carriers");
	m.replies.queued = 19;
	expect(NULL);
}

static void cause_that_another_explains_comes_last(void **state)
{
	(void)state;
	add_pause(GC_YOUNG, 2000000000, 0, "Allocation Failure");
	assert_int_equal(expect("collections")->explained_by, 0);
	m.rates.process.runq = 0.6;
	m.rates.process.machine = 1;
	m.facts.neighbor = (struct busy_process){ 815, "burn", 1.5 };
	diagnosis_release(&d);
	diagnosis_make(&d, &m.facts);
	assert_int_equal(d.count, 2);
	assert_string_equal(d.causes[0].rule->name, "no_cpu");
	assert_non_null(strstr(d.causes[0].detail.bytes, "burn (815) 1.50"));
	assert_string_equal(d.causes[1].rule->name, "collections");
	assert_int_equal(d.causes[1].explained_by, 1);
}

/* A diagnosis with two causes, of which one explains the other. */
static void document_has_all_of_a_diagnosis(void **state)
{
	struct diagnosis read;
	struct text first = { 0 }, second = { 0 };
	struct error err;

	cause_that_another_explains_comes_last(state);
	text_puts(&d.lost, "pauses: 3");
	diagnosis_add_json(&first, &d, NULL);
	assert_int_equal(
		diagnosis_read_json(&read, first.bytes, first.len, &err), 0);
	diagnosis_add_json(&second, &read, NULL);
	assert_string_equal(second.bytes, first.bytes);
	diagnosis_release(&read);

	/* Every prefix is refused, and nothing is leaked. */
	for (size_t len = 0; len + 1 < first.len; len++) {
		assert_int_equal(
			diagnosis_read_json(&read, first.bytes, len, &err), -1);
		diagnosis_release(&read);
	}
	text_release(&first);
	text_release(&second);
}

static void exceptions_need_a_hundred_samples(void **state)
{
	struct profile *p = profile_new();
	uint32_t event = profile_event(p, "cpu", UNIT_NS);
	uint32_t ids[2], stack;
	static const char *const frames[][2] = {
		{ "java.lang.Throwable", "fillInStackTrace" },
		{ "app.Orders", "parse" },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct frame f = {
			.class_name = profile_string(p, frames[i][0],
						     strlen(frames[i][0])),
			.method = profile_string(p, frames[i][1],
						 strlen(frames[i][1])),
			.kind = FRAME_JIT,
		};

		ids[i] = profile_frame(p, &f);
	}
	stack = profile_stack(p, ids, 2);
	m.facts.profile = p;
	for (uint64_t count = 99; count <= 100; count++) {
		profile_add(p, &(struct sample){ .event = event,
						 .stack = stack,
						 .count = count == 99 ? 99 : 1,
						 .weight = 1 });
		expect(count == 99 ? NULL : "exceptions");
	}
	profile_free(p);
}

/* ---- texts ---- */

/* Appends all texts and numbers of the causes, and what was not checked. */
static void add_texts(struct text *out, const char *title)
{
	diagnosis_release(&d);
	diagnosis_make(&d, &m.facts);
	text_printf(out, "== %s\n", title);
	for (size_t i = 0; i < d.count; i++) {
		const struct cause *c = &d.causes[i];

		text_printf(out, "%s %s %.4g s, %zu threads, because of %zu\n",
			    c->rule->name, cause_rank_names[c->rank], c->lost_s,
			    c->threads, c->explained_by);
		text_printf(out, "%s\n%s\n", c->sentence.bytes,
			    c->detail.len ? c->detail.bytes : "-");
		text_printf(out, "%s\n%s\n",
			    c->place.len ? c->place.bytes : "-",
			    c->next.len ? c->next.bytes : "-");
		for (size_t k = 0; k < c->evidence_count; k++)
			text_printf(out, "  %s = %.6g, %s, %s\n",
				    c->evidence[k].name, c->evidence[k].value,
				    c->evidence[k].unit, c->evidence[k].source);
	}
	for (size_t i = 0; i < d.unchecked_count; i++)
		if (strcmp(d.reasons[i], "not root") != 0)
			text_printf(out, "%s is not checked: %s\n",
				    d.unchecked[i]->name, d.reasons[i]);
}

/* The same, of facts that are healthy again afterwards. */
static void end_texts(struct text *out, const char *title)
{
	add_texts(out, title);
	release(NULL);
	healthy(NULL);
}

static void add_texts_of_stops(struct text *out)
{
	struct gc_pause p;

	m.thread.state = RUN_STOPPED;
	add_texts(out, "stopped");
	m.rates.row_count = 0;
	end_texts(out, "no threads");

	add_pause(GC_YOUNG, 2000000000, 0, "Allocation Failure");
	add_texts(out, "one long collection");
	p = add_pause(GC_FULL, 10000000, 0, "Ergonomics");
	m.sample.process.heap_max = 100 << 20;
	p.after = 90 << 20;
	add_texts(out, "a full collection");
	diagnosis_add_pause(&m.pauses, &p, GC_HAS_SYNC);
	end_texts(out, "full collections");

	m.sample.process.heap_max = 100 << 20;
	p.cause = "System.gc()";
	diagnosis_add_pause(&m.pauses, &p, GC_HAS_SYNC);
	end_texts(out, "full heap");

	for (int i = 0; i < 10; i++)
		add_pause(GC_YOUNG, 1000000, 0, "G1 Humongous Allocation");
	add_texts(out, "cheap large arrays");
	add_pause(GC_YOUNG, 100000000, 0, "G1 Humongous Allocation");
	end_texts(out, "large arrays");

	add_pause(GC_OTHER, 301000000, 300000000, NULL);
	add_texts(out, "slow stop");
	m.pauses.last_thread = "audit";
	m.pauses.last_times = 1;
	m.pauses.last_of = 2;
	end_texts(out, "slow stop with a last thread");
	m.pauses.has_sync = false;
	end_texts(out, "stops without the time to safepoint");
}

static void add_texts_of_starvation(struct text *out)
{
	struct process_sample *p = &m.sample.process;

	p->cpu_limit = 1500;
	p->cfs_periods = 52;
	p->throttled_periods = 10;
	m.before.cfs_periods = m.before.throttled_periods = 0;
	m.rates.process.throttled_periods = 10 / 52.0;
	end_texts(out, "limit");
	p->cpu_limit = CPU_LIMIT_UNKNOWN;
	end_texts(out, "unknown limit");

	m.rates.process.runq = 0.6;
	m.rates.process.machine = 1;
	add_texts(out, "run queue");
	m.facts.neighbor = (struct busy_process){ 815, "burn", 1.5 };
	end_texts(out, "run queue with a neighbor");
	m.rates.process.runq = NAN;
	end_texts(out, "unknown run queue");

	set_trend(TREND_MEMORY, 90 << 20, 94 << 20, 95 << 20, 100 << 20);
	add_texts(out, "full memory");
	set_trend(TREND_OOM_KILLS, 0, 0, 1, -1);
	add_texts(out, "full memory, a process was killed");
	set_trend(TREND_MEMORY, 50, 50, 50, -1);
	set_trend(TREND_OOM_KILLS, 2, 2, 2, -1);
	add_texts(out, "processes were killed");
	set_trend(TREND_MEMORY, -1, -1, -1, 100);
	end_texts(out, "unknown memory");

	set_trend(TREND_SWAPPED, 1 << 20, 1 << 20, 1 << 20, -1);
	set_trend(TREND_MAJOR_FAULTS, 100, 150, 200, -1);
	add_texts(out, "swap space");
	set_trend(TREND_PRESSURE_US, 0, 500000, 1000000, -1);
	add_texts(out, "swap space and pressure");
	set_trend(TREND_SWAPPED, 0, 0, 0, -1);
	end_texts(out, "pressure");
}

static void add_texts_of_waits(struct text *out)
{
	static const enum dump_wait_kind owners[] = {
		DUMP_WAIT_SOCKET, DUMP_WAIT_NAMES, DUMP_WAIT_SLEEP,
		DUMP_WAIT_KINDS,  DUMP_WAIT_OTHER,
	};
	struct dump_wait *g;

	text_puts(&m.waits.deadlock, "A waits for B");
	m.waits.deadlocked = m.waits.deadlock_dumps = 2;
	m.waits.deadlocks = 1;
	add_texts(out, "deadlock");
	m.waits.behind = 1;
	m.waits.deadlocks = 2;
	add_texts(out, "deadlocks, one thread behind");
	m.waits.behind = 2;
	end_texts(out, "deadlocks, threads behind");

	g = add_group(DUMP_WAIT_MONITOR, 9, 20);
	add_texts(out, "convoy");
	g->owner = "writer";
	g->owner_place = "Journal.append:3";
	for (size_t i = 0; i < sizeof(owners) / sizeof(*owners); i++) {
		g->owner_kind = owners[i];
		add_texts(out, "convoy with an owner");
	}
	g->owner_kind = DUMP_WAIT_DISK;
	add_texts(out, "convoy behind a disk");
	g->owner_place = g->place;
	add_texts(out, "convoy behind a disk in the same place");
	g->kind = DUMP_WAIT_LOCK;
	g->lock = g->place = g->owner_place = "";
	g->dumps = 3;
	g->owner_kind = DUMP_WAIT_KINDS;
	add_texts(out, "convoy of an unknown lock");
	g->dumps = 4;
	g->owner_kind = DUMP_WAIT_DISK;
	end_texts(out, "convoy behind a disk in an unknown place");

	for (enum dump_wait_kind i = 0; i < DUMP_WAIT_KINDS; i++) {
		g = add_group(i, 20, 20);
		g->place = i ? g->place : "";
		end_texts(out, "all threads of a pool");
		add_group(i, 19, 20);
		end_texts(out, "threads of a pool");
	}
	add_group(DUMP_WAIT_SOCKET, 20, 20)->peer = "read from 10.1.2.3:5432";
	end_texts(out, "a peer");

	m.waits.finalizer = (struct dump_work){ "Handle.finalize:4", 1, 4 };
	m.replies.finalizable_count = 2000;
	add_texts(out, "finalizer");
	text_puts(&m.replies.finalizable, "app.Handle (11257)");
	add_texts(out, "finalizer with classes");
	m.waits.finalizer.place = NULL;
	end_texts(out, "finalizer without a place");

	m.waits.virtual_threads = (struct dump_work){ "Images.scale:9", 2, 4 };
	m.replies.carriers = 2;
	m.replies.queued = 1042;
	add_texts(out, "carriers");
	m.waits.virtual_threads.place = NULL;
	add_texts(out, "carriers without a place");
	m.replies.carriers = -1;
	end_texts(out, "unknown carriers");
}

/* Samples of a method; of them, slow ones are interpreted. */
static struct profile *add_samples(uint64_t samples, uint64_t slow, bool throws,
				   const char *class_name)
{
	const char *const frames[][2] = {
		{ throws ? "java.lang.Throwable" : "java.lang.String",
		  throws ? "fillInStackTrace" : "hashCode" },
		{ class_name, "parse" },
	};
	struct profile *p = profile_new();
	uint32_t event = profile_event(p, "cpu", UNIT_NS);

	for (int kind = 0; kind < 2; kind++) {
		uint32_t ids[2];

		for (size_t i = 0; i < 2; i++) {
			struct frame f = {
				.class_name = profile_string(
					p, frames[i][0], strlen(frames[i][0])),
				.method = profile_string(p, frames[i][1],
							 strlen(frames[i][1])),
				.kind = kind ? FRAME_INTERPRETED : FRAME_JIT,
			};

			ids[i] = profile_frame(p, &f);
		}
		profile_add(p, &(struct sample){
				       .event = event,
				       .stack = profile_stack(p, ids, 2),
				       .count = kind ? slow : samples - slow,
				       .weight = 1 });
	}
	m.facts.profile = p;
	return p;
}

static void add_texts_of_cpu(struct text *out)
{
	struct profile *p;

	m.replies.code_size = 100 << 20;
	m.replies.code_used = m.replies.code_most = 90 << 20;
	add_texts(out, "full code cache");
	m.rows[0].rates[THREAD_CPU] = NAN;
	m.replies.code_is_off = true;
	add_texts(out, "compilation is disabled");
	m.replies.code_is_off = false;
	m.rows[0].rates[THREAD_CPU] = 0.5;
	m.replies.code_used = 40 << 20;
	end_texts(out, "small code cache");

	m.rates.process.cpu = 1;
	m.rows[0].rates[THREAD_CPU] = 0.5;
	add_texts(out, "compilers");
	p = add_samples(200, 50, false, "app.Orders");
	add_texts(out, "compilers, with samples");
	m.trends.uptime_s = 299;
	end_texts(out, "young JVM");
	profile_free(p);

	p = add_samples(200, 0, true, "app.Orders");
	end_texts(out, "exceptions");
	profile_free(p);
	p = add_samples(99, 0, true, "app.Orders");
	m.rates.process.cpu = 1.5;
	end_texts(out, "few samples");
	profile_free(p);

	p = add_samples(200, 0, false, "app.Orders");
	m.rates.process.cpu = 1.5;
	end_texts(out, "place");
	m.facts.profile = p;
	m.rates.process.cpu = NAN;
	end_texts(out, "unknown CPU time");
	profile_free(p);
	p = add_samples(200, 0, false, "java.lang.Integer");
	m.rates.process.cpu = 1.5;
	add_texts(out, "no place, not all CPUs");
	m.rates.process.cpu = 1.9;
	end_texts(out, "no place");
	profile_free(p);
}

static void add_texts_of_growth(struct text *out)
{
	set_files(850, 850, 850, 1024);
	add_texts(out, "descriptors");
	set_files(300, 350, 400, 1024);
	add_texts(out, "growing descriptors");
	m.trends.first.sockets = 1;
	m.trends.last.files = 10;
	m.trends.last.sockets = 390;
	add_texts(out, "growing sockets");
	set_trend(TREND_DESCRIPTORS, -1, -1, -1, 1024);
	add_texts(out, "unknown descriptors");
	m.trends.no_files = (struct error){ .text = "no right to read them" };
	end_texts(out, "unreadable descriptors");

	set_trend(TREND_THREADS, 30, 40, 50, -1);
	set_trend(TREND_CLASSES, 3000, 3600, 4200, -1);
	set_trend(TREND_OLD, 60 << 20, 65 << 20, 70 << 20, 100 << 20);
	set_trend(TREND_ANONYMOUS, 1 << 28, 3 << 27, 1 << 29, -1);
	set_trend(TREND_NATIVE, 1 << 26, 3 << 25, 1 << 27, -1);
	add_texts(out, "growth");
	text_puts(&m.replies.growing, "Session +1,500 (67,253)");
	text_puts(&m.replies.loaders, "ScriptLoader (4,034)");
	add_texts(out, "growth of classes of the application");
	text_puts(&m.replies.native, "java.util.zip.Deflater +90 (1,700)");
	add_texts(out, "growth of classes with native memory");
	text_clear(&m.replies.growing);
	add_texts(out, "growth of these alone");
	m.trends.uptime_s = 29;
	m.trends.old_is_concurrent = false;
	end_texts(out, "first half minute");
	set_trend(TREND_THREADS, -1, -1, -1, -1);
	set_trend(TREND_CLASSES, -1, -1, -1, -1);
	set_trend(TREND_OLD, -1, -1, -1, -1);
	set_trend(TREND_ANONYMOUS, -1, -1, -1, -1);
	end_texts(out, "unknown trends");
}

/* All sentences of all rules, as in tests/data/why/causes.txt. */
static void rules_have_these_texts(void **state)
{
	struct text out = { 0 }, wanted = { 0 };
	char part[4096];
	size_t got;
	FILE *file = fopen("tests/data/why/causes.txt", "re");

	(void)state;
	assert_non_null(file);
	while ((got = fread(part, 1, sizeof(part), file)) > 0)
		text_add(&wanted, part, got);
	fclose(file);
	add_texts_of_stops(&out);
	add_texts_of_starvation(&out);
	add_texts_of_waits(&out);
	add_texts_of_cpu(&out);
	add_texts_of_growth(&out);
	assert_string_equal(out.bytes, wanted.bytes);
	text_release(&out);
	text_release(&wanted);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, healthy, release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(healthy_jvm_has_no_cause),
		TEST(deadlock_needs_two_dumps),
		TEST(jvm_that_a_signal_stopped_is_broken),
		TEST(convoy_is_in_most_dumps),
		TEST(owner_that_waits_for_a_file_is_the_first_cause),
		TEST(pool_is_reported_if_all_its_threads_wait),
		TEST(limit_is_judged_by_periods),
		TEST(run_queue_needs_other_processes),
		TEST(collections_are_judged_by_share_length_and_kind),
		TEST(large_arrays_are_counted_by_their_collections),
		TEST(slow_stop_is_not_blamed_on_the_collector),
		TEST(slow_stop_names_the_last_thread),
		TEST(too_few_facts_are_not_fine),
		TEST(descriptors_are_judged_by_limit_and_growth),
		TEST(trends_begin_after_half_a_minute),
		TEST(classes_that_are_never_unloaded_name_their_loaders),
		TEST(old_generation_grows_towards_its_limit),
		TEST(native_memory_is_what_the_heap_does_not_have),
		TEST(native_growth_names_the_blocks),
		TEST(direct_buffers_reach_their_limit),
		TEST(memory_limit_and_killed_processes_are_reported),
		TEST(swap_space_matters_if_pages_come_back),
		TEST(full_heap_needs_a_full_collection),
		TEST(code_cache_is_judged_by_the_reply),
		TEST(compilers_may_be_busy_in_the_first_minutes),
		TEST(finalizer_is_busy_and_has_a_queue),
		TEST(carriers_are_judged_by_the_queue),
		TEST(cause_that_another_explains_comes_last),
		TEST(document_has_all_of_a_diagnosis),
		TEST(exceptions_need_a_hundred_samples),
		TEST(rules_have_these_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
