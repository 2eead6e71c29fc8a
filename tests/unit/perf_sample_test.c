/* SPDX-License-Identifier: Apache-2.0 */
/* Of images of JVMs: what a sample has from them, and what is said of it. */
#include "core/threads/perf_sample.h"
#include "core/threads/proc_notes.h"

#include "core/base/clock.h"
#include "core/base/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct process_sample nothing = {
	.safepoints = COUNTER_ABSENT,
	.safepoint_ns = COUNTER_ABSENT,
	.sync_ns = COUNTER_ABSENT,
	.heap_used = COUNTER_ABSENT,
	.heap_committed = COUNTER_ABSENT,
	.heap_max = COUNTER_ABSENT,
};

static struct process_sample sample_of(const char *path)
{
	struct process_sample s = nothing;
	struct perfdata *p;
	struct input in;
	struct error err;

	if (input_open(&in, path, &err) || input_complete(&in, &err))
		fail_msg("%s: %s", path, err.text);
	p = perfdata_of(in.bytes, in.len, &err);
	if (!p)
		fail_msg("%s: %s", path, err.text);
	perf_sample_add(p, &s);
	perfdata_close(p);
	input_close(&in);
	return s;
}

static void collections_and_safepoints_are_those_of_the_image(void **state)
{
	struct process_sample s = sample_of("tests/data/perfdata/jdk25.bin");

	(void)state;
	assert_int_equal(s.safepoints, 68);
	assert_true(s.safepoint_ns > s.sync_ns);
	assert_true(s.sync_ns > 0);
	assert_int_equal(perf_sample_stopped(&s), s.safepoint_ns + s.sync_ns);
	assert_int_equal(s.gc_count, 3);
	assert_string_equal(s.gc[0].name, "G1 young collection pauses");
	assert_int_equal(s.gc[0].time_ns, 187270569);
	assert_true(s.gc[0].count > 0);
	assert_string_equal(s.gc[2].name, "G1 concurrent cycle pauses");
}

static void heap_figures_are_in_order(void **state)
{
	static const char *const images[] = { "tests/data/perfdata/jdk17.bin",
					      "tests/data/perfdata/jdk25.bin" };

	(void)state;
	for (size_t i = 0; i < sizeof(images) / sizeof(*images); i++) {
		struct process_sample s = sample_of(images[i]);

		assert_true(s.heap_used > 0);
		assert_true(s.heap_used <= s.heap_committed);
		assert_true(s.heap_committed <= s.heap_max + 4096);
		/* Not the sum of what each generation might become. */
		assert_true(s.heap_max < INT64_C(300) << 20);
	}
}

static void without_counters_nothing_is_known(void **state)
{
	struct process_sample s = nothing;

	(void)state;
	assert_true(perf_sample_stopped(&s) == COUNTER_ABSENT);
	s.safepoint_ns = s.sync_ns = INT64_MAX;
	assert_true(perf_sample_stopped(&s) == COUNTER_ABSENT);
}

/* The note of a figure; the test fails if there is not one just. */
static const struct source_note *note_of(const struct top_sample *s,
					 const char *figure)
{
	const struct source_note *found = NULL;

	for (size_t i = 0; i < s->note_count; i++) {
		if (strcmp(s->notes[i].figure, figure) != 0)
			continue;
		assert_null(found);
		found = &s->notes[i];
	}
	if (!found)
		fail_msg("no note of %s", figure);
	return found;
}

static void every_absent_figure_is_named_with_its_reason(void **state)
{
	struct proc_facts facts = {
		.dump_problem = "attach refused: it is \033[31mred",
		.dump_age_ns = -1,
		.no_perfdata = "-XX:-UsePerfData",
	};
	static const char *const figures[] = { "names",      "allocation",
					       "contention", "gc",
					       "safepoints", "heap",
					       "runq" };
	struct top_sample s = { .process = nothing };

	(void)state;
	proc_notes_add(&facts, &s);
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		assert_true(note_of(&s, figures[i])->is_absent);
	assert_string_equal(note_of(&s, "names")->text,
			    "the kernel's, of 15 bytes: attach refused: it is "
			    "␛[31mred");
	assert_string_equal(note_of(&s, "gc")->text, "- (-XX:-UsePerfData)");
	assert_false(note_of(&s, "cpu")->is_absent);
}

static void figures_that_are_there_say_whence_they_are(void **state)
{
	struct proc_facts facts = {
		.dump_age_ns = 4 * CLOCK_NS_PER_S,
		.has_alloc = true,
		.alloc_over_ns = 12 * CLOCK_NS_PER_S,
		.has_schedstat = true,
	};
	struct top_sample s = { .process = nothing };

	(void)state;
	s.process.heap_used = 1;
	proc_notes_add(&facts, &s);
	assert_string_equal(note_of(&s, "names")->text,
			    "Thread.print, 4 s ago");
	assert_false(note_of(&s, "names")->is_absent);
	assert_false(note_of(&s, "allocation")->is_absent);
	assert_string_equal(note_of(&s, "allocation")->text,
			    "~ the mean of 12 s, by thread dumps, 4 s ago");
	assert_false(note_of(&s, "heap")->is_absent);
	assert_int_equal(s.note_count, 4);
}

static void a_long_reason_is_cut_between_characters(void **state)
{
	struct proc_facts facts = { .dump_age_ns = -1, .has_schedstat = true };
	char reason[500] = "";

	(void)state;
	facts.dump_problem = reason;
	for (size_t len = 100; len < 180; len++) {
		struct top_sample s = { .process = nothing };
		const char *text;
		size_t last;

		memset(reason, 'x', len);
		memcpy(reason + len, "\xe2\x9c\x93\xe2\x9c\x93", 7);
		proc_notes_add(&facts, &s);
		text = note_of(&s, "names")->text;
		last = strlen(text) - 1;
		assert_true(last < sizeof(s.notes[0].text));
		/* The third byte of a tick, or no part of one. */
		assert_true((text[last] & 0x80) == 0 ||
			    memcmp(text + last - 2, "\xe2\x9c\x93", 3) == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			collections_and_safepoints_are_those_of_the_image),
		cmocka_unit_test(heap_figures_are_in_order),
		cmocka_unit_test(without_counters_nothing_is_known),
		cmocka_unit_test(every_absent_figure_is_named_with_its_reason),
		cmocka_unit_test(figures_that_are_there_say_whence_they_are),
		cmocka_unit_test(a_long_reason_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
