/* SPDX-License-Identifier: Apache-2.0 */
/* Events as the programs in the kernel would send them. */
#include "bpf/gc_join.h"
#include "core/base/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define IMAGE "tests/data/perfdata/jdk17.bin"

/* G1's counters of JDK 17, and points with two operations. */
struct fixture {
	struct gc_counters *counters;
	struct gc_values first;
	struct gc_operation operations[2];
	struct gc_points points;
	struct gc_join_options options;
};

static const char *no_name(void *self, uint64_t address)
{
	(void)self;
	return address == 7 ? "Pause Init Mark" : NULL;
}

static void a_thread(void *self, uint32_t tid, struct text *out)
{
	(void)self;
	text_printf(out, "thread %u", tid);
}

static int64_t a_millisecond_later(int64_t ns) { return ns + 1000000; }

static void fixture_init(struct fixture *f)
{
	struct perfdata *file;
	struct input in;
	struct error err;

	*f = (struct fixture){ 0 };
	if (input_open(&in, IMAGE, &err) || input_complete(&in, &err))
		fail_msg("%s", err.text);
	file = perfdata_of(in.bytes, in.len, &err);
	input_close(&in);
	assert_non_null(file);
	f->counters = gc_counters_of(file, &err);
	assert_non_null(f->counters);
	assert_int_equal(gc_counters_read(f->counters, &f->first, &err), 0);
	f->operations[0] = (struct gc_operation){ 0x100,
						  "G1CollectForAllocation" };
	f->operations[1] = (struct gc_operation){ 0x200, "ThreadDump" };
	f->points.operations = f->operations;
	f->points.operation_count = 2;
	f->options = (struct gc_join_options){
		.counters = f->counters,
		.points = &f->points,
		.bias = 0x1000,
		.vm_start_ns = 1000,
		.wall_of = a_millisecond_later,
		.collector = "G1",
		.name = no_name,
		.thread = a_thread,
		.keeps_phases = true,
	};
}

static void fixture_release(struct fixture *f)
{
	gc_counters_close(f->counters);
}

/* The event of a stop after which the counters have these values. */
static struct gc_event_stop a_stop(const struct gc_values *v, int64_t time_ns,
				   int64_t stopped)
{
	struct gc_event_stop e = {
		.event = { (uint64_t)time_ns, 5, GC_EVENT_STOP },
		.stopped = stopped,
		.safepoints = v->safepoints,
		.sync = v->sync_ns,
		.stopped_before = v->stopped_ns,
		.used = 4096,
		.committed = 8192,
		.cause = "No GC",
		.last_cause = "G1 Evacuation Pause",
	};

	for (int i = 0; i < GC_COLLECTORS; i++) {
		e.collector_ns[i] = v->collectors[i].ns;
		e.collector_count[i] = v->collectors[i].count;
	}
	return e;
}

static void stop_has_the_differences_of_the_counters(void **state)
{
	struct fixture f;
	struct gc_event_stop e;
	struct gc_values v;
	struct gc_pause p;
	struct gc_join *j;

	(void)state;
	fixture_init(&f);
	v = f.first;
	v.safepoints++;
	v.sync_ns += 40;
	v.collectors[0].ns += 900;
	v.collectors[0].count++;
	e = a_stop(&v, 50000, 1000);
	e.operation = 0x1100;
	e.last_tid = 77;
	e.last_ns = 48990;
	j = gc_join_new(&f.options, &f.first);
	assert_false(gc_join_next(j, 60000, &p));
	gc_join_add(j, &e, sizeof(e));
	assert_true(gc_join_next(j, 60000, &p));
	assert_int_equal(p.kind, GC_YOUNG);
	assert_int_equal(p.stopped_ns, 1040);
	assert_int_equal(p.sync_ns, 40);
	assert_int_equal(p.gc_ns, 900);
	assert_int_equal(p.count, 1);
	assert_int_equal(p.collections, 1);
	assert_int_equal(p.uptime_ns, 49000);
	assert_int_equal(p.end_ns, 1050000);
	assert_int_equal(p.after, 4096);
	assert_int_equal(p.before, GC_ABSENT);
	assert_string_equal(p.operation, "G1CollectForAllocation");
	assert_string_equal(p.cause, "G1 Evacuation Pause");
	assert_string_equal(p.collector, "G1");
	assert_string_equal(p.last_thread, "thread 77");
	assert_false(gc_join_next(j, 60000, &p));
	assert_int_equal(gc_join_missed(j), 0);
	gc_join_free(j);
	fixture_release(&f);
}

