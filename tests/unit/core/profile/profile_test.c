/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"
#include "core/profile/profile.h"

#include "core/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS INT64_C(1000000)

/* The latest time, since to_ns is exclusive. */
#define LATEST (INT64_MAX - 1)

/* A time in 2026. */
#define NOW INT64_C(1795250407123456789)

static uint32_t frame(struct profile *p, unsigned number)
{
	struct frame f = { .method = number, .kind = FRAME_JAVA };

	return profile_frame(p, &f);
}

static void add_at(struct profile *p, int64_t time_ns)
{
	struct sample s = {
		.event = profile_event(p, "e", UNIT_SAMPLES),
		.time_ns = time_ns,
		.count = 1,
		.weight = 1,
	};

	profile_add(p, &s);
}

/* True if a time is in the bucket, as defined in profile.h. */
static bool is_in_bucket(const struct profile *p, int64_t time_ns,
			 uint16_t bucket)
{
	int64_t index = time_ns / p->bucket_ns - (time_ns % p->bucket_ns < 0);

	return index == p->bucket_first + bucket - 1;
}

static void equal_things_share_an_id(void **state)
{
	struct profile *p = profile_new();
	struct frame f = { .class_name = 1, .method = 2, .line = 3 };
	struct thread t = { .name = 1, .java_id = 2, .os_id = 3 };
	uint32_t id = profile_frame(p, &f);
	uint32_t thread = profile_thread(p, &t);

	(void)state;
	assert_int_equal(id, 1);
	assert_int_equal(profile_frame(p, &f), id);
	f.line = 4;
	assert_int_not_equal(profile_frame(p, &f), id);
	f.line = 3;
	f.kind = FRAME_JIT;
	assert_int_not_equal(profile_frame(p, &f), id);
	assert_int_equal(thread, 1);
	assert_int_equal(profile_thread(p, &t), thread);
	t.is_virtual = true;
	assert_int_not_equal(profile_thread(p, &t), thread);
	assert_int_equal(profile_string(p, "", 0), 0);
	assert_int_equal(profile_string(p, "a", 1), profile_string(p, "ab", 1));
	assert_string_equal(profile_text(p, 0), "");
	profile_free(p);
	profile_free(NULL);
}

static void event_keeps_its_first_unit(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	assert_int_equal(profile_event(p, "a", UNIT_NS), 0);
	assert_int_equal(profile_event(p, "b", UNIT_BYTES), 1);
	assert_int_equal(profile_event(p, "a", UNIT_BYTES), 0);
	assert_int_equal(p->events[0].unit, UNIT_NS);
	profile_free(p);
}

/*
 * Makes a random stack trace of few distinct frames, so that many share a
 * prefix.
 */
static size_t random_path(uint32_t *frames, unsigned *seed, uint32_t first)
{
	size_t count = 1 + (size_t)rand_r(seed) % 12;

	for (size_t i = 0; i < count; i++)
		frames[i] = first + (uint32_t)rand_r(seed) % 3;
	return count;
}

static void each_way_to_push_a_stack_trace_returns_the_same_id(void **state)
{
	enum { PATHS = 3000, LONGEST = 12 };
	struct profile *p = profile_new();
	uint32_t first = frame(p, 1);
	unsigned seed = 1;

	(void)state;
	frame(p, 2);
	frame(p, 3);
	for (int i = 0; i < PATHS; i++) {
		uint32_t root_first[LONGEST], leaf_first[LONGEST];
		uint32_t made[LONGEST], ids[4];
		size_t count = random_path(root_first, &seed, first);
		uint32_t counts = (uint32_t)count;

		for (size_t k = 0; k < count; k++)
			leaf_first[k] = root_first[count - 1 - k];
		ids[0] = ids[1] = 0;
		/* The first way creates the nodes, the others find them. */
		for (int way = 0; way < 4; way++) {
			switch ((way + i) % 4) {
			case 0:
				for (size_t k = 0; k < count; k++)
					ids[0] = profile_push(p, ids[0],
							      root_first[k]);
				break;
			case 1:
				ids[1] = profile_stack(p, leaf_first, count);
				break;
			case 2:
				profile_push_all(p, 0, root_first, count, made);
				ids[2] = made[count - 1];
				break;
			case 3:
				profile_stacks(p, leaf_first, &counts, 1,
					       &ids[3]);
				break;
			}
		}
		assert_int_equal(ids[1], ids[0]);
		assert_int_equal(ids[2], ids[0]);
		assert_int_equal(ids[3], ids[0]);
		for (size_t k = count; k-- > 0;) {
			assert_int_equal(made[k], ids[0]);
			assert_int_equal(p->stacks[ids[0]].frame,
					 root_first[k]);
			assert_true(p->stacks[ids[0]].caller < ids[0]);
			ids[0] = p->stacks[ids[0]].caller;
		}
		assert_int_equal(ids[0], 0);
	}
	profile_free(p);
}

