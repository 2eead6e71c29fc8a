/* SPDX-License-Identifier: Apache-2.0 */
#include "render/profile/export.h"

#include "core/base/alloc.h"
#include "core/formats/reader.h"
#include "tests/unit/sampled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct writing {
	const struct profile *profile;
	struct event_view view;
	struct collapsed_options options;
};

static void write_folded(struct output *out, void *self)
{
	struct writing *w = self;

	collapsed_write(out, w->profile, &w->view, &w->options);
}

static struct text folded(const struct profile *p, uint32_t event,
			  struct collapsed_options options)
{
	struct writing w = { p, sampled_view(p, event), options };

	return sampled_written(write_folded, &w);
}

static void check(const struct profile *p, struct collapsed_options options,
		  const char *expected)
{
	struct text got = folded(p, 0, options);

	assert_string_equal(got.bytes, expected);
	text_release(&got);
}

static void add_at(struct profile *p, const char *path, const char *thread,
		   int64_t tid)
{
	struct thread t = {
		.name = profile_string(p, thread, strlen(thread)),
		.os_id = tid,
	};
	struct sample s = {
		.event = profile_event(p, "cpu", UNIT_SAMPLES),
		.stack = sampled_stack(p, path),
		.count = 1,
		.weight = 1,
	};

	s.thread = profile_thread(p, &t);
	profile_add(p, &s);
}

static void distinct_stack_traces_are_sorted_by_name(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	sampled(p, "m.M.m;z.Z.z", 1);
	sampled(p, "a.A.a", 2);
	sampled(p, "m.M.m", 3);
	sampled(p, "m.M.m;b.B.b;c.C.c", 4);
	sampled(p, "m.M.m;z.Z.z", 5);
	check(p, (struct collapsed_options){ 0 },
	      "a.A.a 2\n"
	      "m.M.m 3\n"
	      "m.M.m;b.B.b;c.C.c 4\n"
	      "m.M.m;z.Z.z 6\n");
	profile_free(p);
}

static void frames_of_equal_text_are_added_up(void **state)
{
	struct profile *p = profile_new();
	struct collapsed_options options = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct sample s = { .event = profile_event(p, "cpu",
							   UNIT_SAMPLES),
				    .count = 1,
				    .weight = 1 };

		s.stack = profile_push(
			p, 0,
			sampled_frame(p, "a.A.a",
				      i % 2 ? FRAME_JIT : FRAME_INTERPRETED,
				      10 + i / 2));
		s.stack = profile_push(
			p, s.stack, sampled_frame(p, "b.B.b", FRAME_JAVA, 0));
		profile_add(p, &s);
	}
	check(p, options, "a.A.a;b.B.b 4\n");
	options.style.lines = true;
	check(p, options, "a.A.a:10;b.B.b 2\na.A.a:11;b.B.b 2\n");
	options.style.lines = false;
	options.style.annotate = true;
	check(p, options, "a.A.a_[0];b.B.b 2\na.A.a_[j];b.B.b 2\n");
	profile_free(p);
}

static void style_threads_adds_threads_as_root_frames(void **state)
{
	struct profile *p = profile_new();
	struct collapsed_options options = { .style.threads = true };

	(void)state;
	add_at(p, "a.A.a;b.B.b", "worker", 12);
	add_at(p, "a.A.a", "main", 11);
	add_at(p, "a.A.a;b.B.b", "main", 11);
	add_at(p, "a.A.a;b.B.b", "worker", 12);
	add_at(p, "", "worker", 12);
	sampled(p, "a.A.a", 7);
	check(p, options,
	      "[main tid=11];a.A.a 1\n"
	      "[main tid=11];a.A.a;b.B.b 1\n"
	      "[no thread];a.A.a 7\n"
	      "[worker tid=12];[no stack trace] 1\n"
	      "[worker tid=12];a.A.a;b.B.b 2\n");
	options.style.reverse = true;
	check(p, options,
	      "[no stack trace];[worker tid=12] 1\n"
	      "a.A.a;[main tid=11] 1\n"
	      "a.A.a;[no thread] 7\n"
	      "b.B.b;a.A.a;[main tid=11] 1\n"
	      "b.B.b;a.A.a;[worker tid=12] 2\n");
	profile_free(p);
}

