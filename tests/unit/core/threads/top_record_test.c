/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/top_record.h"

#include "tests/unit/top_samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                   \
	"{\"schema\":\"sjkc.ttop-record/1\",\"title\":\"4711 Main\","          \
	"\"pid\":4711,\"wall\":5}\n"

/* Gives each member a distinct value, a large one if it has 64 bits. */
static void make_full(struct made_sample *m)
{
	struct process_sample *p = &m->sample.process;
	int64_t value = INT64_MAX;

	made_begin(m, INT64_MAX - 1);
	m->sample.wall_ns = INT64_C(1795250908234567891);
	m->sample.missed = UINT64_MAX;
	p->cpu_ns = value--;
	p->user_ns = value--;
	p->sys_ns = value--;
	p->safepoints = value--;
	p->safepoint_ns = value--;
	p->sync_ns = value--;
	p->alloc_bytes = value--;
	p->heap_used = value--;
	p->heap_committed = value--;
	p->heap_max = value--;
	p->rss_bytes = value--;
	p->threads = value--;
	p->threads_started = value--;
	p->virtual_threads = value--;
	p->cpus = value--;
	p->machine_busy_ns = value--;
	p->machine_idle_ns = value--;
	p->cpu_limit = value--;
	p->throttled_ns = value--;
	p->cfs_periods = value--;
	p->throttled_periods = value--;
	p->measured = (struct measured){
		.all = { value, value - 1, value - 2 },
		.gc = { value - 3, value - 4, value - 5 },
		.sync_ns = value - 6,
		.collections = value - 7,
		.collect_ns = value - 8,
		.cause = "System.gc()",
	};
	value -= 9;
	snprintf(p->gc_cause, sizeof(p->gc_cause), "Allocation \"Failure\"");
	p->gc_count = 2;
	p->gc[0] = (struct gc_sample){ .name = "G1 young \"pauses\"",
				       .count = 3,
				       .time_ns = 4,
				       .last_ns = value--,
				       .at_most = true };
	p->gc[1] = (struct gc_sample){ .name = "old",
				       .count = COUNTER_ABSENT,
				       .time_ns = value--,
				       .last_ns = COUNTER_ABSENT,
				       .is_cycles = true };
	m->sample.note_count = 2;
	m->sample.notes[0] = (struct source_note){ "names", "4 s ago", false };
	m->sample.notes[1] = (struct source_note){ "contention",
						   "- (needs JMX)", true };
	m->threads[0] = (struct thread_sample){
		.java_id = INT64_MAX,
		.virtual_id = INT64_MAX - 1,
		.tid = INT32_MAX,
		.ns_tid = 2,
		.start = UINT64_MAX,
		.name = "a \"name\"\n\x1b[31m \xc3\xa4 \xe2\x80\xae",
		.kind = THREAD_NATIVE,
		.state = RUN_STOPPED,
		.state_is_old = true,
		.alloc_is_coarse = true,
		.has_alloc_mean = true,
		.alloc_mean = 4321,
	};
	for (size_t i = 0; i < THREAD_COUNTERS; i++)
		m->threads[0].counters[i] = value--;
	m->sample.thread_count = 1;
	made_thread(m, 0, "");
}

static void assert_same_thread(const struct thread_sample *a,
			       const struct thread_sample *b)
{
	assert_true(a->java_id == b->java_id);
	assert_true(a->virtual_id == b->virtual_id);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->ns_tid, b->ns_tid);
	assert_true(a->start == b->start);
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->state_is_old, b->state_is_old);
	assert_int_equal(a->alloc_is_coarse, b->alloc_is_coarse);
	assert_int_equal(a->has_alloc_mean, b->has_alloc_mean);
	assert_true(a->alloc_mean == b->alloc_mean);
	for (size_t i = 0; i < THREAD_COUNTERS; i++)
		assert_true(a->counters[i] == b->counters[i]);
}