static void many_stack_traces_at_once_are_as_one_after_the_other(void **state)
{
	enum { PATHS = 5000, LONGEST = 12 };
	struct profile *a = profile_new(), *b = profile_new();
	uint32_t *frames = xcalloc(PATHS * LONGEST, sizeof(*frames));
	uint32_t counts[PATHS], ids[PATHS];
	size_t total = 0;
	unsigned seed = 2;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		frame(a, i + 1);
		frame(b, i + 1);
	}
	for (int i = 0; i < PATHS; i++) {
		/* Some samples have no stack trace. */
		counts[i] = i % 17 ? (uint32_t)random_path(frames + total,
							   &seed, 1)
				   : 0;
		total += counts[i];
	}
	profile_stacks(a, frames, counts, PATHS, ids);
	total = 0;
	for (int i = 0; i < PATHS; i++) {
		uint32_t id = ids[i];

		for (size_t k = 0; k < counts[i]; k++) {
			assert_int_equal(a->stacks[id].frame,
					 frames[total + k]);
			id = a->stacks[id].caller;
		}
		assert_int_equal(id, 0);
		profile_stack(b, frames + total, counts[i]);
		total += counts[i];
	}
	assert_int_equal(a->stack_count, b->stack_count);
	profile_stacks(a, frames, counts, 0, ids);
	assert_int_equal(a->stack_count, b->stack_count);
	free(frames);
	profile_free(a);
	profile_free(b);
}

static void push_all_continues_an_inner_stack_trace(void **state)
{
	struct profile *p = profile_new();
	uint32_t path[] = { frame(p, 1), frame(p, 2), frame(p, 3) };
	uint32_t made[3], more[1];

	(void)state;
	profile_push_all(p, 0, path, 3, made);
	assert_int_equal(p->stack_count, 4);
	profile_push_all(p, made[1], path, 1, more);
	assert_int_equal(p->stacks[more[0]].caller, made[1]);
	profile_push_all(p, made[0], path + 1, 2, made + 1);
	profile_push_all(p, made[0], path, 0, made + 1);
	assert_int_equal(p->stack_count, 5);
	profile_free(p);
}

static void stack_trace_may_have_100000_frames(void **state)
{
	enum { DEPTH = 100000 };
	struct profile *p = profile_new();
	uint32_t *frames = xcalloc(DEPTH, sizeof(*frames));
	uint32_t *made = xcalloc(DEPTH, sizeof(*made));
	uint32_t id;

	(void)state;
	for (uint32_t i = 0; i < DEPTH; i++)
		frames[i] = frame(p, i % 7);
	id = profile_stack(p, frames, DEPTH);
	assert_int_equal(p->stack_count, DEPTH + 1);
	assert_int_equal(profile_stack(p, frames, DEPTH), id);
	/* All frames are equal: the leaf of one is the root of another. */
	for (uint32_t i = 0; i < DEPTH; i++)
		frames[i] = 1;
	id = profile_stack(p, frames, DEPTH);
	profile_push_all(p, 0, frames, DEPTH, made);
	assert_int_equal(made[DEPTH - 1], id);
	free(frames);
	free(made);
	profile_free(p);
}

