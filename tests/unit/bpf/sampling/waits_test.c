/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/waits.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

enum { PROCESS = 1000 };

/* A sample with one kernel frame. */
struct one {
	struct sample_event event;
	uint64_t frame;
};

static void begin(struct waits *w, enum sample_kind kind, uint32_t tid,
		  uint64_t at, uint64_t frame)
{
	struct one one = { .event = { .tgid = PROCESS + tid % 2,
				      .tid = tid,
				      .time_ns = at,
				      .kind = (uint16_t)kind,
				      .kernel_frames = 1 },
			   .frame = frame };

	waits_begin(w, &one.event, sizeof(one));
}

static void leave(struct waits *w, uint32_t tid, uint64_t at, uint64_t frame)
{
	begin(w, SAMPLE_OFFCPU, tid, at, frame);
}

static struct wait *returned(struct waits *w, uint32_t tid, uint64_t at)
{
	return waits_end(w, SAMPLE_OFFCPU, PROCESS + tid % 2, tid, at);
}

static uint64_t frame_of(const struct wait *one)
{
	uint64_t frame;

	memcpy(&frame, &one->event + 1, sizeof(frame));
	return frame;
}

static void returned_thread_has_its_whole_sample(void **state)
{
	struct waits w = { 0 };
	struct wait *one;

	(void)state;
	leave(&w, 7, 100, 0xabc);
	leave(&w, 8, 101, 0xdef);
	one = returned(&w, 7, 100);
	assert_non_null(one);
	assert_int_equal(one->event.tid, 7);
	assert_int_equal(frame_of(one), 0xabc);
	free(one);
	assert_null(returned(&w, 7, 100));
	assert_int_equal(w.count, 1);
	waits_release(&w);
	assert_int_equal(w.bytes, 0);
}

static void threads_in_one_bucket_have_their_own_samples(void **state)
{
	struct waits w = { 0 };
	uint32_t tids[] = { 5, 5 + WAITS_BUCKETS, 5 + 2 * WAITS_BUCKETS };

	(void)state;
	for (uint64_t i = 0; i < 3; i++)
		leave(&w, tids[i], 100 + i, i);
	for (uint64_t i = 0; i < 3; i++) {
		struct wait *one = returned(&w, tids[i], 100 + i);

		assert_non_null(one);
		assert_int_equal(frame_of(one), i);
		free(one);
	}
	assert_int_equal(w.count, 0);
}

static void return_of_another_wait_ends_no_sample(void **state)
{
	struct waits w = { 0 };

	(void)state;
	leave(&w, 7, 100, 0);
	assert_null(returned(&w, 7, 99));
	assert_null(returned(&w, 9, 100));
	assert_null(waits_end(&w, SAMPLE_LOCK, PROCESS + 1, 7, 100));
	waits_release(&w);
}

static void next_wait_replaces_one_without_an_end_and_counts_it(void **state)
{
	struct waits w = { 0 };
	struct wait *one;

	(void)state;
	leave(&w, 7, 100, 1);
	leave(&w, 7, 200, 2);
	assert_int_equal(w.count, 1);
	assert_int_equal(w.unended, 1);
	one = returned(&w, 7, 200);
	assert_non_null(one);
	assert_int_equal(frame_of(one), 2);
	free(one);
}

/* The low 32 bits of both times are equal; a carrier thread is another one. */
static void waits_for_monitors_are_found_by_process_and_beginning(void **state)
{
	uint64_t later = 100 + (UINT64_C(1) << 32);
	struct waits w = { 0 };
	struct wait *one;

	(void)state;
	begin(&w, SAMPLE_LOCK, 7, 100, 1);
	begin(&w, SAMPLE_LOCK, 9, later, 2);
	begin(&w, SAMPLE_LOCK, 8, 100, 3);
	assert_int_equal(w.count, 3);
	assert_int_equal(w.unended, 0);
	one = waits_end(&w, SAMPLE_LOCK, PROCESS + 1, 77, 100);
	assert_int_equal(frame_of(one), 1);
	free(one);
	one = waits_end(&w, SAMPLE_LOCK, PROCESS + 1, 77, later);
	assert_int_equal(frame_of(one), 2);
	free(one);
	one = waits_end(&w, SAMPLE_LOCK, PROCESS, 77, 100);
	assert_int_equal(frame_of(one), 3);
	free(one);
}

