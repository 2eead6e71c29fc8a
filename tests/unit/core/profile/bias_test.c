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

/* Makes a profile with only an event of that name. */
static struct profile *profile_of(const char *event, enum unit unit)
{
	struct profile *p = profile_new();

	profile_event(p, event, unit);
	return p;
}

/* The text is one line, which follows "note: " on a terminal. */
static void check_bias(struct profile *p, const char *part)
{
	const struct event_view view = sampled_view(p, 0);
	struct text text = { 0 };

	text_puts(&text, "");
	bias_add(&text, p, &view);
	assert_true(text.len <= 74);
	if (!*part || !strstr(text.bytes, part))
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

static void each_known_event_has_one_line(void **state)
{
	static const struct {
		const char *event;
		enum unit unit;
		const char *part;
	} events[] = {
		{ "jdk.ExecutionSample", UNIT_SAMPLES, "unless" },
		{ "jdk.CPUTimeSample", UNIT_NS, "unless" },
		{ "jdk.NativeMethodSample", UNIT_SAMPLES, "not CPU time" },
		{ "profiler.WallClockSample", UNIT_SAMPLES, "not CPU time" },
		{ "jdk.ObjectAllocationSample", UNIT_BYTES, "estimate" },
		{ "jdk.ObjectAllocationInNewTLAB", UNIT_BYTES, "TLAB" },
		{ "jdk.ObjectAllocationOutsideTLAB", UNIT_BYTES, "TLAB" },
		{ "jdk.ThreadPark", UNIT_NS, "unknown" },
		{ "thread-dump", UNIT_SAMPLES, "safepoints" },
		{ "nps.cpu", UNIT_NS, "perhaps" },
		{ "nps.wall", UNIT_NS, "perhaps" },
		{ "collapsed", UNIT_SAMPLES, "neither" },
		{ "alloc", UNIT_BYTES, "estimate" },
		{ "nativemem", UNIT_BYTES, "since the start" },
		{ "pagefault", UNIT_BYTES, "not leaks" },
		{ "lock", UNIT_NS, "monitors only" },
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
		  "omits native, kernel and JVM time" },
		{ "jdk.ExecutionSample", "", "DebugNonSafepoints", "false",
		  "no -XX:+DebugNonSafepoints" },
		{ "jdk.ExecutionSample", "jdk.ExecutionSample", "interval",
		  "1000000", "inlined frames" },
		{ "jdk.ExecutionSample", "", "event", "itimer",
		  "inlined frames" },
		{ "jdk.ExecutionSample", "", "event", "wall", "not CPU time" },
		{ "jdk.ExecutionSample", "", "event", "cache-misses",
		  "not the time" },
		{ "jdk.ExecutionSample", "", "event", "cpu cpu",
		  "not the time" },
		{ "jdk.CPUTimeSample", "", "DebugNonSafepoints", "true",
		  "the calling Java frame" },
		{ "jdk.CPUTimeSample", "", "DebugNonSafepoints", "false",
		  "no -XX:+DebugNonSafepoints" },
		{ "nps.cpu", "nps.cpu", "type", "64", "guessed" },
		{ "nps.wall", "nps.wall", "type", "64", "includes waiting" },
		{ "nps.wall", "nps.wall", "type", "8", "instrumented" },
		{ "jdk.ThreadPark", "jdk.ThreadPark", "threshold", "20 ms",
		  "only events of 20 ms or longer" },
		{ "jdk.ThreadPark", "jdk.ThreadPark", "threshold", "0 ns", "" },
		{ "jdk.JavaMonitorEnter", "jdk.JavaMonitorEnter", "lock",
		  "10000000", "short waits are missing" },
		{ "jdk.ObjectAllocationInNewTLAB",
		  "jdk.ObjectAllocationInNewTLAB", "alloc", "524288",
		  "represents many allocations" },
		{ "jdk.ExecutionSample", "jdk.ExecutionSample", "nobatch",
		  "true", "several kinds" },
		{ "lock", "lock", "virtual-threads", "carriers",
		  "count for their carriers" },
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

static void check_lock(const char *event, const char *version, const char *lock,
		       const char *part)
{
	struct profile *p = profile_of(event, UNIT_NS);

	profile_set(p, "", "version", version);
	profile_set(p, "jdk.JavaMonitorEnter", "lock", lock);
	check_bias(p, part);
	profile_free(p);
}

static void limitation_of_waits_depends_on_the_recorder(void **state)
{
	(void)state;
	check_lock("jdk.JavaMonitorEnter", "3.0", "10000000",
		   "only events of 10 ms or longer");
	check_lock("jdk.JavaMonitorEnter", "4.5", "10000000",
		   "one wait is recorded per 10 ms of waiting");
	check_lock("jdk.ThreadPark", "4.0", "999999999",
		   "one wait is recorded per 1.00 s");
	check_lock("jdk.ThreadPark", "4.0", "0", "");
	check_lock("jdk.ThreadPark", "2.9", "1", "");
	check_lock("jdk.JavaMonitorWait", "4.0", "0", "unknown");
}

static void rate_states_the_known_part(void **state)
{
	struct profile *p = profile_of("x", UNIT_SAMPLES);

	(void)state;
	check_rate(p, "");
	profile_set(p, "x", "throttle", "300/s");
	check_rate(p, "at most 300/s");
	profile_set(p, "x", "period", "20 ms");
	check_rate(p, "taken every 20 ms");
	/* A period is the JDK's, but these samples are not. */
	profile_set(p, "x", "interval", "0");
	check_rate(p, "");
	profile_set(p, "x", "rate", "at 99 Hz");
	check_rate(p, "at 99 Hz");
	profile_free(p);
}

static void check_sampled(const char *event, const char *what,
			  const char *interval, const char *rate, uint64_t ns)
{
	struct profile *p = profile_of(event, UNIT_SAMPLES);
	struct event_view view = sampled_view(p, 0);

	profile_set(p, "", "event", what);
	profile_set(p, "jdk.ExecutionSample", "interval", interval);
	check_rate(p, rate);
	assert_int_equal(rate_period(p, &view), ns);
	profile_free(p);
}

static void interval_is_a_time_only_for_time_events(void **state)
{
	static const char java[] = "jdk.ExecutionSample";
	static const char wall[] = "profiler.WallClockSample";
	struct profile *p = profile_of(wall, UNIT_SAMPLES);

	(void)state;
	check_sampled(java, "cpu", "1000000", "taken every 1 ms", 1000000);
	check_sampled(java, "wall", "20000000", "taken every 20 ms", 20000000);
	check_sampled(java, "cache-misses", "1000",
		      "taken every 1000 cache-misses", 0);
	check_sampled(java, "Main.run", "7", "taken every 7 Main.run", 0);
	check_sampled(java, "cpu", "0", "", 0);
	check_sampled(wall, "wall", "20000000", "taken every 20 ms", 20000000);
	check_sampled(wall, "cpu", "20000000", "", 0);
	profile_set(p, "", "event", "cpu");
	profile_set(p, "jdk.ExecutionSample", "wall", "50000000");
	check_rate(p, "taken every 50 ms");
	profile_free(p);
}

static void throttle_of_cpu_time_may_be_a_period(void **state)
{
	static const char event[] = "jdk.CPUTimeSample";
	struct profile *p = profile_of(event, UNIT_NS);
	struct event_view view = sampled_view(p, 0);

	(void)state;
	profile_set(p, event, "throttle", "10ms");
	check_rate(p, "taken every 10 ms");
	assert_int_equal(rate_period(p, &view), 10000000);
	profile_free(p);
	p = profile_of(event, UNIT_NS);
	profile_set(p, event, "throttle", "500/s");
	check_rate(p, "at most 500/s");
	view = sampled_view(p, 0);
	assert_int_equal(rate_period(p, &view), 0);
	profile_free(p);
}

static void samples_of_several_kinds_have_no_one_bias(void **state)
{
	struct profile *p = profile_of("jdk.ExecutionSample", UNIT_SAMPLES);

	(void)state;
	profile_set(p, "", "event", "cpu");
	profile_set(p, "", "event", "wall");
	profile_set(p, "jdk.ExecutionSample", "interval", "1000000");
	check_bias(p, "several kinds");
	check_rate(p, "");
	profile_free(p);
}

static void changed_setting_is_unknown(void **state)
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
		cmocka_unit_test(each_known_event_has_one_line),
		cmocka_unit_test(settings_tell_biases_apart),
		cmocka_unit_test(limitation_of_waits_depends_on_the_recorder),
		cmocka_unit_test(rate_states_the_known_part),
		cmocka_unit_test(interval_is_a_time_only_for_time_events),
		cmocka_unit_test(throttle_of_cpu_time_may_be_a_period),
		cmocka_unit_test(samples_of_several_kinds_have_no_one_bias),
		cmocka_unit_test(changed_setting_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
