/* SPDX-License-Identifier: Apache-2.0 */
/* Thread dumps as text: in logs, altered by other programs, and damaged. */
#include "tests/unit/dump_check.h"
#include "tests/unit/dump_text.h"

#include "core/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAP                                                                   \
	"Heap\nShenandoah Heap\n 6028M max, 6144K used\nStatus: idle\n"        \
	"Reserved region:\n - [0x01, 0x02)\nCollection set:\n - map: 0x03\n\n" \
	" Metaspace       used 189K\n  class space    used 6K\n\n"

static void log_lines_around_dumps_are_counted_without_a_loss(void **state)
{
	struct profile *p = read_text(
		"ready\n08:00 INFO tick 0\n" START "\"a\" " TAIL SLEEPING RUN
		"\n" END DEADLOCK HEAP
		"08:01 ERROR it broke\njava.lang.IllegalStateException: x\n"
		"\tat c.D.e(D.java:1)\n\tat c.D.f(D.java:2)\n"
		"\"quoted\" words of the log\n" START "\"a\" " TAIL SLEEPING RUN
		"\n" END "08:02 INFO bye\n");

	(void)state;
	assert_int_equal(samples_in(p), 2);
	assert_int_equal(frames_in(p), 2);
	assert_int_equal(remarks_of(p, OUTSIDE), 2 + 5 + 1);
	assert_int_equal(remarks_of(p, INSIDE), 0);
	assert_false(profile_is_partial(p));
	profile_free(p);
}

static void log_line_inside_a_stack_trace_does_not_end_it(void **state)
{
	struct profile *p = read_text(START "\"a\" " TAIL
					    "08:01 INFO tick\n" SLEEPING RUN
					    "an Error\n" MAIN "\n" END);

	(void)state;
	assert_string_equal(stack_of(p, cell_of(p, "a")),
			    "a.B.run:7 a.B.main:9");
	assert_int_equal(cell_of(p, "a")->state, STATE_TIMED_WAITING);
	assert_int_equal(remarks_of(p, INSIDE), 2);
	assert_false(profile_is_partial(p));
	profile_free(p);
}

static void exception_logged_inside_a_dump_is_not_a_stack_trace(void **state)
{
	struct profile *p = read_text(
		START "\"a\" " TAIL SLEEPING RUN "\n"
		      "08:01 ERROR it broke\n\tat c.D.e(D.java:1)\n"
		      "\"b\" " TAIL SLEEPING RUN
		      "Caused by: c.Trouble\n\tat c.D.e(D.java:1)\n"
		      "\t... 12 more\n"
		      "\n\"c\" " TAIL MAIN "\n" END);

	(void)state;
	assert_int_equal(samples_in(p), 3);
	assert_string_equal(stack_of(p, cell_of(p, "a")), "a.B.run:7");
	assert_string_equal(stack_of(p, cell_of(p, "b")), "a.B.run:7");
	assert_string_equal(stack_of(p, cell_of(p, "c")), "a.B.main:9");
	assert_int_equal(remarks_of(p, INSIDE), 5);
	profile_free(p);
}

/* Returns a copy of the text with each `from` replaced by `to`. */
static char *replaced(const char *text, const char *from, const char *to)
{
	struct text out = { 0 };
	const char *at;

	while ((at = strstr(text, from))) {
		text_add(&out, text, (size_t)(at - text));
		text_puts(&out, to);
		text = at + strlen(from);
	}
	text_puts(&out, text);
	return out.bytes;
}

static void assert_two_threads(const char *text)
{
	struct profile *p = read_text(text);

	assert_int_equal(samples_in(p), 2);
	assert_string_equal(stack_of(p, cell_of(p, "a")),
			    "a.B.run:7 a.B.main:9");
	assert_string_equal(stack_of(p, cell_of(p, "n\nl")),
			    "a.B.run:7 a.B.main:9");
	assert_int_equal(cell_of(p, "a")->state, STATE_TIMED_WAITING);
	assert_int_equal(p->earliest_ns, TIME_NS);
	assert_whole(p);
	profile_free(p);
}

