/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that the reader of collapsed stack traces restores written profiles. */
#include "core/base/input.h"
#include "core/formats/reader.h"
#include "render/profile/export.h"
#include "tests/unit/sampled.h"
#include "tests/unit/sanitizers.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct collapsed_options all_options[] = {
	{ .style.weights = true },
	{ .style.weights = true, .style.threads = true },
	{ .style = { .weights = true, .annotate = true, .lines = true } },
	{ .style = { .weights = true, .simple = true } },
	{ .style.weights = true, .style.reverse = true },
};

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
			  const struct collapsed_options *options)
{
	struct writing w = { p, sampled_view(p, event), *options };

	return sampled_written(write_folded, &w);
}

static struct profile *read_back(const struct text *text)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	if (collapsed_reader.read((const uint8_t *)text->bytes, text->len, p,
				  &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < p->remark_count; i++)
		fail_msg("%s: %s", p->remarks[i].what, p->remarks[i].first);
	return p;
}

/* Writes an event, reads it and writes it again: the bytes must be equal. */
static void check(const struct profile *p, uint32_t event,
		  const struct collapsed_options *options)
{
	/* The profile that was read has threads as frames, root first. */
	struct collapsed_options again = { .style = options->style };
	struct text first = folded(p, event, options), second;
	struct profile *back;

	again.style.weights = true;
	again.style.threads = again.style.reverse = false;
	again.style.simple = false;
	if (!first.len) {
		text_release(&first);
		return;
	}
	if (!collapsed_reader.sniff((const uint8_t *)first.bytes,
				    first.len < READER_HEAD ? first.len
							    : READER_HEAD))
		fail_msg("not recognized: %.300s", first.bytes);
	back = read_back(&first);
	assert_true(back->events[0].weight == p->events[event].weight);
	second = folded(back, 0, &again);
	assert_string_equal(second.bytes, first.bytes);
	text_release(&first);
	text_release(&second);
	profile_free(back);
}

static void check_all(const struct profile *p)
{
	size_t count = sizeof(all_options) / sizeof(*all_options);

	for (uint32_t event = 0; event < p->event_count; event++) {
		for (size_t i = 0; i < count; i++)
			check(p, event, &all_options[i]);
	}
}

/* Checks all files of a pattern. */
static void check_files(const struct reader *reader, const char *pattern)
{
	glob_t files;

	if (glob(pattern, 0, NULL, &files))
		skip();
	for (size_t i = 0; i < files.gl_pathc; i += IS_SANITIZED ? 3 : 1) {
		struct profile *p = profile_new();
		struct input in;
		struct error err;

		assert_int_equal(input_open(&in, files.gl_pathv[i], &err), 0);
		assert_int_equal(input_complete(&in, &err), 0);
		if (!reader->read(in.bytes, in.len, p, &err))
			check_all(p);
		input_close(&in);
		profile_free(p);
	}
	globfree(&files);
}

static void jfr_recordings_round_trip(void **state)
{
	(void)state;
	check_files(&jfr_reader, "tests/data/jfr/*.jfr");
}

static void shared_jfr_recordings_round_trip(void **state)
{
	(void)state;
	check_files(&jfr_reader, "../shared/data/own/jfr/*.jfr");
}

static void visualvm_snapshots_round_trip(void **state)
{
	(void)state;
	check_files(&nps_reader, "tests/data/nps/*.nps");
}

/* Returns a frame with a random class, or none, method and kind. */
static struct frame random_frame(struct profile *p, unsigned *seed)
{
	static const char *const classes[] = { "",        "a.B",         "Main",
					       "a.b.C$D", "a.B$$Lambda", "[B" };
	static const char *const methods[] = {
		"run",
		"<init>",
		"lambda$main$1",
		"f\x1bg",
		"a;b",
		"x\ny",
		"\xc3\xb6",
		"std::vector<int>::at",
		"w\xff",
		"\xe2\x80\xae",
		"operator new(unsigned long)",
	};
	static const enum frame_kind kinds[] = { FRAME_INTERPRETED, FRAME_C1,
						 FRAME_JIT, FRAME_INLINED,
						 FRAME_JAVA };
	const char *class_name = classes[rand_r(seed) % 6];
	const char *method = methods[(size_t)rand_r(seed) % 11];

	return (struct frame){
		.class_name = profile_string(p, class_name, strlen(class_name)),
		.method = profile_string(p, method, strlen(method)),
		.line = *class_name ? (uint32_t)rand_r(seed) % 3 * 100 : 0,
		.kind = *class_name ? kinds[rand_r(seed) % 5] : FRAME_NATIVE,
	};
}

static void random_names_round_trip(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < (IS_SANITIZED ? 50 : 200); round++) {
		struct profile *p = profile_new();
		struct sample s = {
			.event = profile_event(p, "e", UNIT_SAMPLES),
			.count = 1,
		};

		for (int i = 0; i < 30; i++) {
			s.stack = 0;
			for (int k = rand_r(&seed) % 6; k > 0; k--) {
				struct frame f = random_frame(p, &seed);

				s.stack = profile_push(p, s.stack,
						       profile_frame(p, &f));
			}
			s.weight = 1 + (uint64_t)rand_r(&seed);
			profile_add(p, &s);
		}
		for (size_t i = 0; i < 4; i++) {
			/* These samples have no threads. */
			if (!all_options[i].style.threads)
				check(p, 0, &all_options[i]);
		}
		profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jfr_recordings_round_trip),
		cmocka_unit_test(shared_jfr_recordings_round_trip),
		cmocka_unit_test(visualvm_snapshots_round_trip),
		cmocka_unit_test(random_names_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
