/* SPDX-License-Identifier: Apache-2.0 */
/* Written recordings are read back: each event has its JDK type and fields. */
#include "core/base/alloc.h"
#include "render/profile/export.h"
#include "tests/unit/foreign.h"
#include "tests/unit/sampled.h"
#include "tests/unit/sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct writing {
	const struct profile *profile;
	struct jfr_result result;
};

static void write_jfr(struct output *out, void *self)
{
	struct writing *w = self;
	struct event_view *views;
	size_t count = event_views(w->profile, &views);

	w->result = jfr_write(out, w->profile, views, count);
	free(views);
}

/* Writes a profile and reads the recording. */
static struct profile *written_again(const struct profile *p,
				     struct jfr_result *result)
{
	struct writing w = { .profile = p };
	struct text file = sampled_written(write_jfr, &w);
	struct profile *again;

	assert_true(jfr_reader.sniff((uint8_t *)file.bytes, file.len));
	again = foreign_read(&jfr_reader, file.bytes, file.len);
	text_release(&file);
	if (result)
		*result = w.result;
	return again;
}

static void add(struct profile *p, const char *event, enum unit unit,
		const char *path, const char *class_name, struct sample s)
{
	struct thread t = {
		.name = profile_string(p, "main", 4),
		.java_id = 1,
		.os_id = 4711,
	};

	s.event = profile_event(p, event, unit);
	s.thread = profile_thread(p, &t);
	s.stack = sampled_stack(p, path);
	if (class_name)
		s.stack = profile_push_class(
			p, s.stack,
			profile_string(p, class_name, strlen(class_name)));
	profile_add(p, &s);
}

