/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that judge made facts. */
#include "core/diagnosis/diagnosis.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
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
	struct open_files files[3];
	struct diagnosis_facts facts;
} m;

static struct diagnosis d;

static void set_files(size_t first, size_t second, size_t third, int64_t limit)
{
	const size_t counts[] = { first, second, third };

	for (size_t i = 0; i < 3; i++)
		m.files[i] = (struct open_files){ .files = counts[i],
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
	set_files(10, 10, 10, 1024);
	m.facts = (struct diagnosis_facts){
		.target = "4711",
		.seconds = 10,
		.rates = &m.rates,
		.before = &m.before,
		.dumps = &m.waits,
		.pauses = &m.pauses,
		.files = m.files,
		.file_counts = 3,
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

static void healthy_jvm_has_no_cause(void **state)
{
	(void)state;
	expect(NULL);
	/* The rules that need a profile. */
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

static void convoy_is_in_every_dump(void **state)
{
	struct dump_wait *g = add_group(DUMP_WAIT_MONITOR, 9, 20);

	(void)state;
	g->dumps = 3;
	expect(NULL);
	g->dumps = 4;
	assert_string_equal(expect("convoy")->sentence.bytes,
			    "9 of 20 threads of http-worker-* wait for the "
			    "monitor Cache");
	/* Few threads are a convoy only if they are much of their pool. */
	set_group(g, 3, 20);
	expect(NULL);
	set_group(g, 3, 12);
	expect("convoy");
}

static void owner_that_waits_for_a_file_is_the_first_cause(void **state)
{
	struct dump_wait *g = add_group(DUMP_WAIT_MONITOR, 9, 20);

	(void)state;
	g->owner = "writer";
	g->dumps = 3;
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
	assert_int_equal(d.unchecked_count, 5);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, healthy, release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(healthy_jvm_has_no_cause),
		TEST(deadlock_needs_two_dumps),
		TEST(jvm_that_a_signal_stopped_is_broken),
		TEST(convoy_is_in_every_dump),
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
		TEST(exceptions_need_a_hundred_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