static void stop_without_a_collection_has_no_cause(void **state)
{
	struct fixture f;
	struct gc_event_stop e;
	struct gc_values v;
	struct gc_pause p;
	struct gc_join *j;

	(void)state;
	fixture_init(&f);
	v = f.first;
	v.safepoints++;
	e = a_stop(&v, 50000, 1000);
	e.operation = 0x1200;
	j = gc_join_new(&f.options, &f.first);
	gc_join_add(j, &e, sizeof(e));
	assert_true(gc_join_next(j, 60000, &p));
	assert_int_equal(p.kind, GC_OTHER);
	assert_string_equal(p.operation, "ThreadDump");
	assert_null(p.cause);
	assert_null(p.collector);
	assert_int_equal(p.gc_ns, GC_ABSENT);
	assert_int_equal(p.after, GC_ABSENT);
	gc_join_free(j);
	fixture_release(&f);
}

/*
 * A stop after which the collector's counter has grown by 900 ns: the join's GC
 * time if the probes of the collections tell this time.
 */
static int64_t gc_time_with(int64_t collections_ns, uint32_t collections)
{
	struct fixture f;
	struct gc_event_stop e;
	struct gc_values v;
	struct gc_pause p;
	struct gc_join *j;

	fixture_init(&f);
	f.options.has_collections = true;
	v = f.first;
	v.safepoints++;
	v.collectors[0].ns += 900;
	v.collectors[0].count++;
	e = a_stop(&v, 50000, 1000);
	e.collections = collections;
	e.collections_ns = collections_ns;
	j = gc_join_new(&f.options, &f.first);
	gc_join_add(j, &e, sizeof(e));
	assert_true(gc_join_next(j, 60000, &p));
	assert_int_equal(p.kind, GC_YOUNG);
	gc_join_free(j);
	fixture_release(&f);
	return p.gc_ns;
}

static void time_of_the_probes_is_used_unless_implausible(void **state)
{
	(void)state;
	assert_int_equal(gc_time_with(950, 1), 950);
	assert_int_equal(gc_time_with(899, 1), 900);
	assert_int_equal(gc_time_with(1001, 1), 900);
	assert_int_equal(gc_time_with(0, 0), 900);
}

/* The GC locker prevents a collection: the operation does nothing. */
static void operation_that_collects_nothing_is_no_collection(void **state)
{
	struct gc_event begin = { 48900, 5, GC_EVENT_BEGIN };
	struct gc_event_stop e = { .event = { 50000, 5, GC_EVENT_STOP },
				   .stopped = 1000,
				   .operation = 0x1100 };
	struct fixture f;
	struct gc_pause p;
	struct gc_join *j;

	(void)state;
	fixture_init(&f);
	f.options.counters = NULL;
	f.options.has_collections = true;
	f.points.begin.offset = 1;
	j = gc_join_new(&f.options, NULL);
	gc_join_add(j, &begin, sizeof(begin));
	gc_join_add(j, &e, sizeof(e));
	assert_true(gc_join_next(j, 60000, &p));
	assert_int_equal(p.kind, GC_OTHER);
	assert_string_equal(p.operation, "G1CollectForAllocation");
	assert_null(p.collector);
	e.collections = 1;
	e.collections_ns = 990;
	gc_join_add(j, &begin, sizeof(begin));
	gc_join_add(j, &e, sizeof(e));
	assert_true(gc_join_next(j, 60000, &p));
	assert_int_equal(p.kind, GC_YOUNG);
	assert_int_equal(p.gc_ns, 990);
	gc_join_free(j);
	fixture_release(&f);
}

