/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads real thread dumps.  The results equal those of a simple count of lines,
 * and truncation at any byte is harmless.
 */
#include "tests/unit/dump_check.h"
#include "tests/unit/foreign.h"

#include "core/base/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OURS    "tests/data/dumps/"
#define SHARED  "../shared/data/own/jstack/"
#define FOREIGN "../shared/data/foreign/jstack/"

/* Numbers counted with grep when the test was written. */
struct expected {
	const char *path;
	uint64_t dumps, threads, frames;
	uint64_t states[THREAD_STATES];
};

static const struct expected files[] = {
	/* path; dumps, threads, frames; none, NEW, R, B, W, TW */
	{ OURS "jstack-jdk25.txt", 1, 53, 314, { 9, 0, 11, 3, 11, 19 } },
	{ OURS "jcmd-threadprint-le-jdk17.txt",
	  1,
	  49,
	  216,
	  { 7, 0, 11, 3, 10, 18 } },
	{ OURS "log-with-kill3-jdk17.txt",
	  2,
	  98,
	  432,
	  { 14, 0, 22, 6, 20, 36 } },
	{ OURS "kill3-shenandoah-jdk17.txt", 1, 19, 29, { 4, 0, 9, 2, 1, 3 } },
	{ OURS "jstack-waits-jdk8.txt", 1, 28, 108, { 4, 0, 16, 1, 5, 2 } },
	{ OURS "jstack-waits-jdk11.txt", 1, 33, 110, { 7, 0, 18, 1, 4, 3 } },
	{ OURS "jstack-waits-jdk17.txt", 1, 35, 126, { 7, 0, 20, 1, 4, 3 } },
	{ OURS "kill3-waits-jdk26.txt", 1, 35, 160, { 8, 0, 19, 1, 4, 3 } },
	{ OURS "jstack-waits-jdk28.txt", 1, 33, 160, { 6, 0, 19, 1, 4, 3 } },
	{ SHARED "jdk26-jstack-l.txt", 1, 32, 410, { 9, 0, 13, 3, 3, 4 } },
	{ SHARED "jdk26-kill3.txt", 1, 36, 146, { 9, 0, 11, 3, 3, 10 } },
	{ SHARED "jdk28-jstack-l.txt", 1, 32, 408, { 9, 0, 13, 3, 2, 5 } },
	{ SHARED "jdk28-kill3.txt", 1, 37, 157, { 9, 0, 10, 3, 3, 12 } },
	{ SHARED "jcmd-threadprint-jdk25.txt",
	  1,
	  53,
	  314,
	  { 9, 0, 11, 3, 11, 19 } },
	{ SHARED "jstack-SerialGC-jdk17.txt",
	  1,
	  44,
	  216,
	  { 2, 0, 11, 3, 10, 18 } },
	{ SHARED "jstack-jdk17.txt", 1, 49, 216, { 7, 0, 11, 3, 10, 18 } },
	{ SHARED "jstack-le-jdk17.txt", 1, 49, 216, { 7, 0, 11, 3, 10, 18 } },
	{ SHARED "multi-jdk25.txt", 3, 159, 942, { 27, 0, 33, 9, 33, 57 } },
	{ SHARED "multi-with-date-jdk17.txt",
	  2,
	  98,
	  432,
	  { 14, 0, 22, 6, 20, 36 } },
	{ SHARED "synthetic-jdk11.txt", 1, 5, 3, { 3, 0, 1, 0, 1, 0 } },
	{ SHARED "synthetic-jdk21.txt", 1, 3, 5, { 2, 0, 0, 0, 0, 1 } },
	{ SHARED "synthetic-jdk8-deadlock.txt",
	  1,
	  9,
	  10,
	  { 5, 0, 2, 1, 1, 0 } },
	{ FOREIGN "jstack-jdk8-sjk.txt",
	  1,
	  160,
	  1218,
	  { 6, 0, 38, 0, 59, 57 } },
};

static bool holds(struct line line, const char *words)
{
	return memmem(line.text, line.len, words, strlen(words)) != NULL;
}

/*
 * Counts as grep would: headers have a tid, virtual threads have their own
 * line, and lines between "Found one" and "Found <N>" are ignored.
 */
static struct expected counted(const char *bytes, size_t len)
{
	struct lines lines = lines_over(bytes, len);
	struct expected sum = { 0 };
	bool in_deadlock = false;
	struct line line;

	while (lines_next(&lines, &line)) {
		if (line_starts(line, "Found "))
			in_deadlock = line_starts(line, "Found one");
		if (in_deadlock)
			continue;
		sum.dumps += holds(line, "Full thread dump ");
		sum.threads += holds(line, " tid=0x0");
		sum.threads += line_starts(line, "   Mounted virtual");
		sum.frames += line_starts(line, "\tat ");
		for (int s = STATE_NEW; s < THREAD_STATES; s++) {
			char words[80];

			snprintf(words, sizeof(words),
				 "   java.lang.Thread.State: %s",
				 thread_state_names[s]);
			sum.states[s] += line_starts(line, words) &&
					 (line.len == strlen(words) ||
					  line.text[strlen(words)] == ' ');
		}
	}
	sum.states[STATE_NONE] = sum.threads;
	for (int s = STATE_NEW; s < THREAD_STATES; s++)
		sum.states[STATE_NONE] -= sum.states[s];
	return sum;
}