static void threads_of_equal_name_are_added_up(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	add_at(p, "a.A.a", "pool", 0);
	add_at(p, "a.A.a", "pool", 0);
	p->threads[1].java_id = 0;
	add_at(p, "a.A.a", "pool;1", 0);
	add_at(p, "a.A.a", "pool:1", 0);
	check(p, (struct collapsed_options){ .style.threads = true },
	      "[pool:1];a.A.a 2\n"
	      "[pool];a.A.a 2\n");
	profile_free(p);
}

static void style_reverse_writes_and_sorts_leaf_first(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	sampled(p, "a.A.a;z.Z.z", 1);
	sampled(p, "b.B.b;z.Z.z", 2);
	sampled(p, "b.B.b;y.Y.y", 3);
	sampled(p, "", 4);
	check(p, (struct collapsed_options){ .style.reverse = true },
	      "[no stack trace] 4\n"
	      "y.Y.y;b.B.b 3\n"
	      "z.Z.z;a.A.a 1\n"
	      "z.Z.z;b.B.b 2\n");
	profile_free(p);
}

static void separators_in_names_are_replaced(void **state)
{
	struct profile *p = profile_new();
	struct frame odd = { .kind = FRAME_NATIVE };
	struct sample s = { .count = 1, .weight = 1 };

	(void)state;
	s.event = profile_event(p, "cpu", UNIT_SAMPLES);
	odd.method = profile_string(p, "one;two\nthree 5", 15);
	s.stack = profile_push(p, 0, profile_frame(p, &odd));
	profile_add(p, &s);
	odd.method = profile_string(p, "one:two\nthree 5", 15);
	s.stack = profile_push(p, 0, profile_frame(p, &odd));
	profile_add(p, &s);
	check(p, (struct collapsed_options){ 0 },
	      "one:two\xe2\x90\x8athree 5 2\n");
	profile_free(p);
}

static void style_weights_writes_weights(void **state)
{
	struct profile *p = profile_new();
	struct sample s = { .count = 2, .weight = 300 };
	struct text got;

	(void)state;
	s.stack = sampled_stack(p, "a.A.a");
	s.event = profile_event(p, "wall", UNIT_SAMPLES);
	profile_add(p, &s);
	s.event = profile_event(p, "alloc", UNIT_BYTES);
	profile_add(p, &s);
	check(p, (struct collapsed_options){ 0 }, "a.A.a 300\n");
	got = folded(p, 1, (struct collapsed_options){ 0 });
	assert_string_equal(got.bytes, "a.A.a 2\n");
	text_release(&got);
	got = folded(p, 1, (struct collapsed_options){ .style.weights = true });
	assert_string_equal(got.bytes, "a.A.a 300\n");
	text_release(&got);
	profile_free(p);
}

static void output_is_read_back_unchanged(void **state)
{
	struct profile *p = profile_new(), *back = profile_new();
	struct collapsed_options options = { 0 };
	struct error err = { 0 };
	struct text first, second;

	(void)state;
	for (uint32_t i = 1; i < 200; i++) {
		char path[64];

		snprintf(path, sizeof(path), "a.A.a;b.B%u.b;c.C.c%u;d.D.d",
			 i % 7, i % 31);
		path[strlen(path) - (i % 3 ? 0 : 6)] = '\0';
		sampled(p, path, i);
	}
	sampled(p, "", 5);
	first = folded(p, 0, options);
	assert_int_equal(collapsed_reader.read((const uint8_t *)first.bytes,
					       first.len, back, &err),
			 0);
	second = folded(back, 0, options);
	assert_string_equal(second.bytes, first.bytes);
	text_release(&first);
	text_release(&second);
	profile_free(p);
	profile_free(back);
}

#define DEEP 100000

