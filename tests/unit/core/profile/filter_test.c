/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t frame(struct profile *p, const char *class_name,
		      const char *method)
{
	struct frame f = {
		.class_name = profile_string(p, class_name, strlen(class_name)),
		.method = profile_string(p, method, strlen(method)),
		.kind = FRAME_JAVA,
	};

	return profile_frame(p, &f);
}

/*
 * main: a.A.run                  1
 * main: a.A.run > b.B.work       2   RUNNABLE
 * pool: a.A.run > c.C.wait       4   WAITING
 * pool: no stack trace           8
 */
static struct profile *example(void)
{
	struct profile *p = profile_new();
	struct thread main_thread = { profile_string(p, "main", 4), 1, 0, 0 };
	struct thread pool = { profile_string(p, "pool-1", 6), 2, 0, 0 };
	struct sample s = {
		.event = profile_event(p, "e", UNIT_SAMPLES),
		.thread = profile_thread(p, &main_thread),
		.stack = profile_push(p, 0, frame(p, "a.A", "run")),
		.count = 1,
		.weight = 1,
	};
	uint32_t run = s.stack;

	profile_add(p, &s);
	s.stack = profile_push(p, run, frame(p, "b.B", "work"));
	s.state = STATE_RUNNABLE;
	s.count = s.weight = 2;
	profile_add(p, &s);
	s.stack = profile_push(p, run, frame(p, "c.C", "wait"));
	s.thread = profile_thread(p, &pool);
	s.state = STATE_WAITING;
	s.count = s.weight = 4;
	profile_add(p, &s);
	s.stack = 0;
	s.state = STATE_NONE;
	s.count = s.weight = 8;
	profile_add(p, &s);
	return p;
}

/* Number of samples that pass the filter. */
static uint64_t left(const char *include, const char *exclude,
		     const char *thread, uint32_t states)
{
	struct profile *p = example();
	struct error err;
	struct pattern *patterns[] = {
		include ? pattern_new(include, &err) : NULL,
		exclude ? pattern_new(exclude, &err) : NULL,
		thread ? pattern_new(thread, &err) : NULL,
	};
	struct filter f = { patterns[2], states, patterns[0], patterns[1] };
	uint64_t weight = 0;

	filter_apply(p, &f);
	for (size_t i = 0; i < p->cell_count; i++)
		weight += p->cells[i].weight;
	assert_int_equal(p->events[0].weight, weight);
	assert_int_equal(p->events[0].samples, weight);
	assert_int_equal(p->events[0].without_stack, weight & 8);
	for (size_t i = 0; i < 3; i++)
		pattern_free(patterns[i]);
	profile_free(p);
	return weight;
}

static void zeroed_filter_passes_everything(void **state)
{
	(void)state;
	assert_int_equal(left(NULL, NULL, NULL, 0), 15);
}

static void include_wants_a_frame_anywhere_in_the_stack_trace(void **state)
{
	(void)state;
	assert_int_equal(left("B\\.work", NULL, NULL, 0), 2);
	assert_int_equal(left("^a\\.A\\.run$", NULL, NULL, 0), 7);
	assert_int_equal(left("nothing", NULL, NULL, 0), 0);
	/* A pattern that matches everything still requires a frame. */
	assert_int_equal(left("", NULL, NULL, 0), 7);
}

static void exclude_wants_no_such_frame(void **state)
{
	(void)state;
	assert_int_equal(left(NULL, "B\\.work", NULL, 0), 13);
	assert_int_equal(left(NULL, "a\\.A", NULL, 0), 8);
	assert_int_equal(left("run", "work|wait", NULL, 0), 1);
}

static void threads_are_filtered_by_name_and_state(void **state)
{
	(void)state;
	assert_int_equal(left(NULL, NULL, "^pool", 0), 12);
	assert_int_equal(left(NULL, NULL, NULL, 1u << STATE_WAITING), 4);
	assert_int_equal(left(NULL, NULL, NULL, 1u << STATE_NONE), 9);
	assert_int_equal(left(NULL, NULL, "main", 1u << STATE_WAITING), 0);
}

static void cells_can_be_added_to_after_filtering(void **state)
{
	struct profile *p = example();
	struct filter f = { .states = 1u << STATE_RUNNABLE };
	struct sample s;

	(void)state;
	filter_apply(p, &f);
	assert_int_equal(p->cell_count, 1);
	s = (struct sample){
		.event = 0,
		.stack = p->cells[0].stack,
		.thread = p->cells[0].thread,
		.state = STATE_RUNNABLE,
		.count = 1,
		.weight = 3,
	};
	profile_add(p, &s);
	assert_int_equal(p->cell_count, 1);
	assert_int_equal(p->cells[0].weight, 5);
	profile_free(p);
}

static void states_are_read_in_any_case(void **state)
{
	struct error err;
	uint32_t bits = 0;

	(void)state;
	assert_int_equal(filter_states("RUNNABLE", &bits, &err), 0);
	assert_int_equal(bits, 1u << STATE_RUNNABLE);
	assert_int_equal(
		filter_states("runnable,timed-waiting,none", &bits, &err), 0);
	assert_int_equal(bits, 1u << STATE_RUNNABLE |
				       1u << STATE_TIMED_WAITING |
				       1u << STATE_NONE);
	assert_int_equal(filter_states("sleeping", &bits, &err), 0);
	assert_int_equal(bits, 1u << STATE_BLOCKED | 1u << STATE_WAITING |
				       1u << STATE_TIMED_WAITING);
}

static void unknown_state_is_rejected_with_the_valid_names(void **state)
{
	static const char *const wrong[] = {
		"", "x", "NEW,", ",NEW", "NEW, RUNNABLE", "RUNNABLEX"
	};
	struct error err;
	uint32_t bits = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(filter_states(wrong[i], &bits, &err), -1);
		assert_int_equal(err.kind, ERROR_MISUSE);
		assert_non_null(strstr(err.text, "TIMED_WAITING"));
		assert_int_equal(bits, 77);
	}
}

/* Cells that differ only in the class are merged. */
static void dropping_classes_merges_samples_of_the_method(void **state)
{
	struct profile *p = profile_new();
	uint32_t call = profile_push(p, 0, frame(p, "a.A", "make"));
	struct sample s = { .count = 1, .weight = 8 };
	const char *const classes[] = { "[B", "java.lang.String" };

	(void)state;
	s.event = profile_event(p, "alloc", UNIT_BYTES);
	for (size_t i = 0; i < 2; i++) {
		uint32_t name = profile_string(p, classes[i],
					       strlen(classes[i]));

		s.stack = profile_push_class(p, call, name);
		profile_add(p, &s);
	}
	s.stack = 0;
	profile_add(p, &s);
	assert_int_equal(p->cell_count, 3);
	filter_drop_classes(p);
	assert_int_equal(p->cell_count, 2);
	assert_int_equal(p->cells[0].stack, call);
	assert_int_equal(p->cells[0].count, 2);
	assert_int_equal(p->events[0].weight, 24);
	assert_int_equal(p->events[0].without_stack, 1);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeroed_filter_passes_everything),
		cmocka_unit_test(
			include_wants_a_frame_anywhere_in_the_stack_trace),
		cmocka_unit_test(exclude_wants_no_such_frame),
		cmocka_unit_test(threads_are_filtered_by_name_and_state),
		cmocka_unit_test(cells_can_be_added_to_after_filtering),
		cmocka_unit_test(dropping_classes_merges_samples_of_the_method),
		cmocka_unit_test(states_are_read_in_any_case),
		cmocka_unit_test(
			unknown_state_is_rejected_with_the_valid_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