static void events_are_written_with_the_types_of_the_jdk(void **state)
{
	static const struct {
		const char *event;
		enum unit unit;
		const char *class_name;
		const char *lines;
	} rows[] = {
		{ "cpu", UNIT_SAMPLES, NULL,
		  "jdk.ExecutionSample: a.B.main_[j];a.B.c_[j]|[main tid=4711] "
		  "BLOCKED|3 3\n" },
		{ "jdk.ExecutionSample", UNIT_SAMPLES, NULL,
		  "jdk.ExecutionSample: a.B.main_[j];a.B.c_[j]|[main tid=4711] "
		  "BLOCKED|3 3\n" },
		{ "alloc", UNIT_BYTES, "byte[]",
		  "jdk.ObjectAllocationInNewTLAB: "
		  "a.B.main_[j];a.B.c_[j];byte[]_[i]|"
		  "[main tid=4711]|3 3000\n" },
		{ "jdk.ObjectAllocationOutsideTLAB", UNIT_BYTES, "a.Big",
		  "jdk.ObjectAllocationOutsideTLAB: "
		  "a.B.main_[j];a.B.c_[j];a.Big_[i]|"
		  "[main tid=4711]|3 3000\n" },
		{ "lock", UNIT_NS, "a.Lock",
		  "jdk.JavaMonitorEnter: a.B.main_[j];a.B.c_[j];a.Lock_[i]|"
		  "[main tid=4711]|3 3000\n" },
		{ "jdk.ThreadPark", UNIT_NS, "a.Sync",
		  "jdk.ThreadPark: a.B.main_[j];a.B.c_[j];a.Sync_[i]|"
		  "[main tid=4711]|3 3000\n" },
		{ "thread-dump", UNIT_SAMPLES, NULL,
		  "sjkc.thread_dump: a.B.main_[j];a.B.c_[j]|[main tid=4711] "
		  "BLOCKED|3 3\n" },
		{ "off-cpu", UNIT_NS, NULL,
		  "sjkc.off_cpu: a.B.main_[j];a.B.c_[j]|[main tid=4711] "
		  "BLOCKED|3 3000\n" },
		{ "nativemem", UNIT_BYTES, NULL,
		  "sjkc.nativemem: a.B.main_[j];a.B.c_[j]|[main tid=4711] "
		  "BLOCKED|3 3000\n" },
		{ "cache-misses", UNIT_COUNT, NULL,
		  "sjkc.cache_misses: a.B.main_[j];a.B.c_[j]|[main tid=4711] "
		  "BLOCKED|3 3000\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct profile *p = profile_new(), *again;
		bool counts = rows[i].unit == UNIT_SAMPLES;

		add(p, rows[i].event, rows[i].unit, "a.B.main;a.B.c",
		    rows[i].class_name,
		    (struct sample){
			    .state = STATE_BLOCKED,
			    .time_ns = INT64_C(1700000000000000000),
			    .count = 3,
			    .weight = counts ? 3 : 3000,
		    });
		again = written_again(p, NULL);
		foreign_expect(again, rows[i].lines);
		assert_int_equal(again->remark_count, 0);
		assert_true(again->earliest_ns > INT64_C(1699999990000000000) &&
			    again->earliest_ns < INT64_C(1700000010000000000));
		profile_free(again);
		profile_free(p);
	}
}

static void states_and_missing_parts_are_kept(void **state)
{
	struct profile *p = profile_new(), *again;

	(void)state;
	for (int s = 0; s < THREAD_STATES; s++) {
		if (s == STATE_NONE)
			continue;
		add(p, "thread-dump", UNIT_SAMPLES, "a.B.c", NULL,
		    (struct sample){
			    .state = (enum thread_state)s,
			    .count = (uint64_t)s,
			    .weight = (uint64_t)s,
		    });
	}
	/* A sample without a thread, a stack trace and a state. */
	profile_add(p, &(struct sample){ .event = 0, .count = 9, .weight = 9 });
	again = written_again(p, NULL);
	foreign_expect(
		again,
		"sjkc.thread_dump: a.B.c_[j]|[main tid=4711] BLOCKED|3 3\n"
		"sjkc.thread_dump: a.B.c_[j]|[main tid=4711] NEW|1 1\n"
		"sjkc.thread_dump: a.B.c_[j]|[main tid=4711] RUNNABLE|2 2\n"
		"sjkc.thread_dump: a.B.c_[j]|[main tid=4711] TERMINATED|6 6\n"
		"sjkc.thread_dump: a.B.c_[j]|[main tid=4711] TIMED_WAITING|5 "
		"5\n"
		"sjkc.thread_dump: a.B.c_[j]|[main tid=4711] WAITING|4 4\n"
		"sjkc.thread_dump: ||9 9\n");
	profile_free(again);
	profile_free(p);
}

/* Weights that the samples cannot share equally keep their sum. */
static void sums_of_weights_are_exact(void **state)
{
	struct profile *p = profile_new(), *again;

	(void)state;
	add(p, "alloc", UNIT_BYTES, "a.B.c", "a.C",
	    (struct sample){ .count = 7, .weight = 1000003 });
	again = written_again(p, NULL);
	assert_int_equal(again->events[0].samples, 7);
	assert_int_equal(again->events[0].weight, 1000003);
	profile_free(again);
	profile_free(p);
}

/* A program may be idle before its first sample and after its last. */
static void times_of_the_recording_are_kept(void **state)
{
	const int64_t s = INT64_C(1000000000), start = 1700000000 * s;
	struct profile *p = profile_new(), *again;

	(void)state;
	add(p, "cpu", UNIT_SAMPLES, "a.B.main", NULL,
	    (struct sample){ .time_ns = start + 3 * s, .count = 1 });
	p->earliest_ns = start;
	p->latest_ns = start + 10 * s;
	again = written_again(p, NULL);
	assert_int_equal(again->earliest_ns, start);
	assert_int_equal(again->latest_ns, start + 10 * s);
	profile_free(again);
	profile_free(p);
}

/* The times of a hostile input may be as far apart as numbers can be. */
static void any_times_are_written(void **state)
{
	struct profile *p = profile_new(), *again;

	(void)state;
	add(p, "cpu", UNIT_SAMPLES, "a.B.main", NULL,
	    (struct sample){ .time_ns = INT64_MIN + 1, .count = 1 });
	add(p, "cpu", UNIT_SAMPLES, "a.B.main", NULL,
	    (struct sample){ .time_ns = INT64_MAX - 1, .count = 1 });
	again = written_again(p, NULL);
	assert_int_equal(again->events[0].samples, 2);
	profile_free(again);
	profile_free(p);
}

static void deep_stack_traces_are_truncated_and_counted(void **state)
{
	struct profile *p = profile_new(), *again;
	struct sample s = { .count = 1, .weight = 1 };
	const unsigned step = IS_SANITIZED ? 10 : 1;
	struct jfr_result result;
	char name[32];

	(void)state;
	s.event = profile_event(p, "cpu", UNIT_SAMPLES);
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "a.A.f%u", i);
		s.stack = profile_push(p, s.stack,
				       sampled_frame(p, name, FRAME_JAVA, 0));
		if (i % step == 0)
			profile_add(p, &s);
	}
	again = written_again(p, &result);
	assert_int_equal(again->events[0].samples, 5000 / step);
	assert_true(result.cut > 0);
	assert_int_equal(result.dropped, 0);
	profile_free(again);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_written_with_the_types_of_the_jdk),
		cmocka_unit_test(states_and_missing_parts_are_kept),
		cmocka_unit_test(sums_of_weights_are_exact),
		cmocka_unit_test(times_of_the_recording_are_kept),
		cmocka_unit_test(any_times_are_written),
		cmocka_unit_test(deep_stack_traces_are_truncated_and_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