/* It is in the ring, and the counters that are read first include it. */
static void stop_before_the_first_reading_is_not_missed(void **state)
{
	struct fixture f;
	struct gc_event_stop e;
	struct gc_values v;
	struct gc_pause p;
	struct gc_join *j;

	(void)state;
	fixture_init(&f);
	j = gc_join_new(&f.options, &f.first);
	v = f.first;
	v.safepoints--;
	e = a_stop(&v, 40000, 1000);
	gc_join_add(j, &e, sizeof(e));
	assert_false(gc_join_next(j, 60000, &p));
	assert_int_equal(gc_join_missed(j), 0);
	v.safepoints += 2;
	e = a_stop(&v, 50000, 1000);
	gc_join_add(j, &e, sizeof(e));
	assert_true(gc_join_next(j, 60000, &p));
	assert_int_equal(p.count, 1);
	assert_int_equal(gc_join_missed(j), 0);
	gc_join_free(j);
	fixture_release(&f);
}

static void unreadable_stop_is_missed_once(void **state)
{
	struct fixture f;
	struct gc_event_stop e;
	struct gc_values v;
	struct gc_pause p;
	struct gc_join *j;

	(void)state;
	fixture_init(&f);
	j = gc_join_new(&f.options, &f.first);
	v = f.first;
	v.safepoints++;
	e = a_stop(&v, 40000, 1000);
	e.safepoints = 0;
	gc_join_add(j, &e, sizeof(e));
	assert_false(gc_join_next(j, 60000, &p));
	assert_int_equal(gc_join_missed(j), 1);
	v.safepoints++;
	e = a_stop(&v, 50000, 1000);
	gc_join_add(j, &e, sizeof(e));
	assert_true(gc_join_next(j, 60000, &p));
	assert_int_equal(gc_join_missed(j), 1);
	gc_join_free(j);
	fixture_release(&f);
}

/* Otherwise the next collection would have the time of all. */
static void unreadable_counter_of_a_collector_keeps_its_value(void **state)
{
	struct fixture f;
	struct gc_event_stop e;
	struct gc_values v;
	struct gc_pause p;
	struct gc_join *j;

	(void)state;
	fixture_init(&f);
	j = gc_join_new(&f.options, &f.first);
	v = f.first;
	v.safepoints++;
	e = a_stop(&v, 40000, 1000);
	e.collector_ns[0] = e.collector_count[0] = 0;
	gc_join_add(j, &e, sizeof(e));
	assert_true(gc_join_next(j, 60000, &p));
	v.safepoints++;
	v.collectors[0].ns += 900;
	v.collectors[0].count++;
	e = a_stop(&v, 50000, 1000);
	e.operation = 0x1100;
	gc_join_add(j, &e, sizeof(e));
	assert_true(gc_join_next(j, 60000, &p));
	assert_int_equal(p.gc_ns, 900);
	assert_int_equal(p.collections, 1);
	gc_join_free(j);
	fixture_release(&f);
}

/* The sum of the missed stops is in the counter at the next event. */
static void missed_stops_are_counted_and_summed_up(void **state)
{
	struct fixture f;
	struct gc_event_stop e;
	struct gc_values v;
	struct gc_pause p;
	struct gc_join *j;

	(void)state;
	fixture_init(&f);
	j = gc_join_new(&f.options, &f.first);
	v = f.first;
	v.safepoints++;
	e = a_stop(&v, 50000, 1000);
	gc_join_add(j, &e, sizeof(e));
	assert_true(gc_join_next(j, 60000, &p));
	/* Two of 300 and 400 ns were missed; their and its time to safepoint
	 * is 60 ns. */
	v.safepoints += 3;
	v.sync_ns += 60;
	v.stopped_ns += 1000 + 300 + 400;
	e = a_stop(&v, 90000, 2000);
	gc_join_add(j, &e, sizeof(e));
	assert_true(gc_join_next(j, 99000, &p));
	assert_int_equal(p.count, 3);
	assert_int_equal(p.stopped_ns, 2000 + 300 + 400 + 60);
	assert_int_equal(gc_join_missed(j), 2);
	gc_join_free(j);
	fixture_release(&f);
}

