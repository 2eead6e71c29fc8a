/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

/* A recording of ten minutes that starts at 2026-11-21 10:32:59.25 UTC. */
#define START (INT64_C(1795257179) * SECOND + SECOND / 4)
#define END   (START + 600 * SECOND)

static void set_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static int64_t resolved(const char *text)
{
	struct time_bound bound;
	struct error err;

	if (time_bound_parse(text, &bound, &err))
		fail_msg("%s", err.text);
	return time_bound_resolve(&bound, START, END);
}

static bool is_relative(const char *text)
{
	struct time_bound bound;
	struct error err;

	if (time_bound_parse(text, &bound, &err))
		fail_msg("%s", err.text);
	return time_bound_is_relative(&bound);
}

static void large_number_is_milliseconds_since_the_epoch(void **state)
{
	(void)state;
	assert_true(resolved("1700000000123") ==
		    INT64_C(1700000000123) * 1000000);
	assert_false(is_relative("1700000000123"));
}

static void duration_counts_from_the_start_or_the_end(void **state)
{
	(void)state;
	assert_true(resolved("10s") == START + 10 * SECOND);
	assert_true(resolved("1.5s") == START + 3 * SECOND / 2);
	assert_true(resolved("500ms") == START + SECOND / 2);
	assert_true(resolved("250us") == START + 250000);
	assert_true(resolved("7ns") == START + 7);
	assert_true(resolved("2m") == START + 120 * SECOND);
	assert_true(resolved("1h") == START + 3600 * SECOND);
	assert_true(resolved("0.5h") == START + 1800 * SECOND);
	assert_true(resolved("-10s") == END - 10 * SECOND);
	assert_true(resolved("-0s") == END);
	assert_true(is_relative("10s"));
	assert_true(is_relative("-10s"));
}

static void durations_are_those_of_every_other_option(void **state)
{
	(void)state;
	assert_true(resolved("10") == START + 10 * SECOND);
	assert_true(resolved("-1.5") == END - 3 * SECOND / 2);
	assert_true(resolved("5min") == START + 300 * SECOND);
	assert_true(is_relative("0"));
}

static void iso_times_have_a_zone_or_are_local(void **state)
{
	(void)state;
	set_zone("UTC-2"); /* POSIX: two hours east */
	assert_true(resolved("2026-11-21T10:32:59.25Z") == START);
	assert_true(resolved("2026-11-21T11:32:59.25+01:00") == START);
	assert_true(resolved("2026-11-21T11:32:59.25+0100") == START);
	assert_true(resolved("2026-11-21t11:32:59.25+01") == START);
	assert_true(resolved("2026-11-21T05:02:59.25-05:30") == START);
	assert_true(resolved("2026-11-21T12:32:59.25") == START);
	assert_true(resolved("2026-11-21 12:32:59,25") == START);
	assert_true(resolved("2026-11-21T12:32") ==
		    START - 59 * SECOND - SECOND / 4);
	assert_true(resolved("2026-11-21") ==
		    START - SECOND / 4 - (12 * 3600 + 32 * 60 + 59) * SECOND);
	assert_true(resolved("1969-12-31T23:59:59.5Z") == -SECOND / 2);
	assert_false(is_relative("2026-11-21T12:32"));
	set_zone("UTC");
}

static void time_of_day_is_local_on_the_first_day(void **state)
{
	(void)state;
	set_zone("UTC");
	assert_true(resolved("10:32:59.25") == START);
	assert_true(resolved("10:40") ==
		    START + (7 * 60 + 1) * SECOND - SECOND / 4);
	assert_true(resolved("9:32:59.25") == START - 3600 * SECOND);
	/* In this zone, the recording started on the previous day. */
	set_zone("XXX11");
	assert_true(resolved("23:32:59.25") == START);
	set_zone("UTC");
	assert_true(is_relative("10:40"));
}

static void local_time_uses_daylight_saving_of_the_zone(void **state)
{
	(void)state;
	set_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	assert_true(resolved("2026-07-01T12:00") -
			    resolved("2026-07-01T12:00Z") ==
		    -2 * 3600 * SECOND);
	assert_true(resolved("2026-01-01T12:00") -
			    resolved("2026-01-01T12:00Z") ==
		    -3600 * SECOND);
	set_zone("UTC");
}

static void invalid_time_is_rejected(void **state)
{
	static const char *const wrong[] = {
		"",
		"-",
		"x",
		"10x",
		"s",
		"10 s",
		"1.s",
		".5s",
		"--10s",
		"10:",
		"10:3",
		"24:00",
		"10:60",
		"10:00:60",
		"10:00:00.",
		"10:00:00x",
		"2026-11-31",
		"2026-13-01",
		"2026-00-01",
		"2026-02-29",
		"2026-11-21T",
		"2026-11-21T10",
		"2026-11-21T10:00+",
		"2026-11-21T10:00+1",
		"2026-11-21T10:00+24",
		"2026-11-21T10:00+01:60",
		"2026-11-21T10:00Zx",
		"1899-01-01",
		"2201-01-01",
		"999999999999999999h",
		"9999999999999999999",
		"-1700000000000000000",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct time_bound bound;
		struct error err = { 0 };

		if (time_bound_parse(wrong[i], &bound, &err) == 0)
			fail_msg("taken for a time: %s", wrong[i]);
		assert_int_equal(err.kind, ERROR_MISUSE);
	}
}

static void sums_beyond_64_bits_stay_at_their_end(void **state)
{
	const struct time_bound late = { TIME_FROM_START, INT64_MAX };
	const struct time_bound early = { TIME_FROM_END, INT64_MAX };
	const struct time_bound noon = { TIME_OF_DAY, 23 * 3600 * SECOND };

	(void)state;
	assert_true(time_bound_resolve(&late, INT64_MAX - 5, 0) == INT64_MAX);
	assert_true(time_bound_resolve(&early, 0, -5) == INT64_MIN);
	/* The result is undefined for such a day; only overflows matter. */
	(void)time_bound_resolve(&noon, INT64_MAX, 0);
	(void)time_bound_resolve(&noon, INT64_MIN, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_number_is_milliseconds_since_the_epoch),
		cmocka_unit_test(duration_counts_from_the_start_or_the_end),
		cmocka_unit_test(durations_are_those_of_every_other_option),
		cmocka_unit_test(iso_times_have_a_zone_or_are_local),
		cmocka_unit_test(time_of_day_is_local_on_the_first_day),
		cmocka_unit_test(local_time_uses_daylight_saving_of_the_zone),
		cmocka_unit_test(invalid_time_is_rejected),
		cmocka_unit_test(sums_beyond_64_bits_stay_at_their_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
