/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that judge made facts. */
#include "tests/unit/core/diagnosis/facts.h"

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
			    "128 MB now; malloc has 20 MB more: "
			    "java.util.zip.Inflater +600 (by the sizes of "
			    "blocks)");
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
	m.account.direct.max = 0;
	expect(NULL);
	assert_false(rule_is_unchecked("direct"));
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
	m.replies.code_used = m.replies.code_most * 94 / 100;
	m.replies.code_size = m.replies.code_most * 10 / 8;
	m.rates.process.cpu = 1.5;
	m.rows[0].rates[THREAD_CPU] = 0.16;
	expect("code_cache");
	m.replies.code_used = m.replies.code_most;
	assert_string_equal(expect("code_cache")->sentence.bytes,
			    "the code cache is 80% full, and the compilers do "
			    "not rest");
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
