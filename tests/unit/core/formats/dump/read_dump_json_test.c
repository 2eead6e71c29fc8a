/* SPDX-License-Identifier: Apache-2.0 */
/* Thread.dump_to_file, as JSON and as text. */
#include "tests/unit/dump_check.h"

#include "core/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* 2026-11-21T08:40:36.334026774Z */
#define TIME_NS INT64_C(1795250436334026774)

#define JSON(threads)                                                          \
	"{ \"threadDump\": { \"processId\": \"762\",\n"                        \
	"\"time\": \"2026-11-21T08:40:36.334026774Z\",\n"                      \
	"\"runtimeVersion\": \"25.0.3+9-LTS\",\n"                              \
	"\"threadContainers\": [ { \"container\": \"<root>\",\n"               \
	"\"parent\": null, \"owner\": null, \"threads\": [" threads            \
	"],\n\"threadCount\": \"2\" }, { \"container\": \"x\","                \
	" \"threads\": [] } ] } }\n"

#define A_THREAD                                                               \
	"{\"tid\":\"3\",\"time\":\"2026-11-21T08:40:36.5Z\",\"name\":\"a\","   \
	"\"state\":\"TIMED_WAITING\",\"waitingOn\":\"c.D@1\",\"stack\":["      \
	"\"java.base\\/java.lang.Thread.sleep0(Native Method)\","              \
	"\"a.B.main(B.java:38)\"],\"monitorsOwned\":[{\"depth\":1,"            \
	"\"locks\":[\"c.D@1\"]}]}"

#define TO_FILE "762\n2026-11-21T08:40:36.334026774Z\n25.0.3+9-LTS\n\n"

static void json_thread_has_name_id_state_and_frames(void **state)
{
	struct profile *p = profile_of(
		&dump_json_reader,
		JSON(A_THREAD ",{\"tid\":\"12\",\"virtual\":true,\"name\":\"\","
			      "\"state\":\"RUNNABLE\",\"stack\":[ ],"
			      "\"carrier\":\"53\"}"));
	const struct cell *c = cell_of(p, "a");

	(void)state;
	assert_int_equal(samples_in(p), 2);
	assert_string_equal(stack_of(p, c),
			    "java.lang.Thread.sleep0 a.B.main:38");
	assert_int_equal(c->state, STATE_TIMED_WAITING);
	assert_int_equal(thread_of(p, "a")->java_id, 3);
	assert_false(thread_of(p, "a")->is_virtual);
	assert_int_equal(thread_of(p, "")->java_id, 12);
	assert_true(thread_of(p, "")->is_virtual);
	assert_int_equal(cell_of(p, "")->stack, 0);
	/* All threads of a dump have the dump's time. */
	assert_int_equal(p->earliest_ns, TIME_NS);
	assert_int_equal(p->latest_ns, TIME_NS);
	assert_whole(p);
	profile_free(p);
}

static void json_of_other_jdks_is_read(void **state)
{
	/* JDK 21 has no states; numbers may become plain ones. */
	struct profile *p = profile_of(
		&dump_json_reader,
		JSON("{\"tid\":\"22\",\"name\":\"a\",\"stack\":["
		     "\"java.base\\/java.lang.VirtualThread.run("
		     "VirtualThread.java:309)\"]},"
		     "{\"tid\":9007199254740991,\"name\":\"b\",\"state\":"
		     "\"NEW\",\"stack\":[],\"later\":{\"x\":[1,{}]}}"));

	(void)state;
	assert_int_equal(cell_of(p, "a")->state, STATE_NONE);
	assert_true(thread_of(p, "a")->is_virtual);
	assert_int_equal(thread_of(p, "b")->java_id, 9007199254740991);
	assert_int_equal(cell_of(p, "b")->state, STATE_NEW);
	assert_whole(p);
	profile_free(p);
}

static void names_in_json_are_unescaped(void **state)
{
	struct profile *p = profile_of(&dump_json_reader,
				       JSON("{\"tid\":\"1\",\"name\":"
					    "\"q\\\"\\n\\u001b[m \\ud83d\\ude00"
					    "}]\",\"stack\":[]}"));

	(void)state;
	cell_of(p, "q\"\n\033[m \xf0\x9f\x98\x80}]");
	assert_whole(p);
	profile_free(p);
}

