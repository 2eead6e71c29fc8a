/* SPDX-License-Identifier: Apache-2.0 */
#include "render/profile/export.h"

#include "core/base/alloc.h"
#include "tests/unit/sampled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct writing {
	const struct profile *profile;
	size_t selected;
	struct speedscope_options options;
	struct speedscope_result result;
};

static void write_speedscope(struct output *out, void *self)
{
	struct writing *w = self;
	struct event_view *views;
	size_t count = event_views(w->profile, &views);

	if (!w->options.title)
		w->options.title = "x.jfr";
	w->result = speedscope_write(out, w->profile, views, count, w->selected,
				     &w->options);
	free(views);
}

static struct text written(struct writing *w)
{
	return sampled_written(write_speedscope, w);
}

#define HEAD                                                                   \
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"," \
	"\"exporter\":\"sjkc 0.1\","

/* Checks the frames, profiles and active profile of the file. */
static void check(struct writing w, unsigned active, const char *frames,
		  const char *profiles)
{
	struct text got = written(&w), expected = { 0 };

	text_printf(&expected,
		    HEAD "\"name\":\"x.jfr\",\"activeProfileIndex\":%u,"
			 "\"shared\":{\"frames\":[%s"
			 "{\"name\":\"[no stack trace]\"}]},"
			 "\"profiles\":[%s]}\n",
		    active, frames, profiles);
	assert_string_equal(got.bytes, expected.bytes);
	text_release(&got);
	text_release(&expected);
}

static const char frames_ab[] = "{\"name\":\"a.A.a\"},{\"name\":\"b.B.b\"},";

static void add(struct profile *p, const char *event, enum unit unit,
		const char *path, uint32_t thread, uint64_t weight, int64_t s)
{
	profile_add(p, &(struct sample){
			       .event = profile_event(p, event, unit),
			       .stack = sampled_stack(p, path),
			       .thread = thread,
			       .count = 1,
			       .weight = weight,
			       .time_ns = s * 1000000000,
		       });
}

static uint32_t thread_of(struct profile *p, const char *name, int64_t os_id)
{
	struct thread t = { .name = profile_string(p, name, strlen(name)),
			    .os_id = os_id };

	return profile_thread(p, &t);
}

static void events_are_profiles_with_shared_frames(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	add(p, "cpu", UNIT_SAMPLES, "a.A.a;b.B.b", 0, 2, 0);
	add(p, "jdk.JavaMonitorEnter", UNIT_NS, "a.A.a", 0, 70, 0);
	add(p, "e.Alloc", UNIT_BYTES, "b.B.b", 0, 8, 0);
	add(p, "e.Alloc", UNIT_BYTES, "b.B.b;a.A.a", 0, 0, 0);
	check((struct writing){ .profile = p, .selected = 2 }, 2, frames_ab,
	      "{\"type\":\"sampled\",\"name\":\"lock\",\"unit\":\"none\","
	      "\"startValue\":0,\"samples\":[[0]],\"weights\":[1],"
	      "\"endValue\":1},"
	      "{\"type\":\"sampled\",\"name\":\"cpu\",\"unit\":\"none\","
	      "\"startValue\":0,\"samples\":[[0,1]],\"weights\":[2],"
	      "\"endValue\":2},"
	      "{\"type\":\"sampled\",\"name\":\"e.Alloc\",\"unit\":\"none\","
	      "\"startValue\":0,\"samples\":[[1],[1,0]],\"weights\":[1,1],"
	      "\"endValue\":2}");
	check((struct writing){ .profile = p, .options.style.weights = true },
	      0, frames_ab,
	      "{\"type\":\"sampled\",\"name\":\"lock\","
	      "\"unit\":\"nanoseconds\","
	      "\"startValue\":0,\"samples\":[[0]],\"weights\":[70],"
	      "\"endValue\":70},"
	      "{\"type\":\"sampled\",\"name\":\"cpu\",\"unit\":\"none\","
	      "\"startValue\":0,\"samples\":[[0,1]],\"weights\":[2],"
	      "\"endValue\":2},"
	      "{\"type\":\"sampled\",\"name\":\"e.Alloc\",\"unit\":\"bytes\","
	      "\"startValue\":0,\"samples\":[[1]],\"weights\":[8],"
	      "\"endValue\":8}");
	profile_free(p);
}

