/* SPDX-License-Identifier: Apache-2.0 */
#include "render/profile/export.h"

#include "core/base/alloc.h"
#include "tests/unit/pprof_text.h"
#include "tests/unit/sampled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct writing {
	const struct profile *profile;
	struct event_view *views;
	size_t view_count, selected;
	struct pprof_options options;
	struct pprof_result result;
};

static void write_pprof(struct output *out, void *self)
{
	struct writing *w = self;

	w->result = pprof_write(out, w->profile, w->views, w->view_count,
				w->selected, &w->options);
}

static struct text written(struct writing *w)
{
	struct text file;

	w->view_count = event_views(w->profile, &w->views);
	if (!w->options.title)
		w->options.title = "x.jfr";
	file = sampled_written(write_pprof, w);
	free(w->views);
	return file;
}

static void check(struct writing w, const char *expected)
{
	struct text file = written(&w);
	struct text got = pprof_text(&file);

	assert_string_equal(got.bytes, expected);
	text_release(&file);
	text_release(&got);
}

/* Adds a sample of count 1. */
static void add(struct profile *p, const char *event, enum unit unit,
		const char *path, uint32_t thread, enum thread_state state,
		uint64_t weight, int64_t time_ns)
{
	profile_add(p, &(struct sample){
			       .event = profile_event(p, event, unit),
			       .stack = sampled_stack(p, path),
			       .thread = thread,
			       .state = state,
			       .count = 1,
			       .weight = weight,
			       .time_ns = time_ns,
		       });
}

static uint32_t thread_of(struct profile *p, const char *name, int64_t os_id,
			  int64_t java_id)
{
	struct thread t = {
		.name = profile_string(p, name, strlen(name)),
		.os_id = os_id,
		.java_id = java_id,
	};

	return profile_thread(p, &t);
}

static void events_are_sample_types_with_the_selected_one_last(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	add(p, "jdk.ExecutionSample", UNIT_SAMPLES, "a.A.a;b.B.b", 0, 0, 2, 0);
	add(p, "jdk.JavaMonitorEnter", UNIT_NS, "a.A.a;c.C.c", 0, 0, 70, 0);
	add(p, "e.Alloc", UNIT_BYTES, "a.A.a;c.C.c", 0, 0, 8, 0);
	check((struct writing){ .profile = p,
				.selected = 2,
				.options.style.weights = true },
	      "cpu/count lock_samples/count lock/nanoseconds "
	      "e.Alloc_samples/count e.Alloc/bytes=\n"
	      "comment x.jfr\n"
	      "a.A.a;b.B.b 2 0 0 0 0\n"
	      "a.A.a;c.C.c 0 1 70 1 8\n");
	check((struct writing){ .profile = p, .selected = 1 },
	      "cpu/count e.Alloc_samples/count e.Alloc/bytes "
	      "lock/nanoseconds lock_samples/count=\n"
	      "comment x.jfr\n"
	      "a.A.a;b.B.b 2 0 0 0 0\n"
	      "a.A.a;c.C.c 0 1 8 70 1\n");
	check((struct writing){ .profile = p, .selected = 0 },
	      "lock_samples/count lock/nanoseconds "
	      "e.Alloc_samples/count e.Alloc/bytes cpu/count=\n"
	      "comment x.jfr\n"
	      "a.A.a;b.B.b 0 0 0 0 2\n"
	      "a.A.a;c.C.c 1 70 1 8 0\n");
	profile_free(p);
}

static void sample_adds_up_cells_of_a_stack_trace_thread_and_state(void **state)
{
	struct profile *p = profile_new();
	uint32_t main = thread_of(p, "main", 11, 1);
	uint32_t other = thread_of(p, "other", 0, 2);
	const int64_t s = 1000000000;

	(void)state;
	add(p, "cpu", UNIT_SAMPLES, "a.A.a", main, STATE_RUNNABLE, 1, 9 * s);
	add(p, "cpu", UNIT_SAMPLES, "a.A.a", main, STATE_RUNNABLE, 1, 5 * s);
	add(p, "wall", UNIT_SAMPLES, "a.A.a", main, STATE_RUNNABLE, 4, 7 * s);
	add(p, "cpu", UNIT_SAMPLES, "a.A.a", main, STATE_BLOCKED, 1, 8 * s);
	add(p, "cpu", UNIT_SAMPLES, "a.A.a", other, STATE_NONE, 1, 8 * s);
	add(p, "cpu", UNIT_SAMPLES, "a.A.a", 0, STATE_NONE, 1, 8 * s);
	check((struct writing){ .profile = p },
	      "wall/count cpu/count=\n"
	      "time 5000000000 4000000000\n"
	      "comment x.jfr\n"
	      "a.A.a 0 1\n"
	      "a.A.a 4 2 thread=main thread_id=11 java_thread_id=1 "
	      "thread_state=RUNNABLE\n"
	      "a.A.a 0 1 thread=main thread_id=11 java_thread_id=1 "
	      "thread_state=BLOCKED\n"
	      "a.A.a 0 1 thread=other java_thread_id=2\n");
	profile_free(p);
}