static void stop_that_began_before_the_first_reading_is_omitted(void **state)
{
	struct fixture f;
	struct gc_event_stop e;
	struct gc_pause p;
	struct gc_join *j;

	(void)state;
	fixture_init(&f);
	j = gc_join_new(&f.options, &f.first);
	e = a_stop(&f.first, 50000, 1000);
	gc_join_add(j, &e, sizeof(e));
	assert_false(gc_join_next(j, INT64_MAX, &p));
	gc_join_free(j);
	fixture_release(&f);
}

static void heap_summaries_belong_to_the_next_stop(void **state)
{
	struct gc_event_heap before = { .event = { 1, 5, GC_EVENT_HEAP },
					.when = 0,
					.start = 0x1000,
					.committed_end = 0x9000,
					.used = 0x6000 };
	struct gc_event_heap after = before;
	struct fixture f;
	struct gc_event_stop e;
	struct gc_values v;
	struct gc_pause p;
	struct gc_join *j;

	(void)state;
	fixture_init(&f);
	after.when = 1;
	after.used = 0x2000;
	v = f.first;
	v.safepoints++;
	v.collectors[1].ns += 10;
	j = gc_join_new(&f.options, &f.first);
	gc_join_add(j, &before, sizeof(before));
	gc_join_add(j, &after, sizeof(after));
	e = a_stop(&v, 50000, 1000);
	gc_join_add(j, &e, sizeof(e));
	assert_true(gc_join_next(j, 60000, &p));
	assert_int_equal(p.kind, GC_FULL);
	assert_int_equal(p.before, 0x6000);
	assert_int_equal(p.after, 0x2000);
	assert_int_equal(p.committed, 0x8000);
	gc_join_free(j);
	fixture_release(&f);
}

static struct gc_event_report *a_report(uint32_t tid, int64_t end)
{
	struct gc_event_report *e = calloc(1, sizeof(*e));

	e->event = (struct gc_event){ (uint64_t)end + 1000, tid,
				      GC_EVENT_REPORT };
	e->tracer = 0x7000;
	e->start = end - 5000;
	e->end = end;
	e->count = e->capacity = 2;
	e->phases[0] = (struct gc_event_phase){ .name = 7,
						.start = end - 300000,
						.end = end - 250000 };
	e->phases[1] = (struct gc_event_phase){ .level = 1,
						.start = end - 290000,
						.end = end - 280000 };
	memcpy(e->cause_text, "Concurrent GC", sizeof("Concurrent GC"));
	return e;
}

/* Without counters, as with -XX:-UsePerfData. */
static void pause_of_a_cycle_waits_for_the_time_of_its_phase(void **state)
{
	struct gc_operation operation = { 0x100, "ShenandoahInitMark" };
	struct gc_event_report *report = a_report(9, 1000000);
	struct gc_event begin = { 699000, 5, GC_EVENT_BEGIN };
	struct gc_event_stop e = { .event = { 760000, 5, GC_EVENT_STOP },
				   .stopped = 55000,
				   .operation = 0x1100 };
	struct fixture f;
	struct gc_pause p;
	struct gc_join *j;

	(void)state;
	fixture_init(&f);
	f.options.counters = NULL;
	f.options.holds_pauses = true;
	f.options.collector = "Shenandoah";
	f.points.operations = &operation;
	f.points.operation_count = 1;
	f.points.begin.offset = 1;
	j = gc_join_new(&f.options, NULL);
	gc_join_add(j, &begin, sizeof(begin));
	gc_join_add(j, &e, sizeof(e));
	assert_false(gc_join_next(j, 800000, &p));
	gc_join_add(j, report, sizeof(*report));
	assert_true(gc_join_next(j, INT64_MAX, &p));
	assert_int_equal(p.kind, GC_CYCLE_PAUSE);
	assert_int_equal(p.stopped_ns, 61000);
	assert_int_equal(p.sync_ns, 6000);
	assert_int_equal(p.gc_ns, 50000);
	assert_int_equal(p.phase_count, 2);
	assert_string_equal(p.phases[0].name, "Pause Init Mark");
	assert_true(gc_join_next(j, INT64_MAX, &p));
	assert_int_equal(p.kind, GC_CYCLE);
	assert_int_equal(p.gc_ns, 5000);
	assert_int_equal(p.count, 0);
	assert_string_equal(p.cause, "Concurrent GC");
	gc_join_free(j);
	free(report);
	fixture_release(&f);
}

