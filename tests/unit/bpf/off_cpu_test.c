/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/off_cpu.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

/* A sample with one kernel frame. */
struct one {
	struct sample_event event;
	uint64_t frame;
};

static void leave(struct off_cpu *o, uint32_t tid, uint64_t at, uint64_t frame)
{
	struct one one = { .event = { .tid = tid,
				      .time_ns = at,
				      .kind = SAMPLE_OFFCPU,
				      .kernel_frames = 1 },
			   .frame = frame };

	off_cpu_left(o, tid, &one.event, sizeof(one));
}

static uint64_t frame_of(const struct off_cpu_sample *s)
{
	uint64_t frame;

	memcpy(&frame, &s->event + 1, sizeof(frame));
	return frame;
}

static void returned_thread_has_its_whole_sample(void **state)
{
	struct off_cpu o = { 0 };
	struct off_cpu_sample *s;

	(void)state;
	leave(&o, 7, 100, 0xabc);
	leave(&o, 8, 101, 0xdef);
	s = off_cpu_returned(&o, 7, 100);
	assert_non_null(s);
	assert_int_equal(s->event.tid, 7);
	assert_int_equal(frame_of(s), 0xabc);
	free(s);
	assert_null(off_cpu_returned(&o, 7, 100));
	assert_int_equal(o.count, 1);
	off_cpu_release(&o);
	assert_int_equal(o.bytes, 0);
}

static void threads_in_one_bucket_have_their_own_samples(void **state)
{
	struct off_cpu o = { 0 };
	uint32_t tids[] = { 5, 5 + OFF_CPU_BUCKETS, 5 + 2 * OFF_CPU_BUCKETS };

	(void)state;
	for (uint64_t i = 0; i < 3; i++)
		leave(&o, tids[i], 100 + i, i);
	for (uint64_t i = 0; i < 3; i++) {
		struct off_cpu_sample *s = off_cpu_returned(&o, tids[i],
							    100 + i);

		assert_non_null(s);
		assert_int_equal(frame_of(s), i);
		free(s);
	}
	assert_int_equal(o.count, 0);
}

static void return_of_another_wait_ends_no_sample(void **state)
{
	struct off_cpu o = { 0 };

	(void)state;
	leave(&o, 7, 100, 0);
	assert_null(off_cpu_returned(&o, 7, 99));
	assert_null(off_cpu_returned(&o, 9, 100));
	off_cpu_release(&o);
}

static void next_wait_replaces_one_without_an_end_and_counts_it(void **state)
{
	struct off_cpu o = { 0 };
	struct off_cpu_sample *s;

	(void)state;
	leave(&o, 7, 100, 1);
	leave(&o, 7, 200, 2);
	assert_int_equal(o.count, 1);
	assert_int_equal(o.unended, 1);
	s = off_cpu_returned(&o, 7, 200);
	assert_non_null(s);
	assert_int_equal(frame_of(s), 2);
	free(s);
}

static void off_cpu_drains_remaining_samples_one_by_one(void **state)
{
	struct off_cpu o = { 0 };
	struct off_cpu_sample *s;
	uint32_t sum = 0;

	(void)state;
	for (uint32_t tid = 1; tid <= 100; tid++)
		leave(&o, tid * 1000, tid, 0);
	while ((s = off_cpu_any(&o))) {
		sum += s->event.tid / 1000;
		free(s);
	}
	assert_int_equal(sum, 5050);
}

static void samples_beyond_the_limit_are_dropped_and_counted(void **state)
{
	size_t size = 1 << 20;
	struct sample_event *large = calloc(1, size);
	struct off_cpu o = { 0 };

	(void)state;
	for (uint32_t tid = 1; tid <= 200; tid++) {
		large->tid = tid;
		off_cpu_left(&o, large->tid, large, size);
	}
	assert_true(o.bytes <= OFF_CPU_BYTES);
	assert_int_equal(o.dropped + o.count, 200);
	assert_true(o.dropped > 0);
	free(large);
	off_cpu_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returned_thread_has_its_whole_sample),
		cmocka_unit_test(threads_in_one_bucket_have_their_own_samples),
		cmocka_unit_test(return_of_another_wait_ends_no_sample),
		cmocka_unit_test(
			next_wait_replaces_one_without_an_end_and_counts_it),
		cmocka_unit_test(off_cpu_drains_remaining_samples_one_by_one),
		cmocka_unit_test(
			samples_beyond_the_limit_are_dropped_and_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