static void samples_that_agree_are_one_cell(void **state)
{
	struct profile *p = profile_new();
	struct sample s = {
		.event = profile_event(p, "e", UNIT_NS),
		.stack = profile_push(p, 0, frame(p, 1)),
		.thread = 0,
		.state = STATE_RUNNABLE,
		.time_ns = NOW,
		.count = 2,
		.weight = 10,
	};
	struct sample others[5];

	(void)state;
	profile_add(p, &s);
	profile_add(p, &s);
	assert_int_equal(p->cell_count, 1);
	assert_int_equal(p->cells[0].count, 4);
	assert_int_equal(p->cells[0].weight, 20);
	for (int i = 0; i < 5; i++)
		others[i] = s;
	others[0].stack = 0;
	others[1].thread = 1;
	others[2].state = STATE_NONE;
	others[3].time_ns = 0;
	others[4].event = profile_event(p, "f", UNIT_NS);
	profile_add_all(p, others, 5);
	assert_int_equal(p->cell_count, 6);
	assert_int_equal(p->events[0].samples, 12);
	assert_int_equal(p->events[0].without_stack, 2);
	assert_int_equal(p->events[0].weight, 60);
	assert_int_equal(p->events[1].samples, 2);
	profile_free(p);
}

static void
cells_that_were_not_searched_are_found_by_later_samples(void **state)
{
	struct profile *p = profile_new();
	struct sample s = {
		.event = profile_event(p, "e", UNIT_SAMPLES),
		.count = 1,
		.weight = 1,
	};
	uint32_t cells[100] = { 0 };

	(void)state;
	for (uint32_t round = 0; round < 2; round++) {
		for (s.stack = 0; s.stack < 100; s.stack++)
			profile_add_at(p, &s, &cells[s.stack]);
	}
	assert_int_equal(p->cell_count, 100);
	assert_int_equal(cells[7], 8);
	for (s.stack = 0; s.stack < 101; s.stack++)
		profile_add(p, &s);
	assert_int_equal(p->cell_count, 101);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(p->cells[i].count, 3);
	assert_int_equal(p->events[0].samples, 301);
	/* A cell of another sample is not used. */
	s.thread = 1;
	profile_add_at(p, &s, &cells[7]);
	assert_int_equal(cells[7], 102);
	profile_free(p);
}

static void remark_states_its_total(void **state)
{
	struct profile *p = profile_new();
	struct text out = { 0 };

	(void)state;
	profile_note(p, "stack traces truncated", 6, "%s", "why");
	remark_add_count(&out, &p->remarks[0]);
	assert_string_equal(out.bytes, "6");
	profile_remark_of(p, "something else", 7);
	profile_remark_of(p, "stack traces truncated", 4812);
	text_clear(&out);
	remark_add_count(&out, &p->remarks[0]);
	assert_string_equal(out.bytes, "6 of 4,812");
	text_release(&out);
	profile_free(p);
}

static void counts_and_weights_saturate(void **state)
{
	struct profile *p = profile_new();
	struct sample s = {
		.event = profile_event(p, "e", UNIT_NS),
		.count = UINT64_MAX - 1,
		.weight = UINT64_MAX - 1,
	};

	(void)state;
	for (int i = 0; i < 3; i++)
		profile_add(p, &s);
	assert_true(p->cells[0].count == UINT64_MAX);
	assert_true(p->cells[0].weight == UINT64_MAX);
	assert_true(p->events[0].samples == UINT64_MAX);
	assert_true(p->events[0].without_stack == UINT64_MAX);
	assert_true(p->events[0].weight == UINT64_MAX);
	p->to_ns = 0;
	s.time_ns = NOW;
	profile_add(p, &s);
	profile_add_all(p, &s, 1);
	assert_true(p->outside == UINT64_MAX);
	profile_free(p);
}

