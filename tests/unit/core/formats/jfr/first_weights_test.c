/* SPDX-License-Identifier: Apache-2.0 */
/* The first allocation sample of a thread, with and without statistics. */
#include "core/formats/jfr/first_weights.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define SECOND    INT64_C(1000000000)
#define START     (1700000000 * SECOND)
#define SET_ASIDE "bytes allocated before the recording, not included"

static struct profile *profile;
static struct first_weights weights;
static uint32_t event;

static uint32_t thread(const char *name)
{
	const struct thread t = {
		.name = profile_string(profile, name, strlen(name)),
	};

	return profile_thread(profile, &t);
}

static void begin(void)
{
	profile = profile_new();
	event = profile_event(profile, "jdk.ObjectAllocationSample",
			      UNIT_BYTES);
	weights = (struct first_weights){ 0 };
	first_weights_chunk(&weights, START);
}

static void sample(const char *name, int64_t ns, uint64_t weight)
{
	struct sample s = {
		.event = event,
		.thread = thread(name),
		.time_ns = START + ns,
		.count = 1,
		.weight = weight,
	};

	if (first_weights_take(&weights, &s))
		profile_add(profile, &s);
}

static void allocated(const char *name, int64_t ns, uint64_t bytes)
{
	first_weights_allocated(&weights, thread(name), START + ns, bytes);
}

static uint64_t noted(const char *what)
{
	for (size_t i = 0; i < profile->remark_count; i++) {
		if (strcmp(profile->remarks[i].what, what) == 0)
			return profile->remarks[i].count;
	}
	return 0;
}

/* Ends the recording and checks the total weight and the omitted weight. */
static void assert_weighs(uint64_t weight, uint64_t samples, uint64_t set_aside)
{
	first_weights_end(&weights, profile);
	assert_int_equal(profile->events[event].weight, weight);
	assert_int_equal(profile->events[event].samples, samples);
	assert_int_equal(noted(SET_ASIDE), set_aside);
	first_weights_release(&weights);
	profile_free(profile);
}

static void allocation_before_the_statistics_is_removed(void **state)
{
	(void)state;
	begin();
	allocated("main", 0, 5000000);
	/* The events are not sorted by time. */
	sample("main", 2 * SECOND, 300);
	sample("main", 1 * SECOND, 5000200);
	sample("main", 3 * SECOND, 400);
	allocated("main", 4 * SECOND, 5001000);
	/* 1000 in total, of which later samples have 700. */
	assert_weighs(1000, 3, 4999900);
}

static void statistics_of_each_chunk_count(void **state)
{
	(void)state;
	begin();
	allocated("main", 0, 1000);
	sample("main", 1 * SECOND, 1500);
	allocated("main", 2 * SECOND, 1600);
	first_weights_chunk(&weights, START + 2 * SECOND);
	allocated("main", 2 * SECOND, 1600);
	sample("main", 3 * SECOND, 700);
	allocated("main", 4 * SECOND, 2300);
	first_weights_chunk(&weights, START + 4 * SECOND);
	/* The last chunk was truncated, so no statistics cover this sample. */
	sample("main", 5 * SECOND, 900);
	assert_weighs(600 + 700 + 900, 3, 900);
}

static void weight_that_matches_the_statistics_is_unchanged(void **state)
{
	(void)state;
	begin();
	allocated("main", 0, 5000000);
	sample("main", 1 * SECOND, 1000);
	sample("main", 2 * SECOND, 10);
	allocated("main", 3 * SECOND, 5001000);
	assert_weighs(1010, 2, 0);
}

static void thread_started_in_the_recording_keeps_its_weight(void **state)
{
	(void)state;
	begin();
	allocated("main", 0, 100);
	sample("young", 1 * SECOND, 70000);
	sample("young", 2 * SECOND, 10);
	allocated("main", 3 * SECOND, 100);
	allocated("young", 3 * SECOND, 70010);
	assert_weighs(70010, 2, 0);
}

static void ended_thread_is_corrected_by_the_statistics(void **state)
{
	(void)state;
	begin();
	allocated("main", 0, 6000);
	sample("main", 1 * SECOND, 9000);
	assert_weighs(3000, 1, 6000);
}

/* JFR samples from the start of the recording, and writes statistics later. */
static void sample_before_the_statistics_gets_the_usual_weight(void **state)
{
	(void)state;
	begin();
	sample("main", 1 * SECOND, 1000000);
	sample("main", 2 * SECOND, 200);
	sample("main", 2 * SECOND, 400);
	allocated("main", 3 * SECOND, 1000600);
	sample("main", 4 * SECOND, 300);
	allocated("main", 4 * SECOND, 1000900);
	assert_weighs(300 + 900, 4, 999700);

	/* The weight does not exceed the thread's allocation in that time. */
	begin();
	sample("busy", 1 * SECOND, 500);
	sample("busy", 2 * SECOND, 500);
	sample("main", 1 * SECOND, 1000000);
	allocated("main", 3 * SECOND, 1000000);
	allocated("main", 5 * SECOND, 1000004);
	assert_weighs(1000 + 2, 3, 999998);
}

static void larger_weight_without_statistics_becomes_the_mean(void **state)
{
	(void)state;
	begin();
	sample("main", 1 * SECOND, 1000000);
	sample("main", 2 * SECOND, 200);
	sample("main", 3 * SECOND, 400);
	/* A single sample gets the mean of other threads' samples. */
	sample("lone", 1 * SECOND, 2000000);
	/* A weight similar to those of other samples is unchanged. */
	sample("same", 1 * SECOND, 390);
	sample("same", 2 * SECOND, 400);
	assert_weighs(300 + 600 + 333 + 790, 6, 999700 + 1999667);
}

static void with_nothing_to_compare_with_a_weight_stays(void **state)
{
	(void)state;
	begin();
	sample("main", 1 * SECOND, 4096);
	assert_weighs(4096, 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocation_before_the_statistics_is_removed),
		cmocka_unit_test(statistics_of_each_chunk_count),
		cmocka_unit_test(
			weight_that_matches_the_statistics_is_unchanged),
		cmocka_unit_test(
			thread_started_in_the_recording_keeps_its_weight),
		cmocka_unit_test(ended_thread_is_corrected_by_the_statistics),
		cmocka_unit_test(
			sample_before_the_statistics_gets_the_usual_weight),
		cmocka_unit_test(
			larger_weight_without_statistics_becomes_the_mean),
		cmocka_unit_test(with_nothing_to_compare_with_a_weight_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
