/* SPDX-License-Identifier: Apache-2.0 */
/* Tests samples of a process that is not a JVM, and failed thread dumps. */
#include "core/jvm/perfdata.h"
#include "core/threads/proc_source.h"
#include "core/threads/thread_dumps.h"

#include "core/base/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PATIENCE_NS (60 * CLOCK_NS_PER_S)

/* Returns the number of children, without those that have ended. */
static size_t count_children(void)
{
	FILE *f = fopen("/proc/thread-self/children", "r");
	size_t count = 0;
	int c;

	assert_non_null(f);
	/* "4711 4712 " */
	while ((c = fgetc(f)) != EOF)
		count += c == ' ';
	fclose(f);
	return count;
}

static int open_self(void **state)
{
	static struct jvm jvm;
	struct error err = { 0 };

	if (jvm_open(&jvm, getpid(), &err))
		fail_msg("%s", err.text);
	assert_null(perfdata_open(&jvm, &err));
	assert_int_equal(count_children(), 1);
	*state = &jvm;
	return 0;
}

static int close_self(void **state)
{
	jvm_close(*state);
	return 0;
}

/* The child that opens files of targets serves the whole run. */
static void assert_no_child(void) { assert_int_equal(count_children(), 1); }

static const struct source_note *note_of(const struct top_sample *s,
					 const char *figure)
{
	for (size_t i = 0; i < s->note_count; i++) {
		if (strcmp(s->notes[i].figure, figure) == 0)
			return &s->notes[i];
	}
	return NULL;
}

static void process_without_jvm_has_samples(void **state)
{
	struct proc_source_options options = { .switches = true };
	struct text text = { 0 };
	struct error err = { 0 };
	struct top_sample s;
	struct thread_source *source = proc_source_open(*state, &options, &err);

	assert_non_null(source);
	assert_int_equal(source->pid, getpid());
	for (int i = 0; i < 3; i++)
		assert_int_equal(source->ops->sample(source, &s, &err), 0);
	assert_int_equal(s.thread_count, 1);
	assert_int_equal(s.threads[0].tid, getpid());
	assert_true(s.threads[0].counters[THREAD_CPU] > 0);
	assert_true(s.threads[0].counters[THREAD_VOLUNTARY] != COUNTER_ABSENT);
	assert_true(s.threads[0].counters[THREAD_ALLOC] == COUNTER_ABSENT);
	assert_true(s.process.cpu_ns > 0);
	assert_true(s.process.safepoints == COUNTER_ABSENT);
	assert_int_equal(s.process.gc_count, 0);
	assert_true(note_of(&s, "names")->is_absent);
	assert_true(note_of(&s, "gc")->is_absent);
	assert_int_equal(source->ops->stack(source, &s.threads[0], &text, &err),
			 -1);
	assert_int_equal(err.kind, ERROR_UNAVAILABLE);
	assert_int_equal(source->ops->deadlocks(source, &text, &err), -1);
	assert_int_equal(err.kind, ERROR_UNAVAILABLE);
	assert_int_equal(text.len, 0);
	source->ops->close(source);
	assert_no_child();
}

static void failed_first_dump_is_not_repeated(void **state)
{
	struct thread_dumps *d = thread_dumps_new(*state, true, CLOCK_NS_PER_S);
	int64_t deadline = clock_monotonic_ns() + PATIENCE_NS;
	struct error err = { 0 };

	assert_null(thread_dumps_problem(d));
	assert_true(thread_dumps_ask(d, -1));
	assert_true(thread_dumps_awaits(d));
	/* A second dump is not started at the same time. */
	assert_false(thread_dumps_ask(d, -1));
	while (thread_dumps_awaits(d) && clock_monotonic_ns() < deadline)
		assert_false(thread_dumps_take(d, deadline, -1));
	assert_false(thread_dumps_awaits(d));
	assert_non_null(thread_dumps_problem(d));
	assert_null(thread_dumps_names(d));
	assert_false(thread_dumps_ask(d, -1));
	assert_null(thread_dumps_text(d, 0, &err));
	assert_int_not_equal(err.kind, ERROR_NONE);
	assert_string_equal(err.text, thread_dumps_problem(d));
	assert_no_child();
	thread_dumps_free(d);
}

static void dumps_without_attach_are_never_requested(void **state)
{
	struct thread_dumps *d = thread_dumps_new(*state, false, 1);
	struct error err = { 0 };

	assert_false(thread_dumps_ask(d, -1));
	assert_false(thread_dumps_awaits(d));
	assert_null(thread_dumps_text(d, 0, &err));
	assert_int_equal(err.kind, ERROR_UNAVAILABLE);
	assert_null(thread_dumps_problem(d));
	assert_no_child();
	thread_dumps_free(d);
}

static void dump_in_progress_ends_with_the_parent(void **state)
{
	struct thread_dumps *d = thread_dumps_new(*state, true,
						  20 * CLOCK_NS_PER_S);

	assert_true(thread_dumps_ask(d, -1));
	thread_dumps_free(d);
	assert_no_child();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(process_without_jvm_has_samples),
		cmocka_unit_test(failed_first_dump_is_not_repeated),
		cmocka_unit_test(dumps_without_attach_are_never_requested),
		cmocka_unit_test(dump_in_progress_ends_with_the_parent),
	};

	return cmocka_run_group_tests(tests, open_self, close_self);
}