static void several_documents_are_several_dumps(void **state)
{
	struct profile *p = profile_of(&dump_json_reader,
				       JSON(A_THREAD) JSON(A_THREAD));

	(void)state;
	assert_int_equal(samples_in(p), 2);
	assert_int_equal(cell_of(p, "a")->count, 2);
	assert_whole(p);
	profile_free(p);
}

static void damaged_thread_loses_only_itself(void **state)
{
	struct profile *p = profile_of(
		&dump_json_reader,
		JSON("{\"tid\":\"1\",\"name\":\"\\ud83d\",\"stack\":[]},"
		     "17," A_THREAD ",{\"tid\":\"5\",\"name\":\"b\","
		     "\"stack\":[\"a.B.run(B.java:1)\",\"no frame\",7]}"));

	(void)state;
	assert_int_equal(samples_in(p), 2);
	assert_string_equal(stack_of(p, cell_of(p, "b")), "a.B.run:1");
	assert_int_equal(remarks_of(p, "unrecognized thread headers"), 2);
	assert_int_equal(remarks_of(p, "unrecognized frames"), 2);
	profile_free(p);
}

static void threads_before_a_cut_in_json_are_kept(void **state)
{
	static const char text[] = JSON(A_THREAD "," A_THREAD);
	size_t len = (size_t)(strstr(text, "threadCount") - text) - 100;
	struct profile *p = profile_of_bytes(&dump_json_reader, text, len);

	(void)state;
	assert_int_equal(samples_in(p), 1);
	assert_int_equal(remarks_of(p, "truncated thread dumps"), 1);
	assert_true(profile_is_partial(p));
	profile_free(p);
}

static void damage_in_json_names_its_line(void **state)
{
	struct profile *p = profile_of(
		&dump_json_reader, "{\"threadDump\":{\"threadContainers\":[{"
				   "\"threads\":[\n" A_THREAD "\n}}\n\n\n");

	(void)state;
	assert_int_equal(samples_in(p), 1);
	assert_int_equal(remarks_of(p, "truncated thread dumps"), 1);
	assert_string_equal(p->remarks[0].first, "line 3");
	profile_free(p);
}

static void deep_json_is_no_danger(void **state)
{
	struct text text = { 0 };
	struct profile *p;

	(void)state;
	text_puts(&text, "{\"threadDump\":{\"x\":");
	for (int i = 0; i < 1000000; i++)
		text_putc(&text, '[');
	for (int i = 0; i < 1000000; i++)
		text_putc(&text, ']');
	text_puts(&text, ",\"threadContainers\":[{\"threads\":[{\"x\":");
	for (int i = 0; i < 1000000; i++)
		text_puts(&text, "[");
	for (int i = 0; i < 1000000; i++)
		text_puts(&text, "]");
	text_puts(&text, "}," A_THREAD "]}]}}");
	p = profile_of(&dump_json_reader, text.bytes);
	assert_int_equal(samples_in(p), 1);
	assert_int_equal(remarks_of(p, "unrecognized thread headers"), 1);
	profile_free(p);
	text_release(&text);
}

static bool sniffs(const char *text)
{
	return dump_json_reader.sniff((const uint8_t *)text, strlen(text));
}

static void only_json_of_dump_to_file_is_recognized(void **state)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	(void)state;
	assert_true(sniffs("{\"threadDump\":"));
	assert_true(sniffs("\n { \"threadDump\" : {"));
	assert_false(sniffs(""));
	assert_false(sniffs("{"));
	assert_false(sniffs("{\"threadDump"));
	assert_false(sniffs("{\"threadDumps\":1}"));
	assert_false(sniffs("[{\"threadDump\":1}]"));
	assert_int_equal(
		dump_json_reader.read((const uint8_t *)"{}", 2, p, &err), -1);
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_int_equal(
		dump_json_reader.read((const uint8_t *)"{\"threadDump\":{}}",
				      17, p, &err),
		-1);
	assert_non_null(strstr(err.text, "without threads"));
	profile_free(p);
}

