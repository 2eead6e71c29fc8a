/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/bias.h"

#include "tests/unit/sampled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A profile with an event of that name and nothing else. */
static struct profile *profile_of(const char *event, enum unit unit)
{
	struct profile *p = profile_new();

	profile_event(p, event, unit);
	return p;
}

/* On a terminal, it is one line behind "bias: ". */
static void check_bias(struct profile *p, const char *part)
{
	const struct event_view view = sampled_view(p, 0);
	struct text text = { 0 };

	text_puts(&text, "");
	bias_add(&text, p, &view);
	assert_true(text.len <= 74);
	if (!strstr(text.bytes, part))
		assert_string_equal(text.bytes, part);
	text_release(&text);
}

static void check_rate(struct profile *p, const char *expected)
{
	const struct event_view view = sampled_view(p, 0);
	struct text text = { 0 };

	text_puts(&text, "");
	rate_add(&text, p, &view);
	assert_string_equal(text.bytes, expected);
	text_release(&text);
}

static void every_event_that_is_known_has_one_line(void **state)
{
	static const struct {
		const char *event;
		enum unit unit;
		const char *part;
	} events[] = {
		{ "jdk.ExecutionSample", UNIT_SAMPLES, "not known" },
		{ "jdk.CPUTimeSample", UNIT_NS, "not known" },
		{ "jdk.NativeMethodSample", UNIT_SAMPLES, "no CPU time" },
		{ "profiler.WallClockSample", UNIT_SAMPLES, "no CPU time" },
		{ "jdk.ObjectAllocationSample", UNIT_BYTES, "estimate" },
		{ "jdk.ObjectAllocationInNewTLAB", UNIT_BYTES, "TLAB" },
		{ "jdk.ObjectAllocationOutsideTLAB", UNIT_BYTES, "TLAB" },
		{ "jdk.ThreadPark", UNIT_NS, "not known which" },
		{ "thread-dump", UNIT_SAMPLES, "safepoints" },
		{ "nps.cpu", UNIT_NS, "not known" },
		{ "nps.wall", UNIT_NS, "not known" },
		{ "collapsed", UNIT_SAMPLES, "not known" },
		{ "com.acme.Own", UNIT_NS, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		struct profile *p = profile_of(events[i].event, events[i].unit);

		check_bias(p, events[i].part);
		profile_free(p);
	}
}

static void settings_tell_biases_apart(void **state)
{
	static const struct {
		const char *event, *of, *name, *value, *part;
	} settings[] = {
		{ "jdk.ExecutionSample", "", "DebugNonSafepoints", "true",
		  "native, kernel and JVM time is missing" },
		{ "jdk.ExecutionSample", "", "DebugNonSafepoints", "false",
		  "no -XX:+DebugNonSafepoints" },
		{ "jdk.ExecutionSample", "jdk.ExecutionSample", "interval",
		  "1000000", "inlined frames" },
		{ "jdk.CPUTimeSample", "", "DebugNonSafepoints", "true",
		  "the Java frame before it" },
		{ "jdk.CPUTimeSample", "", "DebugNonSafepoints", "false",
		  "no -XX:+DebugNonSafepoints" },
		{ "nps.cpu", "nps.cpu", "type", "64", "guessed" },
		{ "nps.wall", "nps.wall", "type", "64", "waiting counts" },
		{ "nps.wall", "nps.wall", "type", "8", "instrumented" },
		{ "jdk.ThreadPark", "jdk.ThreadPark", "threshold", "20 ms",
		  "only what took 20 ms or longer" },
		{ "jdk.JavaMonitorEnter", "jdk.JavaMonitorEnter", "lock",
		  "10000000", "only what took 10ms or longer" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		struct profile *p = profile_of(settings[i].event, UNIT_NS);

		profile_set(p, settings[i].of, settings[i].name,
			    settings[i].value);
		check_bias(p, settings[i].part);
		profile_free(p);
	}
}

static void rates_are_said_as_far_as_they_are_known(void **state)
{
	struct profile *p = profile_of("x", UNIT_SAMPLES);

	(void)state;
	check_rate(p, "");
	profile_set(p, "x", "throttle", "300/s");
	check_rate(p, "at most 300/s");
	profile_set(p, "x", "period", "20 ms");
	check_rate(p, "each 20 ms");
	profile_set(p, "x", "interval", "0");
	check_rate(p, "each 20 ms");
	profile_set(p, "x", "rate", "at 99 Hz");
	check_rate(p, "at 99 Hz");
	profile_free(p);
}

static void a_setting_that_changes_is_none(void **state)
{
	struct profile *p = profile_of("x", UNIT_SAMPLES);
	char name[16];

	(void)state;
	assert_null(profile_setting(p, "x", "period"));
	profile_set(p, "x", "period", "20 ms");
	profile_set(p, "x", "period", "20 ms");
	assert_string_equal(profile_setting(p, "x", "period"), "20 ms");
	profile_set(p, "x", "period", "everyChunk");
	profile_set(p, "x", "period", "20 ms");
	assert_string_equal(profile_setting(p, "x", "period"), "");
	check_rate(p, "");
	for (size_t i = 0; i < 2 * PROFILE_SETTINGS; i++) {
		snprintf(name, sizeof(name), "%zu", i);
		profile_set(p, "y", name, "1");
	}
	assert_int_equal(p->setting_count, PROFILE_SETTINGS);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_that_is_known_has_one_line),
		cmocka_unit_test(settings_tell_biases_apart),
		cmocka_unit_test(rates_are_said_as_far_as_they_are_known),
		cmocka_unit_test(a_setting_that_changes_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
