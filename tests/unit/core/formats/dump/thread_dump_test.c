/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/dump/thread_dump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* 2026-11-21 08:40:07 UTC */
#define TIME_NS INT64_C(1795250407000000000)
#define HOUR_NS INT64_C(3600000000000)

static int64_t time_of(const char *text)
{
	int64_t ns = -1;

	return thread_dump_time(text, strlen(text), &ns) ? ns : -1;
}

static void use_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static void times_without_a_zone_are_local(void **state)
{
	(void)state;
	use_zone("XST+5");
	assert_int_equal(time_of("2026-11-21 08:40:07"), TIME_NS + 5 * HOUR_NS);
	assert_int_equal(time_of("2026/11/21 at 08:40:07:500"),
			 TIME_NS + 5 * HOUR_NS + 500000000);
	use_zone("UTC");
	assert_int_equal(time_of("2026-11-21 08:40:07"), TIME_NS);
}

static void times_with_a_zone_are_universal(void **state)
{
	(void)state;
	use_zone("XST+5");
	assert_int_equal(time_of("2026-11-21T08:40:07Z"), TIME_NS);
	assert_int_equal(time_of("2026-11-21T08:40:07.781426039Z"),
			 TIME_NS + 781426039);
	assert_int_equal(time_of("2026/11/21 at 08:40:07:500 (UTC)"),
			 TIME_NS + 500000000);
	use_zone("UTC");
}

static void invalid_time_is_rejected(void **state)
{
	static const char *const texts[] = {
		"",
		"2026-11-21",
		"2026-11-21 08:40",
		"2026-11-21 08:40:0",
		"2026-13-21 08:40:07",
		"2026-00-21 08:40:07",
		"2026-11-32 08:40:07",
		"2026-11-21 24:40:07",
		"1969-11-21 08:40:07",
		"2262-11-21 08:40:07", /* its nanoseconds do not fit */
		"x026-11-21 08:40:07",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(time_of(texts[i]), -1);
}

static void add_thread(struct thread_dump *d, const char *name,
		       const char *frame)
{
	struct dump_header h = { .name = name, .name_len = strlen(name) };

	thread_dump_begin(d, &h);
	assert_true(
		thread_dump_frame(d, DUMP_FRAME_JAVA, frame, strlen(frame)));
}

static void equal_frames_and_threads_are_kept_once(void **state)
{
	struct profile *p = profile_new();
	struct thread_dump d;

	(void)state;
	thread_dump_init(&d, p);
	add_thread(&d, "a", "a.B.run(B.java:7)");
	add_thread(&d, "a", "a.B.run(B.java:7)");
	add_thread(&d, "b", "a.B.run(B.java:7)");
	assert_false(thread_dump_frame(&d, DUMP_FRAME_JAVA, "a.B.run", 7));
	thread_dump_finish(&d);
	assert_int_equal(d.threads, 3);
	assert_int_equal(p->frame_count, 2); /* [0] is unused, here and below */
	assert_int_equal(p->stack_count, 2);
	assert_int_equal(p->thread_count, 3);
	assert_int_equal(p->cell_count, 2);
	assert_int_equal(p->cells[0].count, 2);
	thread_dump_release(&d);
	profile_free(p);
}

static void oddities_are_reported_once_with_their_first_line(void **state)
{
	struct profile *p = profile_new();
	struct thread_dump d;

	(void)state;
	thread_dump_init(&d, p);
	thread_dump_odd(&d, DUMP_LINE_INSIDE, 7);
	thread_dump_odd(&d, DUMP_LINE_INSIDE, 9);
	assert_int_equal(p->remark_count, 0);
	thread_dump_finish(&d);
	assert_int_equal(p->remark_count, 1);
	assert_int_equal(p->remarks[0].count, 2);
	assert_string_equal(p->remarks[0].first, "line 7");
	assert_false(profile_is_partial(p));
	thread_dump_release(&d);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_without_a_zone_are_local),
		cmocka_unit_test(times_with_a_zone_are_universal),
		cmocka_unit_test(invalid_time_is_rejected),
		cmocka_unit_test(equal_frames_and_threads_are_kept_once),
		cmocka_unit_test(
			oddities_are_reported_once_with_their_first_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
