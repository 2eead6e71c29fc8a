/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* 2026-11-21T10:07:30Z, a Saturday. */
#define NOON INT64_C(1795255650)

static bool has_at(const char *text, int64_t second, bool local)
{
	struct time_period period = { .local = local };
	struct error err;

	assert_int_equal(time_period_parse(text, &period, &err), 0);
	return time_period_has(&period, second * 1000000000 + 999999999);
}

static bool has(const char *text, int64_t second)
{
	return has_at(text, second, false);
}

static void time_period_without_leading_fields_repeats(void **state)
{
	(void)state;
	for (int64_t hour = -2; hour < 30; hour++)
		assert_true(has("07:00-08:00", NOON + hour * 3600));
	assert_true(has("10:07:00-10:08:00", NOON + 86400));
	assert_false(has("10:07:00-10:08:00", NOON + 3600));
	assert_true(has("21_10:07:00-21_10:08:00", NOON));
	assert_false(has("21_10:07:00-21_10:08:00", NOON + 86400));
	assert_true(has("11.21_10:07:00-11.21_11:00:00", NOON));
	assert_true(has("2026.11.21_10:07:00-2026.11.21_11:00:00", NOON));
	assert_false(has("2025.11.21_10:07:00-2025.11.21_11:00:00", NOON));
}

static void lower_bound_is_inclusive_and_upper_exclusive(void **state)
{
	(void)state;
	assert_true(has("07:30-08:00", NOON));
	assert_false(has("07:31-08:00", NOON));
	assert_false(has("07:00-07:30", NOON));
	assert_true(has("07:00-07:31", NOON));
	assert_false(has("07:30-07:30", NOON));
}

static void lower_bound_after_the_upper_wraps_around(void **state)
{
	(void)state;
	assert_true(has("50:00-10:00", NOON));
	assert_true(has("50:00-10:00", NOON + 50 * 60));
	assert_false(has("50:00-10:00", NOON + 10 * 60));
	assert_false(has("50:00-07:30", NOON));
	assert_true(has("22:00:00-10:08:00", NOON));
	assert_false(has("22:00:00-10:07:00", NOON));
}

static void times_before_1970_are_times(void **state)
{
	(void)state;
	assert_true(has("59:59-00:00", -1));
	assert_true(has("1969.12.31_23:59:59-1970.01.01_00:00:00", -1));
}

static void java_zone_is_converted_to_posix(void **state)
{
	static const struct {
		const char *java, *range;
	} zones[] = {
		{ "UTC", "10:07:00-10:08:00" },
		{ "GMT+2", "12:07:00-12:08:00" },
		{ "GMT-03:30", "06:37:00-06:38:00" },
		{ "GMT+0530", "15:37:00-15:38:00" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(zones) / sizeof(*zones); i++) {
		struct error err;
		char *zone;

		assert_int_equal(time_zone_of_java(zones[i].java, &zone, &err),
				 0);
		setenv("TZ", zone, 1);
		tzset();
		assert_true(has_at(zones[i].range, NOON, true));
		free(zone);
	}
}

static void assert_refused(const char *text)
{
	struct time_period period;
	struct error err;

	assert_int_equal(time_period_parse(text, &period, &err), -1);
	assert_int_equal(err.kind, ERROR_MISUSE);
}

static void invalid_time_range_is_rejected(void **state)
{
	static const char *const wrong[] = {
		"",
		"-",
		"10:00",
		"10-20",
		"10:00-",
		"1:00-2:00",
		"10:00-10:00:00",
		"x0:00-10:00",
		"26.11.21_10:07:00-26.11.21_11:00:00",
		"12026.11.21_10:07:00-2026.11.21_11:00:00",
		"10:00-11:00-12:00",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_refused(wrong[i]);
}

static void unknown_time_zone_is_rejected(void **state)
{
	static const char *const wrong[] = {
		"",
		"Nowhere/AtAll",
		"../../../etc/passwd",
		"/etc/passwd",
		"GMT+24",
		"GMT+1:2",
		"GMT+",
		"GMT+123",
		"GMT+1x",
	};
	struct error err;
	char *zone;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(time_zone_of_java(wrong[i], &zone, &err), -1);
		assert_int_equal(err.kind, ERROR_MISUSE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_period_without_leading_fields_repeats),
		cmocka_unit_test(lower_bound_is_inclusive_and_upper_exclusive),
		cmocka_unit_test(lower_bound_after_the_upper_wraps_around),
		cmocka_unit_test(times_before_1970_are_times),
		cmocka_unit_test(java_zone_is_converted_to_posix),
		cmocka_unit_test(invalid_time_range_is_rejected),
		cmocka_unit_test(unknown_time_zone_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