static void text_of_dump_to_file_is_read(void **state)
{
	struct profile *p = profile_of(
		&dump_reader,
		TO_FILE "#3 \"a\" TIMED_WAITING 2026-11-21T08:40:37.7Z\n"
			"    at java.base/java.lang.Thread.sleep0(Native "
			"Method)\n"
			"    - waiting on <c.D@45658c24>\n"
			"    at a.B$$Lambda/0x0000000091047d20.run(Unknown "
			"Source)\n\n"
			"#14 \"new\nline \"q\"\" RUNNABLE "
			"2026-11-21T08:40:37.7Z\n\n"
			"#52 \"v\" virtual WAITING 2026-11-21T08:40:37.7Z\n"
			"    at a.B.run(B.java:7)\n\n");

	(void)state;
	assert_int_equal(samples_in(p), 3);
	assert_string_equal(stack_of(p, cell_of(p, "a")),
			    "java.lang.Thread.sleep0 a.B$$Lambda.run");
	assert_int_equal(cell_of(p, "a")->state, STATE_TIMED_WAITING);
	assert_int_equal(thread_of(p, "new\nline \"q\"")->java_id, 14);
	assert_int_equal(cell_of(p, "new\nline \"q\"")->state, STATE_RUNNABLE);
	assert_true(thread_of(p, "v")->is_virtual);
	assert_string_equal(stack_of(p, cell_of(p, "v")), "a.B.run:7");
	assert_int_equal(p->earliest_ns, TIME_NS);
	assert_int_equal(p->latest_ns, TIME_NS);
	assert_whole(p);
	profile_free(p);
}

static void text_of_jdk_21_without_states_and_at_is_read(void **state)
{
	struct profile *p = profile_of(
		&dump_reader, "762\n2026-11-21T08:40:36Z\n21.0.2+13\n\n"
			      "#1 \"a\"\n      a.B.run(B.java:7)\n\n"
			      "#22 \"v\" virtual\n\n");

	(void)state;
	assert_int_equal(samples_in(p), 2);
	assert_string_equal(stack_of(p, cell_of(p, "a")), "a.B.run:7");
	assert_int_equal(cell_of(p, "a")->state, STATE_NONE);
	assert_true(thread_of(p, "v")->is_virtual);
	assert_whole(p);
	profile_free(p);
}

static void text_dumps_in_a_row_each_have_their_time(void **state)
{
	struct profile *p = profile_of(
		&dump_reader,
		TO_FILE "#1 \"a\" RUNNABLE 2026-11-21T08:40:37Z\n"
			"    at a.B.run(B.java:7)\n\n"
			"762\n2026-11-21T08:40:46.334026774Z\n25\n\n"
			"#1 \"a\" RUNNABLE 2026-11-21T08:40:47Z\n\n");

	(void)state;
	assert_int_equal(samples_in(p), 2);
	assert_int_equal(p->latest_ns - p->earliest_ns, INT64_C(10000000000));
	assert_whole(p);
	profile_free(p);
}

static void truncated_text_dump_is_a_loss(void **state)
{
	struct profile *p = profile_of(
		&dump_reader, TO_FILE "#1 \"a\" RUNNABLE 2026-11-21T08:40:37Z\n"
				      "    at a.B.run(B.java:7)\n    at a.B.m");

	(void)state;
	assert_string_equal(stack_of(p, cell_of(p, "a")),
			    "a.B.run:7 [truncated]");
	assert_int_equal(remarks_of(p, "truncated thread dumps"), 1);
	assert_int_equal(p->remark_count, 1);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_thread_has_name_id_state_and_frames),
		cmocka_unit_test(json_of_other_jdks_is_read),
		cmocka_unit_test(names_in_json_are_unescaped),
		cmocka_unit_test(several_documents_are_several_dumps),
		cmocka_unit_test(damaged_thread_loses_only_itself),
		cmocka_unit_test(threads_before_a_cut_in_json_are_kept),
		cmocka_unit_test(damage_in_json_names_its_line),
		cmocka_unit_test(deep_json_is_no_danger),
		cmocka_unit_test(only_json_of_dump_to_file_is_recognized),
		cmocka_unit_test(text_of_dump_to_file_is_read),
		cmocka_unit_test(text_of_jdk_21_without_states_and_at_is_read),
		cmocka_unit_test(text_dumps_in_a_row_each_have_their_time),
		cmocka_unit_test(truncated_text_dump_is_a_loss),
	};

	/* A time with Z must not depend on the local time zone. */
	setenv("TZ", "America/New_York", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