static void style_threads_adds_threads_as_root_frames(void **state)
{
	struct profile *p = profile_new();
	uint32_t main = thread_of(p, "main", 11, 0);

	(void)state;
	add(p, "cpu", UNIT_SAMPLES, "a.A.a;b.B.b", main, 0, 1, 0);
	add(p, "cpu", UNIT_SAMPLES, "a.A.a", 0, 0, 1, 0);
	add(p, "cpu", UNIT_SAMPLES, "", main, 0, 3, 0);
	check((struct writing){ .profile = p, .options.style.threads = true },
	      "cpu/count=\n"
	      "comment x.jfr\n"
	      "[main tid=11];[no stack trace] 3 thread=main thread_id=11\n"
	      "[no thread];a.A.a 1\n"
	      "[main tid=11];a.A.a;b.B.b 1 thread=main thread_id=11\n");
	profile_free(p);
}

static void style_lines_and_annotate_distinguish_frames(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct sample s = { .event = profile_event(p, "cpu",
							   UNIT_SAMPLES),
				    .count = 1,
				    .weight = 1 };

		s.stack = profile_push(
			p, 0,
			sampled_frame(p, "x.a.A.a",
				      i % 2 ? FRAME_JIT : FRAME_INTERPRETED,
				      10 + i / 2));
		profile_add(p, &s);
	}
	check((struct writing){ .profile = p },
	      "cpu/count=\ncomment x.jfr\nx.a.A.a 4\n");
	check((struct writing){ .profile = p, .options.style.lines = true },
	      "cpu/count=\ncomment x.jfr\nx.a.A.a:10 2\nx.a.A.a:11 2\n");
	check((struct writing){ .profile = p, .options.style.annotate = true },
	      "cpu/count=\ncomment x.jfr\nx.a.A.a_[0] 2\nx.a.A.a_[j] 2\n");
	check((struct writing){ .profile = p, .options.style.simple = true },
	      "cpu/count=\ncomment x.jfr\nA.a 4\n");
	profile_free(p);
}

static void selected_event_has_a_period(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	add(p, "cpu", UNIT_NS, "a.A.a", 0, 0, 20202020, 0);
	check((struct writing){ .profile = p,
				.options.period = 10101010,
				.options.style.weights = true },
	      "cpu_samples/count cpu/nanoseconds=\n"
	      "period 10101010 cpu/nanoseconds\n"
	      "comment x.jfr\n"
	      "a.A.a 1 20202020\n");
	profile_free(p);
}

static void period_of_allocations_is_in_bytes(void **state)
{
	struct profile *p = profile_new();
	struct writing w = {
		.profile = p,
		.options.period = 524288,
		.options.style.weights = true,
	};

	(void)state;
	add(p, "alloc", UNIT_BYTES, "a.A.a", 0, 0, 600000, 0);
	check(w, "alloc_samples/count alloc/bytes=\n"
		 "period 524288 alloc/bytes\n"
		 "comment x.jfr\n"
		 "a.A.a 1 600000\n");
	w.options.backend = PPROF_PYROSCOPE;
	w.options.threads = THREADS_FOLDED;
	check(w, "alloc_objects/count alloc_space/bytes=\n"
		 "period 524288 space/bytes\n"
		 "comment x.jfr\n"
		 "a.A.a 1 600000\n");
	profile_free(p);
	w.profile = p = profile_new();
	add(p, "nativemem", UNIT_BYTES, "a.A.a", 0, 0, 600000, 0);
	check(w, "inuse_objects/count inuse_space/bytes=\n"
		 "period 524288 space/bytes\n"
		 "comment x.jfr\n"
		 "a.A.a 1 600000\n");
	profile_free(p);
}