static void assert_same(const struct top_sample *a, const struct top_sample *b)
{
	const struct process_sample *p = &a->process, *q = &b->process;

	assert_true(a->monotonic_ns == b->monotonic_ns);
	assert_true(a->wall_ns == b->wall_ns);
	assert_true(a->missed == b->missed);
	assert_memory_equal(p, q, offsetof(struct process_sample, gc_count));
	assert_int_equal(p->gc_count, q->gc_count);
	for (size_t i = 0; i < p->gc_count; i++) {
		assert_string_equal(p->gc[i].name, q->gc[i].name);
		assert_true(p->gc[i].count == q->gc[i].count);
		assert_true(p->gc[i].time_ns == q->gc[i].time_ns);
		assert_true(p->gc[i].last_ns == q->gc[i].last_ns);
		assert_int_equal(p->gc[i].at_most, q->gc[i].at_most);
		assert_int_equal(p->gc[i].is_cycles, q->gc[i].is_cycles);
	}
	assert_int_equal(a->note_count, b->note_count);
	for (size_t i = 0; i < a->note_count; i++) {
		assert_string_equal(a->notes[i].figure, b->notes[i].figure);
		assert_string_equal(a->notes[i].text, b->notes[i].text);
		assert_int_equal(a->notes[i].is_absent, b->notes[i].is_absent);
	}
	assert_int_equal(a->thread_count, b->thread_count);
	for (size_t i = 0; i < a->thread_count; i++)
		assert_same_thread(&a->threads[i], &b->threads[i]);
}

static struct thread_source *opened(const struct text *file)
{
	struct error err;
	struct thread_source *s = replay_source_open(file->bytes, file->len,
						     &err);

	assert_non_null(s);
	return s;
}

static void assert_ends(struct thread_source *s, enum error_kind kind)
{
	struct top_sample sample;
	struct error err;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(s->ops->sample(s, &sample, &err), -1);
		assert_int_equal(err.kind, kind);
	}
}

static void replay_returns_the_recorded_samples(void **state)
{
	struct made_sample full, empty;
	struct thread_source *s;
	struct top_sample got;
	struct text file = { 0 };
	struct error err;

	(void)state;
	make_full(&full);
	made_begin(&empty, 0);
	top_record_head(&file, "4711 com.acme.Main", 4711, 5);
	top_record_sample(&file, &full.sample);
	top_record_sample(&file, &empty.sample);
	top_record_sample(&file, &full.sample);
	s = opened(&file);
	assert_int_equal(s->pid, 4711);
	assert_string_equal(s->ops->title(s), "4711 com.acme.Main");
	assert_int_equal(s->ops->sample(s, &got, &err), 0);
	assert_same(&got, &full.sample);
	assert_int_equal(s->ops->sample(s, &got, &err), 0);
	assert_same(&got, &empty.sample);
	assert_int_equal(s->ops->sample(s, &got, &err), 0);
	assert_same(&got, &full.sample);
	assert_ends(s, ERROR_NO_TARGET);
	s->ops->close(s);
	text_release(&file);
}

/* No value of the full sample remains in the next one. */
static void recording_has_the_documented_lines(void **state)
{
	struct made_sample m;
	struct text line = { 0 };

	(void)state;
	made_begin(&m, 17);
	m.sample.process.cpu_ns = 0;
	made_busy(&m, 4712, "main", 3, 2, 1);
	top_record_sample(&line, &m.sample);
	assert_string_equal(
		line.bytes,
		"{\"at\":17,\"process\":{\"cpu\":0,\"gc\":[]},\"threads\":["
		"{\"tid\":4712,\"id\":12,\"start\":1000,\"name\":\"main\","
		"\"kind\":\"java\",\"state\":\"RUNNABLE\",\"cpu\":3,\"user\":2,"
		"\"sys\":1}],\"notes\":[]}\n");
	text_release(&line);
}