static void style_threads_writes_a_profile_per_thread(void **state)
{
	struct profile *p = profile_new();
	uint32_t few = thread_of(p, "few", 11), many = thread_of(p, "many", 12);

	(void)state;
	add(p, "cpu", UNIT_SAMPLES, "a.A.a", few, 1, 0);
	add(p, "cpu", UNIT_SAMPLES, "a.A.a;b.B.b", many, 5, 0);
	add(p, "cpu", UNIT_SAMPLES, "a.A.a", many, 2, 0);
	add(p, "cpu", UNIT_SAMPLES, "", 0, 3, 0);
	check((struct writing){ .profile = p, .options.style.threads = true },
	      0, frames_ab,
	      "{\"type\":\"sampled\",\"name\":\"cpu [many tid=12]\","
	      "\"unit\":\"none\",\"startValue\":0,"
	      "\"samples\":[[0],[0,1]],\"weights\":[2,5],\"endValue\":7},"
	      "{\"type\":\"sampled\",\"name\":\"cpu [no thread]\","
	      "\"unit\":\"none\",\"startValue\":0,"
	      "\"samples\":[[2]],\"weights\":[3],\"endValue\":3},"
	      "{\"type\":\"sampled\",\"name\":\"cpu [few tid=11]\","
	      "\"unit\":\"none\",\"startValue\":0,"
	      "\"samples\":[[0]],\"weights\":[1],\"endValue\":1}");
	profile_free(p);
}

static void samples_are_sorted_by_time_in_small_files(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	add(p, "cpu", UNIT_SAMPLES, "b.B.b", 0, 1, 1000);
	add(p, "cpu", UNIT_SAMPLES, "a.A.a", 0, 2, 1005);
	add(p, "cpu", UNIT_SAMPLES, "b.B.b", 0, 3, 1009);
	add(p, "cpu", UNIT_SAMPLES, "b.B.b", 0, 4, 1009);
	check((struct writing){ .profile = p }, 0, frames_ab,
	      "{\"type\":\"sampled\",\"name\":\"cpu\",\"unit\":\"none\","
	      "\"startValue\":0,\"samples\":[[1],[0],[1]],"
	      "\"weights\":[1,2,7],\"endValue\":10}");
	check((struct writing){ .profile = p, .options.timed_frames = 2 }, 0,
	      frames_ab,
	      "{\"type\":\"sampled\",\"name\":\"cpu\",\"unit\":\"none\","
	      "\"startValue\":0,\"samples\":[[0],[1]],"
	      "\"weights\":[2,8],\"endValue\":10}");
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
#define TWO                                                                    \
	"{\"type\":\"sampled\",\"name\":\"cpu\",\"unit\":\"none\","            \
	"\"startValue\":0,\"samples\":[[0],[1]],\"weights\":[2,2],"            \
	"\"endValue\":4}"
	check((struct writing){ .profile = p, .options.style.lines = true }, 0,
	      "{\"name\":\"x.a.A.a\",\"line\":10},"
	      "{\"name\":\"x.a.A.a\",\"line\":11},",
	      TWO);
	check((struct writing){ .profile = p, .options.style.annotate = true },
	      0, "{\"name\":\"x.a.A.a_[0]\"},{\"name\":\"x.a.A.a_[j]\"},", TWO);
	check((struct writing){ .profile = p, .options.style.simple = true }, 0,
	      "{\"name\":\"A.a\"},",
	      "{\"type\":\"sampled\",\"name\":\"cpu\",\"unit\":\"none\","
	      "\"startValue\":0,\"samples\":[[0]],\"weights\":[4],"
	      "\"endValue\":4}");
	profile_free(p);
}