/* The JVM writes its log between the end of the stop and the probe. */
static void phase_of_a_pause_whose_event_is_late_is_found(void **state)
{
	struct gc_operation operation = { 0x100, "ShenandoahInitMark" };
	struct gc_event_report *report = a_report(9, 1000000);
	struct gc_event_stop e = { .event = { 600000, 5, GC_EVENT_STOP },
				   .stopped = 55000,
				   .operation = 0x1100 };
	struct fixture f;
	struct gc_pause p;
	struct gc_join *j;

	(void)state;
	fixture_init(&f);
	f.options.counters = NULL;
	f.options.holds_pauses = true;
	f.options.collector = "Shenandoah";
	f.points.operations = &operation;
	f.points.operation_count = 1;
	j = gc_join_new(&f.options, NULL);
	gc_join_add(j, &e, sizeof(e));
	e.event.time_ns = 960000;
	gc_join_add(j, &e, sizeof(e));
	gc_join_add(j, report, sizeof(*report));
	assert_true(gc_join_next(j, INT64_MAX, &p));
	assert_int_equal(p.gc_ns, GC_ABSENT);
	assert_true(gc_join_next(j, INT64_MAX, &p));
	assert_int_equal(p.gc_ns, 50000);
	gc_join_free(j);
	free(report);
	fixture_release(&f);
}

/* JDK 26 and later: all phases are below one that is concurrent. */
static void pause_inside_a_concurrent_phase_is_found_by_its_name(void **state)
{
	struct gc_operation operation = { 0x100, "ShenandoahInitMark" };
	struct gc_event_report *report = a_report(9, 1000000);
	struct gc_event_heap heap = { .event = { 1, 9, GC_EVENT_HEAP },
				      .used = 0x6000,
				      .committed_end = 0x9000 };
	struct gc_event_stop e = { .event = { 760000, 5, GC_EVENT_STOP },
				   .stopped = 60000,
				   .operation = 0x1100 };
	struct fixture f;
	struct gc_pause p;
	struct gc_join *j;

	(void)state;
	fixture_init(&f);
	f.options.counters = NULL;
	f.options.holds_pauses = true;
	f.points.operations = &operation;
	f.points.operation_count = 1;
	report->phases[1] = report->phases[0];
	report->phases[1].level = 1;
	report->phases[1].is_concurrent = 1;
	report->phases[0].name = 0;
	report->phases[0].is_concurrent = 1;
	j = gc_join_new(&f.options, NULL);
	gc_join_add(j, &heap, sizeof(heap));
	gc_join_add(j, &e, sizeof(e));
	heap.when = 1;
	gc_join_add(j, &heap, sizeof(heap));
	gc_join_add(j, report, sizeof(*report));
	assert_true(gc_join_next(j, INT64_MAX, &p));
	assert_int_equal(p.stopped_ns, 60000);
	assert_int_equal(p.sync_ns, GC_ABSENT);
	assert_int_equal(p.gc_ns, 50000);
	assert_int_equal(p.before, GC_ABSENT);
	assert_int_equal(p.phase_count, 1);
	assert_false(p.phases[0].is_concurrent);
	/* The thread of the cycle reported the heap. */
	assert_true(gc_join_next(j, INT64_MAX, &p));
	assert_int_equal(p.kind, GC_CYCLE);
	assert_int_equal(p.before, 0x6000);
	assert_int_equal(p.after, 0x6000);
	assert_int_equal(p.committed, 0x9000);
	gc_join_free(j);
	free(report);
	fixture_release(&f);
}