static void very_deep_stack_trace_is_written(void **state)
{
	struct profile *p = profile_new();
	uint32_t *frames = xcalloc(DEEP, sizeof(*frames));
	struct sample s = { .count = 1, .weight = 1 };

	(void)state;
	s.event = profile_event(p, "cpu", UNIT_SAMPLES);
	for (size_t i = 0; i < DEEP; i++)
		frames[i] = sampled_frame(p, i % 2 ? "a.A.a" : "b.B.b",
					  FRAME_JAVA, 0);
	s.stack = profile_stack(p, frames, DEEP);
	profile_add(p, &s);
	for (int reverse = 0; reverse < 2; reverse++) {
		struct text got = folded(
			p, 0,
			(struct collapsed_options){ .style.reverse = reverse });

		assert_int_equal(got.len, DEEP * 6 + 2);
		text_release(&got);
	}
	free(frames);
	profile_free(p);
}

/* Returns nested frames, each with one sample. */
static struct profile *chain(size_t depth)
{
	struct profile *p = profile_new();
	struct text path = { 0 };

	for (size_t i = 0; i < depth; i++) {
		text_printf(&path, "%sa.A.f%zu", i ? ";" : "", i);
		sampled(p, path.bytes, 1);
	}
	text_release(&path);
	return p;
}

static struct collapsed_result
result_of(const struct profile *p, const struct collapsed_options *options)
{
	struct event_view view = sampled_view(p, 0);
	struct error err;
	struct output out;
	struct collapsed_result result;

	assert_int_equal(output_open(&out, "/dev/null", &err), 0);
	result = collapsed_write(&out, p, &view, options);
	output_close(&out);
	return result;
}

static void frames_beyond_the_maximum_are_truncated_and_counted(void **state)
{
	struct collapsed_options options = { .most_frames = 9 };
	struct profile *p = chain(5);
	struct collapsed_result result;

	(void)state;
	/* Depth 1: 5 frames; depth 2: 9; depth 3 would be 12. */
	check(p, options, "a.A.f0 1\na.A.f0;a.A.f1 4\n");
	result = result_of(p, &options);
	assert_int_equal(result.depth, 2);
	assert_int_equal(result.cut, 3);
	options.style.reverse = true;
	check(p, options,
	      "a.A.f0 1\na.A.f1;a.A.f0 1\na.A.f2;a.A.f1 1\n"
	      "a.A.f3;a.A.f2 1\na.A.f4;a.A.f3 1\n");
	options = (struct collapsed_options){ .most_frames = 15 };
	result = result_of(p, &options);
	assert_int_equal(result.cut, 0);
	options.most_frames = 1;
	check(p, options, "a.A.f0 5\n");
	profile_free(p);
}

/* Nested frames: all lines would have 1.25 * 10^11 frames. */
static void half_a_million_nested_frames_are_truncated(void **state)
{
	struct collapsed_options options = { 0 };
	struct profile *p = profile_new();
	uint32_t frame = sampled_frame(p, "a.A.a", FRAME_JAVA, 0);
	struct sample s = {
		.event = profile_event(p, "cpu", UNIT_SAMPLES),
		.count = 1,
		.weight = 1,
	};
	struct collapsed_result result;

	(void)state;
	for (size_t i = 0; i < 500000; i++) {
		s.stack = profile_push(p, s.stack, frame);
		profile_add(p, &s);
	}
	result = result_of(p, &options);
	assert_in_range(result.depth, 1990, 2010);
	assert_int_equal(result.cut, 500000 - result.depth);
	options.style.reverse = true;
	result = result_of(p, &options);
	assert_in_range(result.depth, 390, 410);
	assert_int_equal(result.cut, 500000 - result.depth);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distinct_stack_traces_are_sorted_by_name),
		cmocka_unit_test(frames_of_equal_text_are_added_up),
		cmocka_unit_test(style_threads_adds_threads_as_root_frames),
		cmocka_unit_test(threads_of_equal_name_are_added_up),
		cmocka_unit_test(style_reverse_writes_and_sorts_leaf_first),
		cmocka_unit_test(separators_in_names_are_replaced),
		cmocka_unit_test(style_weights_writes_weights),
		cmocka_unit_test(output_is_read_back_unchanged),
		cmocka_unit_test(very_deep_stack_trace_is_written),
		cmocka_unit_test(
			frames_beyond_the_maximum_are_truncated_and_counted),
		cmocka_unit_test(half_a_million_nested_frames_are_truncated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