/* Adds samples at these times and checks the bucket of each cell. */
static void check_times(const int64_t *times, size_t count)
{
	struct profile *p = profile_new();
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		struct sample s = {
			.event = profile_event(p, "e", UNIT_SAMPLES),
			.stack = profile_push(p, 0, frame(p, (unsigned)i)),
			.time_ns = times[i],
			.count = 1,
			.weight = 1,
		};

		profile_add(p, &s);
	}
	assert_true(p->bucket_last - p->bucket_first < PROFILE_BUCKETS);
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		assert_true(is_in_bucket(p, times[c->stack - 1], c->bucket));
		assert_in_range(c->bucket, 1, PROFILE_BUCKETS);
		sum += c->weight;
	}
	assert_int_equal(sum, count);
	profile_free(p);
}

static void buckets_widen_as_times_go_up(void **state)
{
	int64_t times[1000];

	(void)state;
	for (int i = 0; i < 1000; i++)
		times[i] = NOW + i * (int64_t)i * 50 * MS;
	check_times(times, 1000);
}

static void buckets_widen_as_times_go_down(void **state)
{
	int64_t times[1000];

	(void)state;
	for (int i = 0; i < 1000; i++)
		times[i] = NOW - i * (int64_t)i * 50 * MS;
	check_times(times, 1000);
}

static void buckets_hold_times_before_and_around_1970(void **state)
{
	int64_t times[1000];
	unsigned seed = 3;

	(void)state;
	for (int i = 0; i < 1000; i++)
		times[i] = ((int64_t)rand_r(&seed) - RAND_MAX / 2) * 1000 + 1;
	check_times(times, 1000);
}

static void buckets_hold_all_times_there_are(void **state)
{
	static const int64_t up[] = { INT64_MIN, -1, 1, NOW, LATEST };
	static const int64_t down[] = { LATEST, NOW, 1, -1, INT64_MIN };

	(void)state;
	check_times(up, 5);
	check_times(down, 5);
	check_times(up, 1);
	check_times(down, 1);
}

static void cells_become_one_when_buckets_widen(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	for (int i = 0; i < 200; i++)
		add_at(p, NOW + i * 2 * MS);
	assert_true(p->cell_count > 100);
	add_at(p, NOW + 3600 * 1000 * MS);
	assert_in_range(p->cell_count, 2, 3);
	assert_int_equal(p->events[0].samples, 201);
	/* The table was updated: no cell is created twice. */
	add_at(p, NOW + 3600 * 1000 * MS);
	assert_in_range(p->cell_count, 2, 3);
	profile_free(p);
}

/* Adds a wait and checks its part in each bucket, in nanoseconds. */
static void check_wait(int64_t from_ns, uint64_t duration_ns)
{
	struct profile *p = profile_new();
	struct sample s = {
		.event = profile_event(p, "wall", UNIT_NS),
		.time_ns = from_ns,
		.duration_ns = duration_ns,
		.count = 1,
		.weight = duration_ns,
	};
	int64_t end_ns = from_ns + (int64_t)duration_ns;
	uint64_t weight = 0, count = 0;

	add_at(p, NOW);
	profile_add(p, &s);
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		int64_t first = (p->bucket_first + c->bucket - 1) *
				p->bucket_ns;
		int64_t last = first + p->bucket_ns;

		if (c->event != s.event)
			continue;
		first = first > from_ns ? first : from_ns;
		last = last < end_ns ? last : end_ns;
		/* Rounding moves a part's ends by less than 1 ns. */
		assert_in_range(c->weight + 1, last - first, last - first + 2);
		assert_int_equal(c->count, is_in_bucket(p, from_ns, c->bucket));
		weight += c->weight;
		count += c->count;
	}
	assert_int_equal(weight, duration_ns);
	assert_int_equal(count, 1);
	assert_int_equal(p->events[s.event].samples, 1);
	assert_int_equal(p->events[s.event].weight, duration_ns);
	assert_true(p->latest_ns >= end_ns);
	profile_free(p);
}