/* Its phases and cause would be those of another collection. */
static void report_of_a_missed_stop_is_dropped(void **state)
{
	struct gc_event_report *report = a_report(5, 1000000);
	struct fixture f;
	struct gc_event_stop e;
	struct gc_values v;
	struct gc_pause p;
	struct gc_join *j;

	(void)state;
	fixture_init(&f);
	j = gc_join_new(&f.options, &f.first);
	v = f.first;
	v.safepoints++;
	e = a_stop(&v, 500000, 1000);
	gc_join_add(j, &e, sizeof(e));
	assert_true(gc_join_next(j, 600000, &p));
	/* This report's stop has no event. */
	gc_join_add(j, report, sizeof(*report));
	v.safepoints += 2;
	v.collectors[0].ns += 900;
	e = a_stop(&v, 3000000, 1000);
	gc_join_add(j, &e, sizeof(e));
	assert_true(gc_join_next(j, INT64_MAX, &p));
	assert_int_equal(p.count, 2);
	assert_int_equal(p.phase_count, 0);
	assert_string_equal(p.cause, "G1 Evacuation Pause");
	assert_false(gc_join_next(j, INT64_MAX, &p));
	/* Nor does it become a cycle. */
	gc_join_add(j, report, sizeof(*report));
	assert_false(gc_join_next(j, INT64_MAX, &p));
	gc_join_free(j);
	free(report);
	fixture_release(&f);
}

/* The stop before is missing, but this one has its own report. */
static void report_inside_of_a_stop_is_kept(void **state)
{
	struct gc_event_report *report = a_report(5, 2999500);
	struct fixture f;
	struct gc_event_stop e;
	struct gc_values v;
	struct gc_pause p;
	struct gc_join *j;

	(void)state;
	fixture_init(&f);
	report->event.time_ns = 2999600;
	j = gc_join_new(&f.options, &f.first);
	gc_join_add(j, report, sizeof(*report));
	v = f.first;
	v.safepoints += 2;
	v.collectors[0].ns += 900;
	e = a_stop(&v, 3000000, 1000);
	gc_join_add(j, &e, sizeof(e));
	assert_true(gc_join_next(j, INT64_MAX, &p));
	assert_int_equal(p.count, 2);
	assert_int_equal(p.phase_count, 2);
	assert_string_equal(p.cause, "Concurrent GC");
	gc_join_free(j);
	free(report);
	fixture_release(&f);
}

static void implausible_phases_and_short_events_are_ignored(void **state)
{
	struct gc_event_report *report = a_report(9, 1000000);
	struct fixture f;
	struct gc_pause p;
	struct gc_join *j;

	(void)state;
	fixture_init(&f);
	j = gc_join_new(&f.options, &f.first);
	for (size_t len = 0; len < sizeof(*report); len += 7)
		gc_join_add(j, report, len);
	assert_false(gc_join_next(j, INT64_MAX, &p));
	report->count = 1 << 30;
	gc_join_add(j, report, sizeof(*report));
	assert_true(gc_join_next(j, INT64_MAX, &p));
	assert_int_equal(p.phase_count, 0);
	assert_int_equal(p.gc_ns, GC_ABSENT);
	report->count = 2;
	report->tracer++;
	report->phases[1].level = -1;
	gc_join_add(j, report, sizeof(*report));
	assert_true(gc_join_next(j, INT64_MAX, &p));
	assert_int_equal(p.phase_count, 0);
	gc_join_free(j);
	free(report);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stop_has_the_differences_of_the_counters),
		cmocka_unit_test(stop_without_a_collection_has_no_cause),
		cmocka_unit_test(time_of_the_probes_is_used_unless_implausible),
		cmocka_unit_test(
			operation_that_collects_nothing_is_no_collection),
		cmocka_unit_test(stop_before_the_first_reading_is_not_missed),
		cmocka_unit_test(unreadable_stop_is_missed_once),
		cmocka_unit_test(
			unreadable_counter_of_a_collector_keeps_its_value),
		cmocka_unit_test(missed_stops_are_counted_and_summed_up),
		cmocka_unit_test(
			stop_that_began_before_the_first_reading_is_omitted),
		cmocka_unit_test(heap_summaries_belong_to_the_next_stop),
		cmocka_unit_test(
			pause_of_a_cycle_waits_for_the_time_of_its_phase),
		cmocka_unit_test(phase_of_a_pause_whose_event_is_late_is_found),
		cmocka_unit_test(
			pause_inside_a_concurrent_phase_is_found_by_its_name),
		cmocka_unit_test(report_of_a_missed_stop_is_dropped),
		cmocka_unit_test(report_inside_of_a_stop_is_kept),
		cmocka_unit_test(
			implausible_phases_and_short_events_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