static void replay_returns_shown_texts_with_their_sample(void **state)
{
	struct made_sample m;
	struct thread_source *s;
	struct top_sample got;
	struct text file = { 0 }, shown = { 0 };
	struct error err;

	(void)state;
	made_begin(&m, 1);
	made_busy(&m, 4712, "main", 3, 2, 1);
	top_record_head(&file, "", 0, 0);
	top_record_sample(&file, &m.sample);
	top_record_shown(&file, "stack", 4712, "at a\n", 5);
	top_record_shown(&file, "stack", 4713, "at b\n", 5);
	top_record_shown(&file, "deadlocks", 0, "none\n", 5);
	top_record_shown(&file, "stack", 4712, "at \"c\"\n", 7);
	made_begin(&m, 2);
	made_busy(&m, 4712, "main", 3, 2, 1);
	top_record_sample(&file, &m.sample);
	s = opened(&file);
	assert_int_equal(s->ops->sample(s, &got, &err), 0);
	text_puts(&shown, "> ");
	assert_int_equal(s->ops->stack(s, &got.threads[0], &shown, &err), 0);
	assert_string_equal(shown.bytes, "> at \"c\"\n");
	assert_string_equal(got.threads[0].name, "main");
	text_clear(&shown);
	assert_int_equal(s->ops->deadlocks(s, &shown, &err), 0);
	assert_string_equal(shown.bytes, "none\n");
	assert_int_equal(s->ops->sample(s, &got, &err), 0);
	assert_int_equal(got.monotonic_ns, 2);
	assert_int_equal(s->ops->stack(s, &got.threads[0], &shown, &err), -1);
	assert_int_equal(err.kind, ERROR_FAILED);
	assert_int_equal(s->ops->deadlocks(s, &shown, &err), -1);
	assert_ends(s, ERROR_NO_TARGET);
	s->ops->close(s);
	text_release(&file);
	text_release(&shown);
}

static void truncated_recording_keeps_the_samples_before(void **state)
{
	struct made_sample m;
	struct text file = { 0 };
	size_t ends[4];

	(void)state;
	make_full(&m);
	m.sample.process.gc_count = 1;
	top_record_head(&file, "x", 1, 1);
	ends[0] = file.len;
	for (int i = 1; i < 4; i++) {
		top_record_sample(&file, &m.sample);
		ends[i] = file.len;
	}
	for (size_t len = ends[0]; len <= file.len; len++) {
		/*
		 * An exact copy, so that a sanitizer detects reads beyond the
		 * end.
		 */
		char *cut = malloc(len);
		struct error err;
		struct top_sample got;
		struct thread_source *s;
		size_t whole = 0, samples = 0;
		bool clean = false;

		memcpy(cut, file.bytes, len);
		/* A line without its LF is complete. */
		for (int i = 0; i < 4; i++) {
			whole += i && len >= ends[i] - 1;
			clean |= len == ends[i] || len == ends[i] - 1;
		}
		s = replay_source_open(cut, len, &err);
		assert_non_null(s);
		while (s->ops->sample(s, &got, &err) == 0)
			samples++;
		assert_int_equal(samples, whole);
		assert_int_equal(err.kind,
				 clean ? ERROR_NO_TARGET : ERROR_PARTIAL);
		s->ops->close(s);
		free(cut);
	}
	text_release(&file);
}

static void damaged_lines_end_it_early(void **state)
{
	static const char *const damaged[] = {
		"{}",
		"{\"at\":-1}",
		"{\"at\":1,\"process\":{\"cpu\":-5}}",
		"{\"at\":1,\"process\":[]}",
		"{\"at\":1,\"threads\":{}}",
		"{\"at\":1,\"threads\":[{\"tid\":2147483648}]}",
		"{\"at\":1,\"threads\":[{\"start\":-1}]}",
		"{\"at\":1,\"threads\":[{\"name\":5}]}",
		"{\"at\":1,\"threads\":[{\"state_is_old\":2}]}",
		"{\"at\":1,\"threads\":[{\"cpu\":9223372036854775808}]}",
		"{\"at\":1}{",
		"{\"shown\":\"stack\",\"of\":1}",
		"{\"shown\":\"stack\",\"of\":1,\"text\":\"",
		"[]",
		"at",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damaged) / sizeof(*damaged); i++) {
		struct thread_source *s;
		struct text file = { 0 };

		text_printf(&file, "%s%s\n{\"at\":1}\n", HEAD, damaged[i]);
		s = opened(&file);
		assert_ends(s, ERROR_PARTIAL);
		s->ops->close(s);
		text_release(&file);
	}
}

