/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/event_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void add(struct profile *p, const char *event, enum unit unit,
		uint64_t count, uint64_t weight)
{
	struct sample s = {
		.event = profile_event(p, event, unit),
		.count = count,
		.weight = weight,
	};

	if (count)
		profile_add(p, &s);
}

static void types_of_a_family_are_added_up(void **state)
{
	struct profile *p = profile_new();
	struct event_view *views;

	(void)state;
	add(p, "jdk.SocketWrite", UNIT_NS, 2, 20);
	add(p, "jdk.FileRead", UNIT_NS, 3, 30);
	add(p, "jdk.FileWrite", UNIT_NS, 0, 0);
	assert_int_equal(event_views(p, &views), 1);
	assert_string_equal(views[0].name, "io");
	assert_int_equal(views[0].event_count, 2);
	assert_int_equal(views[0].samples, 5);
	assert_int_equal(views[0].without_stack, 5);
	assert_int_equal(views[0].weight, 50);
	assert_int_equal(views[0].unit, UNIT_NS);
	free(views);
	profile_free(p);
}

static void families_come_first_in_the_order_of_their_table(void **state)
{
	static const char *const expected[] = { "cpu", "cpu-time", "wall",
						"lock", "my.Event" };
	struct profile *p = profile_new();
	struct event_view *views;

	(void)state;
	add(p, "my.Event", UNIT_SAMPLES, 9, 9);
	add(p, "profiler.WallClockSample", UNIT_SAMPLES, 1, 1);
	add(p, "jdk.JavaMonitorEnter", UNIT_NS, 1, 1);
	add(p, "jdk.CPUTimeSample", UNIT_SAMPLES, 1, 1);
	add(p, "jdk.ExecutionSample", UNIT_SAMPLES, 1, 1);
	assert_int_equal(event_views(p, &views), 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(views[i].name, expected[i]);
	free(views);
	profile_free(p);
}

static void bytes_that_are_told_twice_are_not_added_up(void **state)
{
	struct profile *p = profile_new();
	struct event_view *views;

	(void)state;
	add(p, "jdk.ObjectAllocationInNewTLAB", UNIT_BYTES, 2, 200);
	add(p, "jdk.ObjectAllocationOutsideTLAB", UNIT_BYTES, 1, 50);
	assert_int_equal(event_views(p, &views), 1);
	assert_string_equal(views[0].name, "alloc");
	assert_int_equal(views[0].weight, 250);
	assert_int_equal(views[0].event_count, 2);
	free(views);

	add(p, "jdk.ObjectAllocationSample", UNIT_BYTES, 1, 240);
	assert_int_equal(event_views(p, &views), 3);
	assert_string_equal(views[0].name, "alloc");
	assert_int_equal(views[0].weight, 240);
	assert_string_equal(views[1].name, "jdk.ObjectAllocationInNewTLAB");
	assert_int_equal(views[0].event_count, 1);
	free(views);
	profile_free(p);
}

static void cpu_is_the_default_even_when_others_have_more(void **state)
{
	struct profile *p = profile_new();
	struct event_view view;
	struct error err;

	(void)state;
	add(p, "jdk.ThreadPark", UNIT_NS, 7, 1);
	add(p, "jdk.ThreadSleep", UNIT_NS, 9, 1);
	assert_int_equal(event_view_choose(p, NULL, &view, &err), 0);
	assert_string_equal(view.name, "sleep");
	add(p, "jdk.ExecutionSample", UNIT_SAMPLES, 1, 1);
	assert_int_equal(event_view_choose(p, NULL, &view, &err), 0);
	assert_string_equal(view.name, "cpu");
	profile_free(p);
}

static void
what_has_no_stack_trace_is_no_view_where_others_have_one(void **state)
{
	struct profile *p = profile_new();
	struct frame main_frame = { .method = profile_string(p, "main", 4) };
	uint32_t frame = profile_frame(p, &main_frame);
	struct event_view view, *views;
	struct error err;
	struct sample s = { .count = 1, .weight = 1 };

	(void)state;
	add(p, "profiler.Free", UNIT_SAMPLES, 100, 100);
	s.event = profile_event(p, "profiler.Malloc", UNIT_BYTES);
	s.stack = profile_stack(p, &frame, 1);
	profile_add(p, &s);
	assert_int_equal(event_view_choose(p, NULL, &view, &err), 0);
	assert_string_equal(view.name, "native-memory");
	assert_int_equal(event_views(p, &views), 1);
	free(views);
	assert_int_equal(event_view_choose(p, "profiler.Free", &view, &err), 0);
	assert_int_equal(view.samples, 100);
	profile_free(p);
}

static void a_view_is_chosen_by_family_type_or_last_part(void **state)
{
	struct profile *p = profile_new();
	struct event_view view;
	struct error err;

	(void)state;
	add(p, "jdk.FileRead", UNIT_NS, 1, 10);
	add(p, "jdk.FileWrite", UNIT_NS, 2, 20);
	add(p, "nps.wall", UNIT_NS, 3, 30);
	assert_int_equal(event_view_choose(p, "io", &view, &err), 0);
	assert_int_equal(view.weight, 30);
	assert_int_equal(event_view_choose(p, "jdk.FileWrite", &view, &err), 0);
	assert_int_equal(view.event_count, 1);
	assert_int_equal(view.weight, 20);
	assert_string_equal(view.name, "jdk.FileWrite");
	assert_int_equal(event_view_choose(p, "wall", &view, &err), 0);
	assert_string_equal(view.name, "nps.wall");
	add(p, "other.wall", UNIT_NS, 1, 1);
	assert_int_equal(event_view_choose(p, "wall", &view, &err), -1);
	profile_free(p);
}

static void what_is_not_there_is_answered_with_what_is(void **state)
{
	struct profile *p = profile_new();
	struct event_view view;
	struct error err;

	(void)state;
	assert_int_equal(event_view_choose(p, NULL, &view, &err), -1);
	assert_int_equal(err.kind, ERROR_INPUT);
	add(p, "jdk.ThreadPark", UNIT_NS, 7, 1);
	add(p, "x.Y", UNIT_NS, 7, 1);
	add(p, "jdk.ExecutionSample", UNIT_SAMPLES, 0, 0);
	assert_int_equal(event_view_choose(p, "cpu", &view, &err), -1);
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_string_equal(err.text, "no cpu samples; there are: park, x.Y");
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_of_a_family_are_added_up),
		cmocka_unit_test(
			families_come_first_in_the_order_of_their_table),
		cmocka_unit_test(bytes_that_are_told_twice_are_not_added_up),
		cmocka_unit_test(cpu_is_the_default_even_when_others_have_more),
		cmocka_unit_test(
			what_has_no_stack_trace_is_no_view_where_others_have_one),
		cmocka_unit_test(a_view_is_chosen_by_family_type_or_last_part),
		cmocka_unit_test(what_is_not_there_is_answered_with_what_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