static void wait_is_spread_over_its_time_buckets(void **state)
{
	(void)state;
	check_wait(NOW, 1);
	check_wait(NOW, 100 * MS);
	check_wait(NOW + 7, 8001 * MS + 333);
	check_wait(NOW - 5000 * MS, 6000 * MS);
	check_wait(NOW, (uint64_t)3600 * 1000 * MS);
}

static void wait_that_ends_beyond_all_times_is_one_cell(void **state)
{
	struct profile *p = profile_new();
	struct sample s = {
		.event = profile_event(p, "wall", UNIT_NS),
		.time_ns = NOW,
		.duration_ns = UINT64_MAX,
		.count = 1,
		.weight = 5,
	};

	(void)state;
	profile_add(p, &s);
	s.duration_ns = INT64_MAX - NOW;
	profile_add(p, &s);
	assert_int_equal(p->cell_count, 1);
	assert_int_equal(p->cells[0].weight, 10);
	profile_free(p);
}

static void times_that_were_expected_never_widen_buckets(void **state)
{
	struct profile *p = profile_new();
	int64_t width;

	(void)state;
	profile_expect_times(p, NOW, NOW + 60000 * MS);
	width = p->bucket_ns;
	for (int i = 0; i <= 60; i++)
		add_at(p, NOW + i * 1000 * MS);
	assert_true(p->bucket_ns == width);
	assert_true(p->bucket_last - p->bucket_first >= PROFILE_BUCKETS / 4);
	/* The expected times have no effect any more. */
	profile_expect_times(p, 0, INT64_MAX);
	assert_true(p->bucket_ns == width);
	profile_free(p);
	p = profile_new();
	profile_expect_times(p, NOW, NOW);
	assert_true(p->bucket_ns == 0);
	profile_expect_times(p, INT64_MIN, INT64_MAX);
	add_at(p, INT64_MIN);
	add_at(p, LATEST);
	assert_int_equal(p->cell_count, 2);
	profile_free(p);
}

static void samples_of_a_batch_are_as_one_after_the_other(void **state)
{
	enum { COUNT = 1000 };
	struct profile *a = profile_new(), *b = profile_new();
	struct sample *all = xcalloc(COUNT, sizeof(*all));
	unsigned seed = 4;

	(void)state;
	profile_event(a, "e", UNIT_NS);
	profile_event(b, "e", UNIT_NS);
	a->from_ns = b->from_ns = NOW;
	for (int i = 0; i < COUNT; i++) {
		/*
		 * Times that change the buckets within a batch, in both
		 * directions.
		 */
		int64_t ms = rand_r(&seed) % (1 << rand_r(&seed) % 24);

		all[i] = (struct sample){
			.thread = (uint32_t)rand_r(&seed) % 3,
			.time_ns = NOW + (i % 10 ? ms : -ms) * MS,
			.count = 1,
			.weight = (uint64_t)i,
		};
		profile_add(a, &all[i]);
	}
	profile_add_all(b, all, COUNT);
	assert_int_equal(a->cell_count, b->cell_count);
	assert_true(a->bucket_ns == b->bucket_ns);
	assert_int_equal(a->outside, b->outside);
	assert_true(a->outside > 0);
	assert_int_equal(a->events[0].samples, b->events[0].samples);
	assert_int_equal(a->events[0].weight, b->events[0].weight);
	free(all);
	profile_free(a);
	profile_free(b);
}

static void samples_outside_the_range_are_counted_only(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	p->from_ns = NOW;
	p->to_ns = NOW + MS;
	add_at(p, NOW - 1);
	add_at(p, NOW);
	add_at(p, NOW + MS - 1);
	add_at(p, NOW + MS);
	add_at(p, 0); /* a sample without a time is not filtered */
	assert_int_equal(p->events[0].samples, 3);
	assert_int_equal(p->outside, 2);
	assert_true(p->earliest_ns == NOW - 1);
	assert_true(p->latest_ns == NOW + MS);
	profile_free(p);
}

static void latest_time_may_be_before_1970(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	add_at(p, -5);
	add_at(p, -9);
	assert_true(p->earliest_ns == -9);
	assert_true(p->latest_ns == -5);
	profile_free(p);
}