static void foreign_names_are_escaped(void **state)
{
	struct profile *p = profile_new();
	struct writing w = { .profile = p, .options.title = "\xff\"</script>" };
	struct text got;

	(void)state;
	add(p, "e\"\\", UNIT_SAMPLES, "\"f\xc3(\n\\", 0, 1, 0);
	got = written(&w);
	assert_string_equal(
		got.bytes,
		HEAD "\"name\":\"\xef\xbf\xbd\\\"</script>\","
		     "\"activeProfileIndex\":0,\"shared\":{\"frames\":["
		     "{\"name\":\"\\\"f\xef\xbf\xbd(\xe2\x90\x8a\\\\\"},"
		     "{\"name\":\"[no stack trace]\"}]},\"profiles\":["
		     "{\"type\":\"sampled\",\"name\":\"e\\\"\\\\\","
		     "\"unit\":\"none\",\"startValue\":0,\"samples\":[[0]],"
		     "\"weights\":[1],\"endValue\":1}]}\n");
	text_release(&got);
	profile_free(p);
}

/* An event whose weight is 0 has a profile, too. */
static void empty_profile_is_written(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	add(p, "io", UNIT_NS, "a.A.a", 0, 0, 0);
	add(p, "os", UNIT_NS, "b.B.b", 0, 7, 0);
	check((struct writing){ .profile = p, .options.style.weights = true },
	      0, frames_ab,
	      "{\"type\":\"sampled\",\"name\":\"io\",\"unit\":\"nanoseconds\","
	      "\"startValue\":0,\"samples\":[],\"weights\":[],\"endValue\":0},"
	      "{\"type\":\"sampled\",\"name\":\"os\",\"unit\":\"nanoseconds\","
	      "\"startValue\":0,\"samples\":[[1]],\"weights\":[7],"
	      "\"endValue\":7}");
	profile_free(p);
}

#define DEEP 100000

static void very_deep_stack_trace_is_written(void **state)
{
	struct profile *p = profile_new();
	uint32_t *frames = xcalloc(DEEP, sizeof(*frames));
	struct sample s = { .count = 1, .weight = 1 };
	struct writing w = { .profile = p };
	struct text got;

	(void)state;
	s.event = profile_event(p, "cpu", UNIT_SAMPLES);
	for (size_t i = 0; i < DEEP; i++)
		frames[i] = sampled_frame(p, i % 2 ? "a.A.a" : "b.B.b",
					  FRAME_JAVA, 0);
	s.stack = profile_stack(p, frames, DEEP);
	profile_add(p, &s);
	got = written(&w);
	assert_in_range(got.len, DEEP * 2, DEEP * 2 + 500);
	assert_non_null(strstr(got.bytes, "[[0,1,0,1,0,1"));
	text_release(&got);
	free(frames);
	profile_free(p);
}

static void frames_beyond_the_maximum_are_truncated_and_reported(void **state)
{
	struct profile *p = profile_new();
	struct writing w = { .profile = p, .options.most_frames = 9 };
	struct text got;

	(void)state;
	sampled_chain(p, 5);
	got = written(&w);
	assert_int_equal(w.result.depth, 2);
	assert_non_null(
		strstr(got.bytes, "\"samples\":[[0],[0,1]],\"weights\":[1,4]"));
	text_release(&got);
	w.options.most_frames = 15;
	got = written(&w);
	assert_int_equal(w.result.depth, 0);
	text_release(&got);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_profiles_with_shared_frames),
		cmocka_unit_test(style_threads_writes_a_profile_per_thread),
		cmocka_unit_test(samples_are_sorted_by_time_in_small_files),
		cmocka_unit_test(style_lines_and_annotate_distinguish_frames),
		cmocka_unit_test(foreign_names_are_escaped),
		cmocka_unit_test(empty_profile_is_written),
		cmocka_unit_test(very_deep_stack_trace_is_written),
		cmocka_unit_test(
			frames_beyond_the_maximum_are_truncated_and_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
