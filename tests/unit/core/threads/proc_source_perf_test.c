/* SPDX-License-Identifier: Apache-2.0 */
/* Tests values and notes of a sample from perfdata images. */
#include "core/threads/proc_source.h"

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

/* A counter of a constructed image: a number or a text. */
struct made {
	const char *name;
	int64_t value;
	const char *text; /* NULL: a number */
};

static void put32(unsigned char *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* Builds an image of version 2.0, laid out as in perfMemory.hpp. */
static struct process_sample sample_made(const struct made *counters,
					 size_t count)
{
	static unsigned char image[8192];
	struct process_sample s;
	struct perfdata *p;
	struct error err;
	size_t at = 32;

	memset(image, 0, sizeof(image));
	memcpy(image, "\xca\xfe\xc0\xc0\1\2\0\1", 8);
	for (size_t i = 0; i < count; i++) {
		const struct made *c = &counters[i];
		size_t name = (strlen(c->name) + 8) & ~(size_t)7;
		size_t data = 24 + name; /* the header has 20 bytes */
		size_t len = c->text ? strlen(c->text) + 1 : 0;
		size_t entry = (data + (len ? len : 8) + 7) & ~(size_t)7;

		assert_true(at + entry <= sizeof(image));
		put32(image + at, (uint32_t)entry);
		put32(image + at + 4, 24);
		put32(image + at + 8, (uint32_t)len);
		image[at + 12] = c->text ? 'B' : 'J';
		image[at + 14] = c->text ? 5 : 3;
		image[at + 15] = 3;
		put32(image + at + 16, (uint32_t)data);
		memcpy(image + at + 24, c->name, strlen(c->name));
		if (c->text)
			memcpy(image + at + data, c->text, len);
		else
			memcpy(image + at + data, &c->value, 8);
		at += entry;
	}
	put32(image + 8, (uint32_t)at);
	put32(image + 24, 32);
	put32(image + 28, (uint32_t)count);
	process_sample_clear(&s);
	p = perfdata_of(image, sizeof(image), &err);
	if (!p)
		fail_msg("%s", err.text);
	perf_sample_add(p, &s);
	perfdata_close(p);
	return s;
}

#define SAMPLE_MADE(counters)                                                  \
	sample_made(counters, sizeof(counters) / sizeof(*(counters)))
#define FREQUENCY                                                              \
	{                                                                      \
		.name = "sun.os.hrt.frequency", .value = CLOCK_NS_PER_S        \
	}

/* Measured on JDK 25: 305 safepoints and 76 cycles; "full" has 1368 phases. */
static void shenandoahs_phases_are_not_its_pauses(void **state)
{
	static const struct made counters[] = {
		FREQUENCY,
		{ "sun.gc.collector.0.name", 0, "Shenandoah partial" },
		{ "sun.gc.collector.0.invocations", 0, NULL },
		{ "sun.gc.collector.0.time", 0, NULL },
		{ "sun.gc.collector.1.name", 0, "Shenandoah full" },
		{ "sun.gc.collector.1.invocations", 1368, NULL },
		{ "sun.gc.collector.1.time", 1196295729, NULL },
		{ "sun.gc.cause", 0, "No GC" },
		{ "sun.gc.lastCause", 0, "Concurrent GC" },
		{ "sun.rt.safepoints", 305, NULL },
		{ "sun.rt.safepointTime", 17298642, NULL },
		{ "sun.rt.safepointSyncTime", 24531637, NULL },
	};
	struct process_sample s = SAMPLE_MADE(counters);

	(void)state;
	assert_int_equal(s.gc_count, 1);
	assert_string_equal(s.gc[0].name, "Shenandoah pauses");
	assert_true(s.gc[0].at_most);
	assert_int_equal(s.gc[0].count, 305);
	assert_int_equal(s.gc[0].time_ns, 17298642);
	assert_true(s.gc[0].last_ns == COUNTER_ABSENT);
	assert_string_equal(s.gc_cause, "Concurrent GC");
}

static void zgcs_pauses_are_counted_exactly(void **state)
{
	static const struct made counters[] = {
		FREQUENCY,
		{ "sun.gc.collector.0.name", 0, "ZGC minor collection pauses" },
		{ "sun.gc.collector.0.invocations", 207, NULL },
		{ "sun.gc.collector.0.time", 1492695, NULL },
		{ "sun.gc.collector.0.lastEntryTime", 6924964519, NULL },
		{ "sun.gc.collector.0.lastExitTime", 6924966182, NULL },
		{ "sun.gc.collector.2.name", 0, "ZGC major collection pauses" },
		{ "sun.gc.collector.2.invocations", 55, NULL },
		{ "sun.gc.collector.2.time", 498942, NULL },
		/* A pause has begun but not ended. */
		{ "sun.gc.collector.2.lastEntryTime", 6924966200, NULL },
		{ "sun.gc.collector.2.lastExitTime", 6557798679, NULL },
		{ "sun.gc.cause", 0, "Allocation Rate" },
		{ "sun.gc.lastCause", 0, "No GC" },
		{ "sun.rt.safepoints", 263, NULL },
		{ "sun.rt.safepointTime", 4774977, NULL },
	};
	struct process_sample s = SAMPLE_MADE(counters);

	(void)state;
	assert_int_equal(s.gc_count, 2);
	assert_false(s.gc[0].at_most);
	assert_int_equal(s.gc[0].count, 207);
	assert_int_equal(s.gc[0].time_ns, 1492695);
	assert_int_equal(s.gc[0].last_ns, 1663);
	assert_true(s.gc[1].last_ns == COUNTER_ABSENT);
	assert_string_equal(s.gc_cause, "Allocation Rate");
}

/* The ZGC of JDK 11. */
static void collector_without_counters_has_an_upper_bound(void **state)
{
	static const struct made counters[] = {
		FREQUENCY,
		{ "sun.gc.cause", 0, "No GC" },
		{ "sun.rt.safepoints", 12, NULL },
		{ "sun.rt.safepointTime", 5000, NULL },
	};
	struct process_sample s = SAMPLE_MADE(counters);

	(void)state;
	assert_int_equal(s.gc_count, 1);
	assert_string_equal(s.gc[0].name, "all safepoints");
	assert_true(s.gc[0].at_most);
	assert_int_equal(s.gc[0].time_ns, 5000);
	assert_string_equal(s.gc_cause, "");
}

static void old_names_of_collectors_become_those_of_today(void **state)
{
	static const struct {
		const char *old, *name;
	} names[] = {
		{ "PCopy", "ParNew young collection pauses" },
		{ "Copy", "Serial young collection pauses" },
		{ "PSParallelCompact", "Parallel full collection pauses" },
		{ "G1 incremental collections", "G1 young collection pauses" },
		{ "CMS", "CMS" },
		{ "CMS stop-the-world phases", "CMS stop-the-world phases" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct made counters[] = {
			FREQUENCY,
			{ "sun.gc.collector.0.name", 0, names[i].old },
			{ "sun.gc.collector.0.invocations", 1, NULL },
			{ "sun.gc.collector.0.time", 1, NULL },
		};
		struct process_sample s = SAMPLE_MADE(counters);

		assert_int_equal(s.gc_count, 1);
		assert_string_equal(s.gc[0].name, names[i].name);
	}
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
		/* Not the sum of the maximum sizes of the generations. */
		assert_true(s.heap_max < INT64_C(300) << 20);
	}
}

static void values_without_counters_are_absent(void **state)
{
	struct process_sample s = nothing;

	(void)state;
	assert_true(perf_sample_stopped(&s) == COUNTER_ABSENT);
	s.safepoint_ns = s.sync_ns = INT64_MAX;
	assert_true(perf_sample_stopped(&s) == COUNTER_ABSENT);
}

/* Returns the note of a value; fails unless there is exactly one. */
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

static void each_absent_value_has_a_reason(void **state)
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
			    "kernel names of 15 bytes: attach refused: it is "
			    "␛[31mred");
	assert_string_equal(note_of(&s, "gc")->text, "- (-XX:-UsePerfData)");
	assert_false(note_of(&s, "cpu")->is_absent);
}

static void available_values_name_their_source(void **state)
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
			    "~ mean of 12 s, from thread dumps, 4 s ago");
	assert_false(note_of(&s, "heap")->is_absent);
	assert_int_equal(s.note_count, 4);
}

static void long_reason_is_truncated_between_characters(void **state)
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
		/*
		 * The text ends with a complete check mark, or without any part
		 * of it.
		 */
		assert_true((text[last] & 0x80) == 0 ||
			    memcmp(text + last - 2, "\xe2\x9c\x93", 3) == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			collections_and_safepoints_are_those_of_the_image),
		cmocka_unit_test(shenandoahs_phases_are_not_its_pauses),
		cmocka_unit_test(zgcs_pauses_are_counted_exactly),
		cmocka_unit_test(collector_without_counters_has_an_upper_bound),
		cmocka_unit_test(old_names_of_collectors_become_those_of_today),
		cmocka_unit_test(heap_figures_are_in_order),
		cmocka_unit_test(values_without_counters_are_absent),
		cmocka_unit_test(each_absent_value_has_a_reason),
		cmocka_unit_test(available_values_name_their_source),
		cmocka_unit_test(long_reason_is_truncated_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