static bool is_heavy(void *self, struct cell *c)
{
	return c->weight >= *(const uint64_t *)self;
}

static void retain_updates_totals_to_the_kept_cells(void **state)
{
	struct profile *p = profile_new();
	uint64_t least = 3;

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		struct sample s = {
			.event = profile_event(p, "e", UNIT_NS),
			.thread = i,
			.count = 1,
			.weight = i,
		};

		profile_add(p, &s);
	}
	profile_retain(p, is_heavy, &least);
	assert_int_equal(p->cell_count, 3);
	assert_int_equal(p->cells[0].thread, 3);
	assert_int_equal(p->cells[2].thread, 5);
	assert_int_equal(p->events[0].samples, 3);
	assert_int_equal(p->events[0].without_stack, 3);
	assert_int_equal(p->events[0].weight, 12);
	profile_free(p);
}

static void remarks_keep_the_first_place_and_add_up(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	profile_note(p, "oddities", 1, "line %d", 7);
	profile_note(p, "oddities", 2, "line %d", 8);
	assert_false(profile_is_partial(p));
	profile_lost(p, "oddities", 4, "%s", "");
	assert_true(profile_is_partial(p));
	assert_int_equal(p->remark_count, 2);
	assert_int_equal(p->remarks[0].count, 3);
	assert_string_equal(p->remarks[0].first, "line 7");
	assert_string_equal(p->remarks[1].first, "");
	profile_free(p);
}

static void threads_with_chosen_ids_do_not_collide(void **state)
{
	/* A factor that makes hash_mix() 0 with any other factor. */
	const int64_t evil = (int64_t)0x9e3779b97f4a7c15u;
	struct profile *p = profile_new();
	size_t collisions = 0;

	(void)state;
	for (int64_t i = 0; i < 2000; i++) {
		struct thread t = { .name = 1, .java_id = evil, .os_id = i };

		profile_thread(p, &t);
	}
	for (size_t i = 0; i < p->thread_ids.size; i++) {
		const struct idslot *s = p->thread_ids.slots;

		collisions += s[i].id &&
			      s[i].tag == s[(i + 1) % p->thread_ids.size].tag;
	}
	assert_in_range(collisions, 0, 20);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_things_share_an_id),
		cmocka_unit_test(event_keeps_its_first_unit),
		cmocka_unit_test(
			each_way_to_push_a_stack_trace_returns_the_same_id),
		cmocka_unit_test(
			many_stack_traces_at_once_are_as_one_after_the_other),
		cmocka_unit_test(push_all_continues_an_inner_stack_trace),
		cmocka_unit_test(stack_trace_may_have_100000_frames),
		cmocka_unit_test(samples_that_agree_are_one_cell),
		cmocka_unit_test(
			cells_that_were_not_searched_are_found_by_later_samples),
		cmocka_unit_test(remark_states_its_total),
		cmocka_unit_test(counts_and_weights_saturate),
		cmocka_unit_test(buckets_widen_as_times_go_up),
		cmocka_unit_test(buckets_widen_as_times_go_down),
		cmocka_unit_test(buckets_hold_times_before_and_around_1970),
		cmocka_unit_test(buckets_hold_all_times_there_are),
		cmocka_unit_test(cells_become_one_when_buckets_widen),
		cmocka_unit_test(wait_is_spread_over_its_time_buckets),
		cmocka_unit_test(wait_that_ends_beyond_all_times_is_one_cell),
		cmocka_unit_test(times_that_were_expected_never_widen_buckets),
		cmocka_unit_test(samples_of_a_batch_are_as_one_after_the_other),
		cmocka_unit_test(samples_outside_the_range_are_counted_only),
		cmocka_unit_test(latest_time_may_be_before_1970),
		cmocka_unit_test(retain_updates_totals_to_the_kept_cells),
		cmocka_unit_test(remarks_keep_the_first_place_and_add_up),
		cmocka_unit_test(threads_with_chosen_ids_do_not_collide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
