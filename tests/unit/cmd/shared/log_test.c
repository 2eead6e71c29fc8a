/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/log.h"
#include "core/base/clock.h"
#include "core/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static int had = -1, file = -1;

static int redirect(void **state)
{
	(void)state;
	had = dup(STDERR_FILENO);
	file = memfd_create("log", MFD_CLOEXEC);
	dup2(file, STDERR_FILENO);
	return 0;
}

static int restore(void **state)
{
	(void)state;
	log_flush_repeats(INT64_MAX);
	log_set_json(false);
	dup2(had, STDERR_FILENO);
	close(had);
	close(file);
	return 0;
}

/* Compares the messages since the last call, and removes them. */
static void expect(const char *expected)
{
	char printed[4096];
	ssize_t len = pread(file, printed, sizeof(printed) - 1, 0);

	assert_true(len >= 0);
	printed[len] = '\0';
	assert_int_equal(ftruncate(file, 0), 0);
	lseek(file, 0, SEEK_SET);
	assert_string_equal(printed, expected);
}

static void text_lines_escape_foreign_names(void **state)
{
	(void)state;
	log_info("JVM %s", "a\033b");
	expect("sjkc: JVM a␛b\n");
	log_detail("not printed");
	expect("");
}

/* Replaces the time by T. */
static void expect_json(const char *expected)
{
	char printed[4096];
	ssize_t len = pread(file, printed, sizeof(printed) - 1, 0);
	char *time = printed + strlen("{\"time\":\"");

	assert_true(len > 40);
	printed[len] = '\0';
	assert_int_equal(strlen("2026-11-21T20:19:00.123Z"),
			 strcspn(time, "\""));
	memmove(time + 1, strchr(time, '"'), strlen(strchr(time, '"')) + 1);
	*time = 'T';
	assert_int_equal(ftruncate(file, 0), 0);
	lseek(file, 0, SEEK_SET);
	assert_string_equal(printed, expected);
}

static void objects_have_levels_and_fields(void **state)
{
	const struct log_field fields[] = {
		{ "samples", 7, NULL },
		{ "reason", 0, "\"quoted\"" },
		{ 0 },
	};

	(void)state;
	log_set_json(true);
	log_info("JVM %s", "a\nb\"");
	expect_json("{\"time\":\"T\",\"level\":\"info\","
		    "\"message\":\"JVM a\\nb\\\"\"}\n");
	log_with(true, fields, "lost: %d", 7);
	expect_json("{\"time\":\"T\",\"level\":\"warning\","
		    "\"message\":\"lost: 7\",\"samples\":7,"
		    "\"reason\":\"\\\"quoted\\\"\"}\n");
	log_error("failed");
	expect_json("{\"time\":\"T\",\"level\":\"error\","
		    "\"message\":\"failed\"}\n");
}

/* The rest of this file limits repeats; that cannot be taken back. */
static void repeated_messages_are_counted(void **state)
{
	(void)state;
	log_limit_repeats();
	for (int i = 0; i < 12; i++)
		log_always("JVM %d is not sampled", 4700 + i);
	log_always("JVM x is not sampled");
	expect("sjkc: JVM 4700 is not sampled\n"
	       "sjkc: JVM 4701 is not sampled\n"
	       "sjkc: JVM 4702 is not sampled\n"
	       "sjkc: JVM 4703 is not sampled\n"
	       "sjkc: JVM 4704 is not sampled\n"
	       "sjkc: JVM x is not sampled\n");
	log_flush_repeats(clock_monotonic_ns());
	expect("");
	log_flush_repeats(clock_monotonic_ns() + 61 * CLOCK_NS_PER_S);
	expect("sjkc: 7 similar messages in the last minute: "
	       "JVM 4711 is not sampled\n");
	log_always("JVM %d is not sampled", 4712);
	expect("sjkc: JVM 4712 is not sampled\n");
}

static void any_number_of_kinds_is_limited(void **state)
{
	char kind[2] = "", expected[80];

	(void)state;
	for (int i = 0; i < 200; i++) {
		snprintf(kind, sizeof(kind), "%c", 'a' + i % 26);
		for (int n = 0; n < LOG_REPEATS + 1; n++)
			log_always("kind %.*s%s", i / 26, "xxxxxxxxxx", kind);
	}
	assert_int_equal(ftruncate(file, 0), 0);
	lseek(file, 0, SEEK_SET);
	log_always("another kind");
	snprintf(expected, sizeof(expected),
		 "sjkc: 1 similar message in the last minute: kind xxxxx%c\n"
		 "sjkc: another kind\n",
		 'a' + (200 - 64) % 26);
	expect(expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(text_lines_escape_foreign_names,
						redirect, restore),
		cmocka_unit_test_setup_teardown(objects_have_levels_and_fields,
						redirect, restore),
		cmocka_unit_test_setup_teardown(repeated_messages_are_counted,
						redirect, restore),
		cmocka_unit_test_setup_teardown(any_number_of_kinds_is_limited,
						redirect, restore),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