static void assert_counts(const struct profile *p, const struct expected *e)
{
	uint64_t states[THREAD_STATES] = { 0 };

	for (size_t i = 0; i < p->cell_count; i++)
		states[p->cells[i].state] += p->cells[i].count;
	assert_int_equal(samples_in(p), e->threads);
	assert_int_equal(frames_in(p), e->frames);
	for (int s = 0; s < THREAD_STATES; s++)
		assert_int_equal(states[s], e->states[s]);
	assert_false(profile_is_partial(p));
	assert_int_equal(remarks_of(p, "lines inside thread dumps skipped"), 0);
}

static void counts_of_a_file_are_what_a_simple_count_finds(void **state)
{
	const struct expected *e = *state;
	size_t len = 0;
	char *bytes = file_bytes(e->path, &len);
	struct expected simple;
	struct profile *p;

	if (!bytes)
		skip();
	simple = counted(bytes, len);
	assert_int_equal(simple.dumps, e->dumps);
	assert_int_equal(simple.threads, e->threads);
	assert_int_equal(simple.frames, e->frames);
	p = profile_of_bytes(&dump_reader, bytes, len);
	assert_counts(p, &simple);
	assert_counts(p, e);
	profile_free(p);
	free(bytes);
}

/*
 * Returns the number of lines that start with the text, ignoring indentation.
 */
static uint64_t lines_with(const char *bytes, size_t len, const char *start)
{
	struct lines lines = lines_over(bytes, len);
	struct line line;
	uint64_t count = 0;

	while (lines_next(&lines, &line)) {
		while (line.len && line.text[0] == ' ') {
			line.text++;
			line.len--;
		}
		count += line_starts(line, start);
	}
	return count;
}

/* Reads a file; the test fails if it does not exist. */
static char *our_bytes(const char *path, size_t *len)
{
	char *bytes = file_bytes(path, len);

	if (!bytes)
		fail_msg("%s is not there", path);
	return bytes;
}

/*
 * Each of these JVMs had one computing thread and threads that wait in native
 * code: for connections, packets, input, events and processes.
 */