static void samples_beyond_the_limit_are_dropped_and_counted(void **state)
{
	size_t size = 1 << 20;
	struct sample_event *large = calloc(1, size);
	struct waits w = { 0 };

	(void)state;
	large->kind = SAMPLE_OFFCPU;
	for (uint32_t tid = 1; tid <= 200; tid++) {
		large->tid = tid;
		waits_begin(&w, large, size);
	}
	assert_true(w.bytes <= WAITS_BYTES);
	assert_int_equal(w.dropped + w.count, 200);
	assert_true(w.dropped > 0);
	free(large);
	waits_release(&w);
}

/* ---- cuts ---- */

struct parts {
	size_t count, arrays;
	uint64_t sum_ns, earliest_ns;
	bool is_refused;
};

static bool on_part(void *self, struct wait *wait)
{
	struct parts *p = self;
	struct sample_event *e = &wait->event;

	if (p->is_refused)
		return false;
	p->count++;
	p->arrays += e->kernel_frames;
	p->sum_ns += e->weight;
	if (!p->earliest_ns || e->time_ns < p->earliest_ns)
		p->earliest_ns = e->time_ns;
	e->stack = e->tid;
	e->owner = e->kind == SAMPLE_LOCK ? 42 : 0;
	return true;
}

/* Thousands of windows hold their own time of a wait that never ends. */
static void each_window_has_its_part_of_an_unfinished_wait(void **state)
{
	const uint64_t window_ns = UINT64_C(5000000000);
	struct waits w = { 0 };
	struct wait *one;

	(void)state;
	leave(&w, 7, window_ns / 2, 1);
	begin(&w, SAMPLE_LOCK, 8, window_ns / 2, 2);
	for (uint64_t i = 1; i <= 10000; i++) {
		struct parts p = { 0 };

		waits_cut(&w, i * window_ns, on_part, &p);
		assert_int_equal(p.count, 2);
		assert_int_equal(p.sum_ns, i == 1 ? window_ns : 2 * window_ns);
		assert_int_equal(p.earliest_ns,
				 i == 1 ? window_ns / 2 : (i - 1) * window_ns);
		/* The stack is needed once. */
		assert_int_equal(p.arrays, i == 1 ? 2 : 0);
		assert_int_equal(w.bytes, 2 * sizeof(struct sample_event));
	}
	/* The record of the end has the original time. */
	one = returned(&w, 7, window_ns / 2);
	assert_int_equal(one->event.time_ns, 10000 * window_ns);
	assert_int_equal(one->event.stack, 7);
	assert_true(one->event.flags & SAMPLE_CONTINUED);
	free(one);
	one = waits_end(&w, SAMPLE_LOCK, PROCESS, 8, window_ns / 2);
	assert_int_equal(one->event.owner, 42);
	free(one);
	assert_int_equal(w.bytes, 0);
}

static void wait_that_begins_after_the_cut_is_whole(void **state)
{
	struct waits w = { 0 };
	struct parts p = { 0 };
	struct wait *one;

	(void)state;
	leave(&w, 7, 200, 1);
	waits_cut(&w, 150, on_part, &p);
	assert_int_equal(p.count, 0);
	one = returned(&w, 7, 200);
	assert_int_equal(one->event.time_ns, 200);
	assert_int_equal(frame_of(one), 1);
	free(one);
}

static void wait_that_has_ended_at_a_cut_is_removed_and_counted(void **state)
{
	struct waits w = { 0 };
	struct parts p = { .is_refused = true };

	(void)state;
	leave(&w, 7, 100, 1);
	leave(&w, 7 + WAITS_BUCKETS, 100, 1);
	waits_cut(&w, 150, on_part, &p);
	assert_int_equal(w.count, 0);
	assert_int_equal(w.bytes, 0);
	assert_int_equal(w.unended, 2);
}

/* ---- what is forgotten ---- */

static void ended_process_keeps_no_waits(void **state)
{
	struct waits w = { 0 };

	(void)state;
	for (uint32_t tid = 1; tid <= 1500; tid++) {
		leave(&w, tid, tid, 0);
		begin(&w, SAMPLE_LOCK, tid, tid, 0);
	}
	waits_forget_process(&w, PROCESS);
	assert_int_equal(w.ended, 750);
	assert_int_equal(w.unended, 750);
	assert_int_equal(w.count, 1500);
	waits_forget_process(&w, PROCESS + 1);
	assert_int_equal(w.ended, 1500);
	assert_int_equal(w.bytes, 0);
}

