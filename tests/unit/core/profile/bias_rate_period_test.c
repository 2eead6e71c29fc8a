/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/bias.h"
#include "tests/unit/sampled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The period of an event that has this one setting. */
static uint64_t period(enum unit unit, const char *setting, const char *value)
{
	struct profile *p = profile_new();
	struct event_view view;
	uint64_t ns;

	profile_event(p, "e.Event", unit);
	profile_set(p, "e.Event", setting, value);
	view = sampled_view(p, 0);
	ns = rate_period(p, &view);
	profile_free(p);
	return ns;
}

static void period_is_known_for_periodic_samples(void **state)
{
	(void)state;
	assert_int_equal(period(UNIT_SAMPLES, "period", "20 ms"), 20000000);
	assert_int_equal(period(UNIT_NS, "period", "1 s"), 1000000000);
	assert_int_equal(period(UNIT_NS, "interval", "999"), 999);
	assert_int_equal(period(UNIT_NS, "period", "everyChunk"), 0);
	assert_int_equal(period(UNIT_NS, "threshold", "20 ms"), 0);
	assert_int_equal(period(UNIT_BYTES, "interval", "524288"), 0);
}

static void invalid_period_is_unknown(void **state)
{
	(void)state;
	assert_int_equal(period(UNIT_NS, "period", "20 parsecs"), 0);
	assert_int_equal(period(UNIT_NS, "period", "9999999999999999 d"), 0);
	assert_int_equal(period(UNIT_NS, "interval", "18446744073709551615"),
			 0);
	assert_int_equal(period(UNIT_NS, "period", ""), 0);
}

static void period_of_bytes_is_a_number_of_bytes(void **state)
{
	(void)state;
	assert_int_equal(period(UNIT_BYTES, "period", "524288 bytes"), 524288);
	assert_int_equal(period(UNIT_BYTES, "period", "524288"), 0);
	assert_int_equal(period(UNIT_BYTES, "period", "20 ms"), 0);
	assert_int_equal(period(UNIT_BYTES, "rate", "at 19 Hz (cpu-clock)"), 0);
	assert_int_equal(
		period(UNIT_BYTES, "period", "18446744073709551615 bytes"), 0);
	assert_int_equal(period(UNIT_NS, "period", "524288 bytes"), 0);
}

static void rate_in_hz_gives_a_period(void **state)
{
	(void)state;
	assert_int_equal(period(UNIT_NS, "rate", "at 19 Hz (cpu-clock)"),
			 52631578);
	assert_int_equal(period(UNIT_NS, "rate", "at 0 Hz"), 0);
	assert_int_equal(period(UNIT_NS, "rate", "at most 19 Hz"), 0);
	assert_int_equal(period(UNIT_NS, "rate", "at 19 kHz"), 0);
	assert_int_equal(period(UNIT_SAMPLES, "rate", "at 19 Hz"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(period_is_known_for_periodic_samples),
		cmocka_unit_test(period_of_bytes_is_a_number_of_bytes),
		cmocka_unit_test(rate_in_hz_gives_a_period),
		cmocka_unit_test(invalid_period_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