static void only_the_busy_thread_is_not_idle(void **state)
{
	static const struct {
		const char *path;
		uint64_t idle;
	} dumps[] = {
		{ OURS "jstack-waits-jdk8.txt", 9 },
		{ OURS "jstack-waits-jdk11.txt", 11 },
		{ OURS "jstack-waits-jdk17.txt", 11 },
		{ OURS "kill3-waits-jdk26.txt", 11 },
		{ OURS "jstack-waits-jdk28.txt", 11 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(dumps) / sizeof(*dumps); i++) {
		size_t len = 0;
		char *bytes = our_bytes(dumps[i].path, &len);
		struct profile *p = profile_new();
		struct error err;
		uint64_t busy = 0;

		p->leave_out_idle = true;
		assert_int_equal(
			dump_reader.read((const uint8_t *)bytes, len, p, &err),
			0);
		for (size_t c = 0; c < p->cell_count; c++) {
			const struct cell *cell = &p->cells[c];

			if (cell->state != STATE_RUNNABLE || !cell->stack)
				continue;
			/* JDK 8's poller had just been woken by an event. */
			busy += strstr(stack_of(p, cell), "access$600") == NULL;
		}
		assert_int_equal(busy, 1);
		cell_of(p, "burn");
		assert_int_equal(remarks_of(p,
					    "samples of idle threads omitted "
					    "(--idle keeps them)"),
				 dumps[i].idle);
		assert_false(profile_is_partial(p));
		profile_free(p);
		free(bytes);
	}
}

static void dump_to_file_has_a_sample_per_thread_in_text(void **state)
{
	size_t len = 0;
	char *bytes = our_bytes(OURS "dump_to_file-jdk25.txt", &len);
	struct profile *p = profile_of_bytes(&dump_reader, bytes, len);

	(void)state;
	assert_int_equal(lines_with(bytes, len, "#"), 50);
	assert_int_equal(lines_with(bytes, len, "at "), 326);
	assert_int_equal(samples_in(p), 50);
	assert_int_equal(frames_in(p), 326);
	assert_int_equal(p->remark_count, 0);
	assert_int_equal(thread_of(p, "virt-2 \"q\"")->java_id, 56);
	assert_true(thread_of(p, "virt-0")->is_virtual);
	cell_of(p, "new\nline\tand tab");
	profile_free(p);
	free(bytes);
}

static void dump_to_file_has_a_sample_per_thread_in_json(void **state)
{
	size_t len = 0;
	char *bytes = our_bytes(OURS "dump_to_file-jdk25.json", &len);
	struct profile *p = profile_of_bytes(&dump_json_reader, bytes, len);

	(void)state;
	assert_int_equal(lines_with(bytes, len, "\"tid\": "), 50);
	assert_int_equal(samples_in(p), 50);
	assert_int_equal(frames_in(p), 318);
	assert_int_equal(p->remark_count, 0);
	assert_true(thread_of(p, "virt-0")->is_virtual);
	profile_free(p);
	free(bytes);
}

static void jhsdb_has_a_sample_per_thread(void **state)
{
	size_t len = 0;
	char *bytes = our_bytes(OURS "jhsdb-jdk17.txt", &len);
	struct profile *p = profile_of_bytes(&dump_reader, bytes, len);

	(void)state;
	assert_int_equal(samples_in(p), 9);
	assert_int_equal(lines_with(bytes, len, "- "),
			 26); /* its lock lines are indented by a tab */
	assert_int_equal(frames_in(p), 26);
	assert_int_equal(p->remark_count, 0);
	profile_free(p);
	free(bytes);

	bytes = our_bytes(OURS "jhsdb-mixed-jdk17.txt", &len);
	p = profile_of_bytes(&dump_reader, bytes, len);
	assert_int_equal(lines_with(bytes, len, "----------------- "), 18);
	assert_int_equal(samples_in(p), 18);
	assert_int_equal(lines_with(bytes, len, "0x"), 27);
	assert_int_equal(frames_in(p), 27);
	assert_int_equal(p->remark_count, 0);
	profile_free(p);
	free(bytes);
}

static void log_lines_around_dumps_of_kill_3_are_counted(void **state)
{
	size_t len = 0;
	char *bytes = our_bytes(OURS "log-with-kill3-jdk17.txt", &len);
	struct profile *p = profile_of_bytes(&dump_reader, bytes, len);

	(void)state;
	/* "ready" and 70 ticks */
	assert_int_equal(remarks_of(p, "lines outside thread dumps skipped"),
			 71);
	assert_int_equal(p->remark_count, 1);
	profile_free(p);
	free(bytes);
}

static void truncated_dumps_have_no_wrong_thread(void **state)
{
	static const struct {
		const struct reader *reader;
		const char *path;
	} dumps[] = {
		{ &dump_reader, OURS "kill3-shenandoah-jdk17.txt" },
		{ &dump_reader, OURS "jhsdb-jdk17.txt" },
		{ &dump_reader, OURS "jhsdb-mixed-jdk17.txt" },
		{ &dump_reader, OURS "dump_to_file-small-jdk25.txt" },
		{ &dump_json_reader, OURS "dump_to_file-small-jdk25.json" },
		{ &dump_reader, OURS "handmade-javacore-openj9.txt" },
		{ &dump_reader, OURS "threadinfo-jdk17.txt" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(dumps) / sizeof(*dumps); i++) {
		struct text file = foreign_file(dumps[i].path);

		foreign_cut_everywhere(dumps[i].reader, file.bytes, file.len,
				       false);
		text_release(&file);
	}
}

static void truncation_before_the_last_line_is_reported(void **state)
{
	size_t len = 0;
	char *bytes = our_bytes(OURS "jstack-jdk25.txt", &len);
	const char *end = strstr(bytes, "JNI global refs");
	const char *first = strstr(bytes, "\tat ");

	(void)state;
	for (size_t cut = (size_t)(first - bytes) + 40;
	     cut < (size_t)(end - bytes); cut += 101) {
		struct profile *p = profile_of_bytes(&dump_reader, bytes, cut);

		assert_true(profile_is_partial(p));
		profile_free(p);
	}
	free(bytes);
}

int main(void)
{
	enum { FILES = sizeof(files) / sizeof(*files) };
	struct CMUnitTest counts[FILES];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_busy_thread_is_not_idle),
		cmocka_unit_test(dump_to_file_has_a_sample_per_thread_in_text),
		cmocka_unit_test(dump_to_file_has_a_sample_per_thread_in_json),
		cmocka_unit_test(jhsdb_has_a_sample_per_thread),
		cmocka_unit_test(log_lines_around_dumps_of_kill_3_are_counted),
		cmocka_unit_test(truncated_dumps_have_no_wrong_thread),
		cmocka_unit_test(truncation_before_the_last_line_is_reported),
	};

	/*
	 * Each test has the file's name, so that skipped files are named, too.
	 */
	for (size_t i = 0; i < FILES; i++)
		counts[i] = (struct CMUnitTest){
			.name = files[i].path,
			.test_func =
				counts_of_a_file_are_what_a_simple_count_finds,
			.initial_state = (void *)&files[i],
		};
	return cmocka_run_group_tests(counts, NULL, NULL) +
	       cmocka_run_group_tests(tests, NULL, NULL);
}