static void lost_ends_remove_only_waits_that_may_have_ended(void **state)
{
	const struct waits_off_cpu listed[] = { { 7, 100 }, { 9, 150 } };
	struct waits w = { 0 };

	(void)state;
	leave(&w, 7, 100, 0);  /* listed */
	leave(&w, 8, 100, 0);  /* its end was lost */
	leave(&w, 9, 100, 0);  /* it waits again, and its sample was lost */
	leave(&w, 10, 300, 0); /* later than the list */
	begin(&w, SAMPLE_LOCK, 8, 100, 0);
	waits_keep_off_cpu(&w, listed, 2, 200);
	assert_int_equal(w.count, 3);
	assert_int_equal(w.unsure, 0);
	waits_forget_locks(&w);
	assert_int_equal(w.unsure, 1);
	free(returned(&w, 7, 100));
	free(returned(&w, 10, 300));
	assert_int_equal(w.count, 0);
}

/* A thread that was asleep at 120 and sleeps since before sampling, 50. */
static void sleep_earlier(struct waits *w, uint32_t tid)
{
	const struct sample_event e = {
		.tgid = PROCESS,
		.tid = tid,
		.time_ns = 50,
		.kind = SAMPLE_OFFCPU,
		.flags = SAMPLE_BEGAN_EARLIER,
		.object = { 3, 120 },
		.stack = 5,
	};

	waits_begin_earlier(w, &e);
}

static void threads_asleep_before_sampling_have_one_wait(void **state)
{
	struct waits w = { 0 };
	struct parts p = { 0 };
	struct wait *one;

	(void)state;
	leave(&w, 7, 110, 0);
	sleep_earlier(&w, 7); /* it has left its CPU since */
	sleep_earlier(&w, 8);
	sleep_earlier(&w, 9);
	sleep_earlier(&w, 10);
	assert_int_equal(w.count, 4);
	assert_null(waits_end_earlier(&w, 7));
	/* The list of waits that the programs began has none of them. */
	waits_keep_off_cpu(&w, NULL, 0, 100);
	waits_cut(&w, 200, on_part, &p);
	one = waits_end_earlier(&w, 8);
	assert_int_equal(one->event.time_ns, 200);
	assert_int_equal(one->out_ns, 50);
	free(one);
	leave(&w, 9, 110, 0); /* the wait in which it was found asleep */
	assert_int_equal(w.unended, 0);
	leave(&w, 10, 210, 0); /* another one: the end was not reported */
	assert_int_equal(w.unended, 1);
	assert_int_equal(waits_find(&w, 10)->out_ns, 210);
	assert_null(waits_find(&w, 8));
	waits_release(&w);
}

static void set_stack(void *self, struct sample_event *e)
{
	e->stack += *(const uint32_t *)self;
}

static void known_stacks_are_replaced(void **state)
{
	uint32_t add = 1000;
	struct waits w = { 0 };
	struct parts p = { 0 };
	struct wait *one;

	(void)state;
	leave(&w, 7, 100, 0);
	waits_cut(&w, 150, on_part, &p);
	leave(&w, 8, 160, 0);
	waits_each_known(&w, set_stack, &add);
	one = returned(&w, 7, 100);
	assert_int_equal(one->event.stack, 1007);
	free(one);
	one = returned(&w, 8, 160);
	assert_int_equal(one->event.stack, 0);
	free(one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returned_thread_has_its_whole_sample),
		cmocka_unit_test(threads_in_one_bucket_have_their_own_samples),
		cmocka_unit_test(return_of_another_wait_ends_no_sample),
		cmocka_unit_test(
			next_wait_replaces_one_without_an_end_and_counts_it),
		cmocka_unit_test(
			waits_for_monitors_are_found_by_process_and_beginning),
		cmocka_unit_test(
			samples_beyond_the_limit_are_dropped_and_counted),
		cmocka_unit_test(
			each_window_has_its_part_of_an_unfinished_wait),
		cmocka_unit_test(wait_that_begins_after_the_cut_is_whole),
		cmocka_unit_test(
			wait_that_has_ended_at_a_cut_is_removed_and_counted),
		cmocka_unit_test(ended_process_keeps_no_waits),
		cmocka_unit_test(
			lost_ends_remove_only_waits_that_may_have_ended),
		cmocka_unit_test(threads_asleep_before_sampling_have_one_wait),
		cmocka_unit_test(known_stacks_are_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