static void changed_spaces_and_line_ends_are_accepted(void **state)
{
	static const struct {
		const char *from, *to;
	} changes[] = {
		{ "\n", "\n" },         { "\n", "\r\n" },     { "\n\n", "\n" },
		{ "\n\n", "\n\n\n\n" }, { "\t", "        " }, { "\t", "" },
		{ ")\n\t", ")\n\n\t" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		char *text = replaced(TWO_THREADS, changes[i].from,
				      changes[i].to);

		assert_two_threads(text);
		free(text);
	}
}

/* Adds a prefix and a suffix to each line of the text. */
static char *wrapped(const char *text, const char *before, const char *after)
{
	struct text out = { 0 };
	unsigned n = 0;

	while (*text) {
		const char *end = strchr(text, '\n');

		text_printf(&out, before, n / 60, n % 60, n * 7919);
		n++;
		for (; text < end; text++) {
			const char *escape = *text == '"'    ? "\\\""
					     : *text == '\t' ? "\\t"
							     : NULL;

			if (escape && *after)
				text_puts(&out, escape);
			else
				text_putc(&out, *text);
		}
		text_puts(&out, after);
		text_putc(&out, '\n');
		text = end + 1;
	}
	return out.bytes;
}

static void log_prefix_of_lines_is_removed(void **state)
{
	static const struct {
		const char *before, *after;
	} wraps[] = {
		/* Kubernetes, syslog, a quotation, docker */
		{ "2026-11-21T08:%02u:%02u.%uZ stdout F ", "" },
		{ "Nov 21 08:%02u:%02u host java[%u]: ", "" },
		{ "    ", "" },
		{ "> ", "" },
		{ "{\"log\":\"",
		  "\\n\",\"stream\":\"stdout\",\"time\":\"2026\"}" },
		{ "{\"log\":\"", "\\u000a\",\"stream\":\"stdout\"}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wraps) / sizeof(*wraps); i++) {
		char *text = wrapped(TWO_THREADS TWO_THREADS, wraps[i].before,
				     wraps[i].after);
		struct profile *p = read_text(text);

		assert_int_equal(samples_in(p), 4);
		assert_int_equal(frames_in(p), 8);
		assert_string_equal(stack_of(p, cell_of(p, "n\nl")),
				    "a.B.run:7 a.B.main:9");
		assert_int_equal(p->earliest_ns, TIME_NS);
		assert_whole(p);
		assert_true(
			dump_reader.sniff((const uint8_t *)text, strlen(text)));
		profile_free(p);
		free(text);
	}
}

/* The first lines of a dump of JDK 26, and of a later version. */
#define DATE    "2026-11-21 08:40:07\n"
#define THREADS "Threads class SMR info:\n_java_thread_list=0x01, {\n}\n\n"
#define TWO                                                                    \
	"\"a\" " TAIL SLEEPING RUN MAIN "\n"                                   \
	"\"n\nl\" " TAIL SLEEPING RUN MAIN "\n" END
#define JDK_26   "Full thread dump OpenJDK 64-Bit Server VM (26+9 mixed mode)\n"
#define JDK_LINE "                 JDK version: OpenJDK (26) (build 26+9)\n"

static void dumps_are_found_with_any_wording_of_the_first_line(void **state)
{
	static const char *const dumps[] = {
		DATE JDK_26 JDK_LINE "\n" THREADS TWO,
		DATE JDK_26 "\n" THREADS TWO,
		DATE JDK_26 JDK_LINE "           Uptime: 4 s\n\n" THREADS TWO,
		DATE "Full thread dump requested by SIGQUIT\n\n" THREADS TWO,
		DATE "All threads of the JVM\n\n" THREADS TWO,
		DATE THREADS TWO,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(dumps) / sizeof(*dumps); i++) {
		struct text twice = { 0 };
		struct profile *p;

		text_printf(&twice, "%s%s", dumps[i], dumps[i]);
		p = read_text(twice.bytes);
		assert_int_equal(samples_in(p), 4);
		assert_int_equal(frames_in(p), 8);
		assert_string_equal(stack_of(p, cell_of(p, "n\nl")),
				    "a.B.run:7 a.B.main:9");
		assert_int_equal(p->earliest_ns, TIME_NS);
		assert_int_equal(p->latest_ns, TIME_NS);
		assert_int_equal(remarks_of(p, INSIDE), 0);
		assert_false(profile_is_partial(p));
		assert_true(dump_reader.sniff((const uint8_t *)twice.bytes,
					      twice.len));
		profile_free(p);
		text_release(&twice);
	}
}

static void second_line_of_jdk_26_is_read_behind_a_log_prefix(void **state)
{
	char *text = wrapped(DATE JDK_26 JDK_LINE "\n" THREADS TWO,
			     "08:%02u:%02u app | ", "");

	(void)state;
	assert_two_threads(text);
	free(text);
}

/* A thread's header is enough, but the text before it may be missing. */
static void dump_without_any_known_line_is_headless(void **state)
{
	static const char text[] = "Threads of 4711\n\n" TWO;
	struct profile *p = read_text(text);

	(void)state;
	assert_true(dump_reader.sniff((const uint8_t *)text, strlen(text)));
	assert_int_equal(samples_in(p), 2);
	assert_int_equal(remarks_of(p, "thread dumps without a start"), 1);
	profile_free(p);
}

static void logged_words_are_not_a_dump_unless_a_dump_follows(void **state)
{
	struct profile *p = read_text(
		"08:40 Full thread dump asked for by bob\n" START
		"\"a\" " TAIL RUN "\n" END
		"08:41 Full thread dump asked for by bob\n1\n2\n3\n4\n");

	(void)state;
	assert_int_equal(samples_in(p), 1);
	assert_int_equal(p->earliest_ns, TIME_NS);
	assert_false(profile_is_partial(p));
	profile_free(p);
}

static void log_prefix_may_lose_its_space_before_an_empty_line(void **state)
{
	char *text = wrapped(TWO_THREADS, "08:%02u:%02u app | ", "");
	char *cut = replaced(text, "| \n", "|\n");

	(void)state;
	assert_two_threads(cut);
	free(text);
	free(cut);
}

static void concatenated_dumps_are_separated(void **state)
{
	struct profile *p = read_text(
		START "\"a\" " TAIL RUN "\tat a.B.ma2026-11-21 08:40:17\n"
		      "Full thread dump OpenJDK 64-Bit Server VM (17):\n\n"
		      "\"b\" " TAIL RUN "\n"
		      "JNI global references: 233Full thread dump VM (8):\n"
		      "\"c\" " TAIL RUN "\nJNI global references: 233\n");

	(void)state;
	assert_int_equal(samples_in(p), 3);
	assert_string_equal(stack_of(p, cell_of(p, "b")), "a.B.run:7");
	assert_int_equal(p->latest_ns, TIME_NS + INT64_C(10000000000));
	/* The first two dumps have no end, and a frame is truncated. */
	assert_int_equal(remarks_of(p, CUT), 2);
	assert_int_equal(remarks_of(p, "unrecognized frames"), 1);
	profile_free(p);
}

static void truncated_dump_is_a_loss_and_keeps_its_threads(void **state)
{
	struct profile *p = read_text(START "\"a\" " TAIL SLEEPING RUN "\n"
					    "\"b\" " TAIL RUN "\tat a.B.ma");

	(void)state;
	assert_int_equal(samples_in(p), 2);
	assert_string_equal(stack_of(p, cell_of(p, "a")), "a.B.run:7");
	/* Its root is missing, which the page must show. */
	assert_string_equal(stack_of(p, cell_of(p, "b")),
			    "a.B.run:7 [truncated]");
	assert_int_equal(remarks_of(p, CUT), 1);
	assert_int_equal(p->remark_count, 1);
	assert_true(profile_is_partial(p));
	profile_free(p);

	p = read_text(START "\"a\" " TAIL SLEEPING RUN "\n\"b\" #12 dae");
	assert_int_equal(samples_in(p), 1);
	assert_int_equal(remarks_of(p, CUT), 1);
	assert_int_equal(p->remark_count, 1);
	profile_free(p);
}

static void log_that_begins_inside_a_dump_is_read(void **state)
{
	struct profile *p = read_text("\tat c.D.e(D.java:1)\n\n"
				      "\"a\" " TAIL SLEEPING RUN "\n" END);

	(void)state;
	assert_int_equal(samples_in(p), 1);
	assert_string_equal(stack_of(p, cell_of(p, "a")), "a.B.run:7");
	assert_int_equal(p->earliest_ns, 0);
	assert_int_equal(remarks_of(p, "thread dumps without a start"), 1);
	assert_true(profile_is_partial(p));
	profile_free(p);
}

static void damaged_header_loses_the_ids_but_not_the_stack_trace(void **state)
{
	struct profile *p = read_text(
		START "\"a\" " TAIL SLEEPING RUN "\n"
		      "\"b\" #13 daemon prio=5 08:01 INFO tick\n" SLEEPING MAIN
		      "\n08:01 garbage\n" SLEEPING RUN MAIN "\n" END);

	(void)state;
	assert_int_equal(samples_in(p), 3);
	assert_string_equal(stack_of(p, cell_of(p, "a")), "a.B.run:7");
	assert_string_equal(stack_of(p, cell_of(p, "b")), "a.B.main:9");
	assert_string_equal(stack_of(p, cell_of(p, "")),
			    "a.B.run:7 a.B.main:9");
	assert_int_equal(remarks_of(p, "unrecognized thread headers"), 2);
	assert_true(profile_is_partial(p));
	profile_free(p);
}

static void damaged_frame_is_a_loss(void **state)
{
	struct profile *p = read_text(START "\"a\" " TAIL RUN
					    "\tat a.B08:01 INFO tick\n" MAIN
					    "\n" END);

	(void)state;
	assert_string_equal(stack_of(p, cell_of(p, "a")),
			    "a.B.run:7 a.B.main:9");
	assert_int_equal(remarks_of(p, "unrecognized frames"), 1);
	assert_true(profile_is_partial(p));
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			log_lines_around_dumps_are_counted_without_a_loss),
		cmocka_unit_test(log_line_inside_a_stack_trace_does_not_end_it),
		cmocka_unit_test(
			exception_logged_inside_a_dump_is_not_a_stack_trace),
		cmocka_unit_test(changed_spaces_and_line_ends_are_accepted),
		cmocka_unit_test(log_prefix_of_lines_is_removed),
		cmocka_unit_test(
			log_prefix_may_lose_its_space_before_an_empty_line),
		cmocka_unit_test(concatenated_dumps_are_separated),
		cmocka_unit_test(
			truncated_dump_is_a_loss_and_keeps_its_threads),
		cmocka_unit_test(log_that_begins_inside_a_dump_is_read),
		cmocka_unit_test(
			dumps_are_found_with_any_wording_of_the_first_line),
		cmocka_unit_test(
			second_line_of_jdk_26_is_read_behind_a_log_prefix),
		cmocka_unit_test(dump_without_any_known_line_is_headless),
		cmocka_unit_test(
			logged_words_are_not_a_dump_unless_a_dump_follows),
		cmocka_unit_test(
			damaged_header_loses_the_ids_but_not_the_stack_trace),
		cmocka_unit_test(damaged_frame_is_a_loss),
	};

	/* Dumps are dated in local time, without a zone. */
	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