static void invalid_names_become_valid_utf8(void **state)
{
	struct profile *p = profile_new();
	uint32_t odd = thread_of(p, "t\xff\x1b[2J", 3, 0);

	(void)state;
	add(p, "cpu\xe2\x80\xae", UNIT_SAMPLES, "f\xc3(;\n", odd, 0, 1, 0);
	check((struct writing){ .profile = p, .options.title = "\xff\n" },
	      "cpu<U+202E>/count=\n"
	      "comment \xef\xbf\xbd\xe2\x90\x8a\n"
	      "f\xef\xbf\xbd(;\xe2\x90\x8a 1 "
	      "thread=t\xef\xbf\xbd\xe2\x90\x9b[2J thread_id=3\n");
	profile_free(p);
}

static void large_values_saturate_at_int64_max(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	add(p, "io", UNIT_NS, "a.A.a", 0, 0, UINT64_MAX, 0);
	add(p, "io", UNIT_NS, "b.B.b", 0, 0, INT64_MAX - (uint64_t)1, 0);
	add(p, "io", UNIT_NS, "c.C.c", 0, 0, 0, 0);
	check((struct writing){ .profile = p },
	      "io/nanoseconds io_samples/count=\n"
	      "comment x.jfr\n"
	      "a.A.a 9223372036854775807 1\n"
	      "b.B.b 9223372036854775806 1\n"
	      "c.C.c 0 1\n");
	profile_free(p);
}

#define DEEP 100000

static void very_deep_stack_trace_is_written(void **state)
{
	struct profile *p = profile_new();
	uint32_t *frames = xcalloc(DEEP, sizeof(*frames));
	struct sample s = { .count = 1, .weight = 1 };
	struct writing w = { .profile = p };
	struct text file, got;

	(void)state;
	s.event = profile_event(p, "cpu", UNIT_SAMPLES);
	for (size_t i = 0; i < DEEP; i++)
		frames[i] = sampled_frame(p, i % 2 ? "a.A.a" : "b.B.b",
					  FRAME_JAVA, 0);
	s.stack = profile_stack(p, frames, DEEP);
	profile_add(p, &s);
	file = written(&w);
	got = pprof_text(&file);
	assert_int_equal(got.len,
			 strlen("cpu/count=\ncomment x.jfr\n") + DEEP * 6 + 2);
	assert_int_equal(w.result.depth, 0);
	text_release(&file);
	text_release(&got);
	free(frames);
	profile_free(p);
}

static void frames_beyond_the_maximum_are_truncated_and_reported(void **state)
{
	struct profile *p = profile_new();
	struct writing w = { .profile = p, .options.most_frames = 9 };
	struct text file;

	(void)state;
	sampled_chain(p, 5);
	check(w, "cpu/count=\ncomment x.jfr\na.A.f0 1\na.A.f0;a.A.f1 4\n");
	file = written(&w);
	assert_int_equal(w.result.depth, 2);
	text_release(&file);
	w.options.most_frames = 15;
	file = written(&w);
	assert_int_equal(w.result.depth, 0);
	text_release(&file);
	profile_free(p);
}

/* The file has no events outside the views. */
static void events_outside_the_views_are_omitted(void **state)
{
	struct profile *p = profile_new();
	struct event_view view;
	struct writing w = { .profile = p, .views = &view, .view_count = 1 };
	struct text file, got;

	(void)state;
	add(p, "cpu", UNIT_SAMPLES, "a.A.a", 0, 0, 1, 0);
	add(p, "wall", UNIT_SAMPLES, "b.B.b", thread_of(p, "t", 1, 1), 0, 1, 0);
	view = sampled_view(p, 0);
	w.options.title = "";
	file = sampled_written(write_pprof, &w);
	got = pprof_text(&file);
	assert_string_equal(got.bytes, "cpu/count=\ncomment \na.A.a 1\n");
	text_release(&file);
	text_release(&got);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			events_are_sample_types_with_the_selected_one_last),
		cmocka_unit_test(
			sample_adds_up_cells_of_a_stack_trace_thread_and_state),
		cmocka_unit_test(style_threads_adds_threads_as_root_frames),
		cmocka_unit_test(style_lines_and_annotate_distinguish_frames),
		cmocka_unit_test(selected_event_has_a_period),
		cmocka_unit_test(period_of_allocations_is_in_bytes),
		cmocka_unit_test(invalid_names_become_valid_utf8),
		cmocka_unit_test(large_values_saturate_at_int64_max),
		cmocka_unit_test(very_deep_stack_trace_is_written),
		cmocka_unit_test(
			frames_beyond_the_maximum_are_truncated_and_reported),
		cmocka_unit_test(events_outside_the_views_are_omitted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
