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
	struct process_sample before;
	struct dump_waits waits;
	struct dump_wait groups[2];
	struct gc_totals pauses;
	struct open_files files, files_before;
	struct diagnosis_facts facts;
} m;

static struct diagnosis d;

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
	for (size_t i = 0; i < THREAD_COUNTERS; i++)
		m.rows[0].rates[i] = NAN;
	m.rates.process.cpu = 0.1;
	m.rates.process.runq = 0.01;
	m.rates.process.machine = 0.1;
	m.rates.process.throttled_periods = NAN;
	m.rows[0].rates[THREAD_VOLUNTARY] = 100;
	m.waits.all = m.groups;
	m.waits.dumps = 4;
	m.files.limit = m.files_before.limit = 1024;
	m.files.sockets = m.files_before.sockets = 10;
	m.facts = (struct diagnosis_facts){
		.target = "4711",
		.seconds = 10,
		.rates = &m.rates,
		.before = &m.before,
		.dumps = &m.waits,
		.pauses = &m.pauses,
		.files = &m.files,
		.files_before = &m.files_before,
		.missing = { [4] = "no right", [3] = "not root" },
	};
	return 0;
}

static int release(void **state)
{
	(void)state;
	diagnosis_release(&d);
	gc_totals_release(&m.pauses);
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
		.sum = threads * m.waits.dumps,
		.dumps = m.waits.dumps,
		.pool_size = pool,
	};
	return g;
}

static void healthy_jvm_has_no_cause(void **state)
{
	(void)state;
	expect(NULL);
	/* The rules that need a profile. */
	assert_int_equal(d.unchecked_count, 2);
	assert_string_equal(diagnosis_why_unchecked(d.unchecked[0], &m.facts),
			    "not root");
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
	g->sum = 3 * 4;
	expect(NULL);
	g->pool_size = 12;
	expect("convoy");
}

static void owner_that_waits_for_a_file_is_the_first_cause(void **state)
{
	struct dump_wait *g = add_group(DUMP_WAIT_MONITOR, 9, 20);

	(void)state;
	g->owner = "writer";
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
	assert_string_equal(c->sentence.bytes,
			    "all 20 threads of http-worker-* wait for a reply "
			    "from a socket");
	assert_string_equal(c->place.bytes, "Orders.load:7");
	g->sum = 17 * 4;
	expect(NULL);
	/* Outside the application, it is a pool that waits for work. */
	g->sum = 20 * 4;
	g->place = "";
	expect(NULL);
	g->place = "Orders.load:7";
	g->pool_size = 3;
	g->sum = 3 * 4;
	expect(NULL);
	/* Name resolution is slow for few threads, too. */
	g->kind = DUMP_WAIT_NAMES;
	expect("pool");
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

static void add_pause(enum gc_kind kind, int64_t stopped_ns, int64_t sync_ns,
		      const char *cause)
{
	struct gc_pause p;

	gc_pause_init(&p);
	p.kind = kind;
	p.stopped_ns = stopped_ns;
	p.sync_ns = sync_ns;
	p.cause = cause;
	gc_totals_add(&m.pauses, &p);
}

static void collections_are_judged_by_share_length_and_kind(void **state)
{
	(void)state;
	for (int i = 0; i < 9; i++)
		add_pause(GC_YOUNG, 100000000, 0, "Allocation Failure");
	expect(NULL);
	add_pause(GC_YOUNG, 200000000, 0, "Allocation Failure");
	expect("collections");
	gc_totals_release(&m.pauses);
	memset(&m.pauses, 0, sizeof(m.pauses));
	add_pause(GC_FULL, 10000000, 0, "System.gc()");
	add_pause(GC_FULL, 10000000, 0, "System.gc()");
	expect(NULL);
	add_pause(GC_FULL, 10000000, 0, "Ergonomics");
	add_pause(GC_FULL, 10000000, 0, "Ergonomics");
	expect("collections");
}

static void slow_stop_is_not_blamed_on_the_collector(void **state)
{
	(void)state;
	add_pause(GC_YOUNG, 2000000000, 1990000000, "Allocation Failure");
	m.pauses.collections.gc = (struct gc_durations){
		.count = 1, .sum_ns = 9000000, .longest_ns = 9000000
	};
	expect("safepoints");
}

static void slow_stop_names_the_last_thread(void **state)
{
	(void)state;
	add_pause(GC_OTHER, 1000000, 300000000, NULL);
	m.facts.last_thread = "audit\x1b[31m";
	m.facts.last_times = 1;
	m.facts.last_of = 1;
	assert_non_null(strstr(expect("safepoints")->detail.bytes,
			       "last to stop: audit"));
	assert_null(strchr(d.causes[0].detail.bytes, '\x1b'));
}

static void descriptors_are_judged_by_limit_and_growth(void **state)
{
	(void)state;
	m.files.files = 850;
	m.files_before.files = 850;
	expect("descriptors");
	m.files.files = m.files_before.files = 300;
	expect(NULL);
	m.files.files = 400; /* 10 a second: full in a minute */
	expect("descriptors");
	m.files.limit = 1000000; /* full in a day */
	expect(NULL);
	m.files.limit = -1;
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
		TEST(convoy_is_in_every_dump),
		TEST(owner_that_waits_for_a_file_is_the_first_cause),
		TEST(pool_is_reported_if_all_its_threads_wait),
		TEST(limit_is_judged_by_periods),
		TEST(run_queue_needs_other_processes),
		TEST(collections_are_judged_by_share_length_and_kind),
		TEST(slow_stop_is_not_blamed_on_the_collector),
		TEST(slow_stop_names_the_last_thread),
		TEST(descriptors_are_judged_by_limit_and_growth),
		TEST(exceptions_need_a_hundred_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