static void replay_skips_unknown_members(void **state)
{
	struct thread_source *s;
	struct top_sample got;
	struct text file = { 0 };
	struct error err;

	(void)state;
	text_puts(&file, HEAD
		  "\n{\"later\":[{}],\"at\":9,\"process\":{\"x\":{\"y\":1},"
		  "\"gc\":[{\"name\":\"g\",\"z\":[]}]},\"threads\":["
		  "{\"tid\":3,\"kind\":\"quantum\",\"state\":\"ODD\","
		  "\"spin\":0.5}]}\r\n");
	s = opened(&file);
	assert_int_equal(s->ops->sample(s, &got, &err), 0);
	assert_int_equal(got.monotonic_ns, 9);
	assert_int_equal(got.thread_count, 1);
	assert_int_equal(got.threads[0].tid, 3);
	assert_string_equal(got.threads[0].name, "");
	assert_int_equal(got.threads[0].kind, THREAD_UNKNOWN);
	assert_int_equal(got.threads[0].state, RUN_UNKNOWN);
	assert_true(got.threads[0].counters[THREAD_CPU] == COUNTER_ABSENT);
	assert_string_equal(got.process.gc[0].name, "g");
	assert_true(got.process.gc[0].count == COUNTER_ABSENT);
	assert_ends(s, ERROR_NO_TARGET);
	s->ops->close(s);
	text_release(&file);
}

/* The lists exceed their limits: names are truncated, further items dropped. */
static void replay_bounds_lists_and_strings(void **state)
{
	struct thread_source *s;
	struct top_sample got;
	struct text file = { 0 };
	struct error err;

	(void)state;
	text_puts(&file, HEAD "{\"at\":1,\"process\":{\"gc\":[");
	for (int i = 0; i < 100; i++)
		text_printf(&file, "%s{\"name\":\"%0300d\"}", i ? "," : "", i);
	text_puts(&file, "]},\"notes\":[");
	for (int i = 0; i < 100; i++)
		text_printf(&file, "%s{\"text\":\"%0300d\"}", i ? "," : "", i);
	text_puts(&file, "]}\n");
	s = opened(&file);
	assert_int_equal(s->ops->sample(s, &got, &err), 0);
	assert_int_equal(got.process.gc_count, GC_COLLECTORS_MAX);
	assert_int_equal(strlen(got.process.gc[0].name), 63);
	assert_int_equal(got.note_count, SOURCE_NOTES_MAX);
	assert_int_equal(strlen(got.notes[0].text), 255);
	assert_string_equal(got.notes[0].figure, "");
	s->ops->close(s);
	text_release(&file);
}

static void file_of_another_format_is_rejected(void **state)
{
	static const char *const files[] = {
		"",
		"\n",
		"{}\n",
		"{\"schema\":\"sjkc.ttop/1\"}\n",
		"{\"schema\":\"sjkc.ttop-record/1\"",
		"{\"schema\":\"sjkc.ttop-record/1\"} {}\n",
		"\x1f\x8b",
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		assert_null(
			replay_source_open(files[i], strlen(files[i]), &err));
		assert_int_equal(err.kind, ERROR_INPUT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replay_returns_the_recorded_samples),
		cmocka_unit_test(recording_has_the_documented_lines),
		cmocka_unit_test(replay_returns_shown_texts_with_their_sample),
		cmocka_unit_test(truncated_recording_keeps_the_samples_before),
		cmocka_unit_test(damaged_lines_end_it_early),
		cmocka_unit_test(replay_skips_unknown_members),
		cmocka_unit_test(replay_bounds_lists_and_strings),
		cmocka_unit_test(file_of_another_format_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
