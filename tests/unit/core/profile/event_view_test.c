/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/event_view.h"

#include "core/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
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

static void families_precede_other_views_in_table_order(void **state)
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

static void bytes_recorded_twice_are_not_added_up(void **state)
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

static void cpu_is_the_default_even_with_fewer_stack_traces(void **state)
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

static void views_without_stack_traces_are_omitted_beside_others(void **state)
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

static void view_is_chosen_by_family_type_or_last_part(void **state)
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

static void missing_view_is_rejected_with_the_available_views(void **state)
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
	assert_string_equal(err.text,
			    "no samples of 'cpu'; available events: park, x.Y");
	profile_free(p);
}

/* Events are found through a table, not by a search through all. */
static void many_events_are_found_and_chosen_by_their_names(void **state)
{
	const uint32_t count = 100000;
	struct profile *p = profile_new();
	struct event_view *views, view;
	struct error err;

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < count; i++) {
			char name[40];

			snprintf(name, sizeof(name), "jdk.ObjectAllocation%u",
				 i);
			if (profile_event(p, name, UNIT_SAMPLES) != i)
				fail_msg("%s has another id", name);
			p->events[i].samples = 1;
		}
	}
	assert_int_equal(p->event_count, count);
	assert_int_equal(p->event_ids.count, count);
	assert_int_equal(event_views(p, &views), count);
	free(views);
	assert_int_equal(
		event_view_choose(p, "ObjectAllocation99999", &view, &err), 0);
	assert_int_equal(view.events[0], count - 1);
	profile_free(p);
}

/* Checks which views with these numbers of stack traces are kept: "0 2 3". */
static void assert_left(const uint64_t *samples, size_t count, size_t most,
			size_t selected, const char *want)
{
	struct event_view views[8] = { 0 };
	struct text got = { 0 };
	size_t left, at = selected;

	for (uint32_t i = 0; i < count; i++) {
		views[i].events[0] = i;
		views[i].samples = samples[i];
	}
	left = event_views_limit(views, count, most, &at);
	for (size_t i = 0; i < left; i++)
		text_printf(&got, i ? " %u" : "%u", views[i].events[0]);
	assert_string_equal(got.bytes, want);
	assert_int_equal(views[at].events[0], selected);
	text_release(&got);
}

static void limit_keeps_the_views_with_the_most_stack_traces(void **state)
{
	static const uint64_t samples[] = { 5, 1, 9, 5, 5, 2 };

	(void)state;
	assert_left(samples, 6, 6, 1, "0 1 2 3 4 5");
	assert_left(samples, 6, 9, 1, "0 1 2 3 4 5");
	assert_left(samples, 6, 4, 2, "0 2 3 4");
	assert_left(samples, 6, 3, 2, "0 2 3");
	assert_left(samples, 6, 3, 1, "0 1 2");
	assert_left(samples, 6, 1, 5, "5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_of_a_family_are_added_up),
		cmocka_unit_test(families_precede_other_views_in_table_order),
		cmocka_unit_test(bytes_recorded_twice_are_not_added_up),
		cmocka_unit_test(
			cpu_is_the_default_even_with_fewer_stack_traces),
		cmocka_unit_test(
			views_without_stack_traces_are_omitted_beside_others),
		cmocka_unit_test(view_is_chosen_by_family_type_or_last_part),
		cmocka_unit_test(
			missing_view_is_rejected_with_the_available_views),
		cmocka_unit_test(
			many_events_are_found_and_chosen_by_their_names),
		cmocka_unit_test(
			limit_keeps_the_views_with_the_most_stack_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
