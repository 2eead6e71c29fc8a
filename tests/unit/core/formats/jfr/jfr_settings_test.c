/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/profile.h"
#include "tests/unit/jfr_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SAMPLE "jdk.ExecutionSample"

enum { T_SETTING = 200, T_FLAG, T_RECORDING, OWN_TYPES = 3 };

/* Begins a chunk with the usual types and those of settings and flags. */
static void begin(struct jfr_chunk *c)
{
	struct jfr_type_spec *types = jfr_own_types(OWN_TYPES);
	struct jfr_type_spec *more = types + jfr_usual_type_count;

	more[0] = (struct jfr_type_spec){
		.id = T_SETTING,
		.name = "jdk.ActiveSetting",
		.super = "jdk.jfr.Event",
		.fields = {
			{ "startTime", T_LONG, NULL, NULL },
			{ "id", T_LONG, NULL, NULL },
			{ "name", T_STRING, NULL, NULL },
			{ "value", T_STRING, NULL, NULL },
		},
	};
	more[1] = (struct jfr_type_spec){
		.id = T_FLAG,
		.name = "jdk.BooleanFlag",
		.super = "jdk.jfr.Event",
		.fields = {
			{ "startTime", T_LONG, NULL, NULL },
			{ "name", T_STRING, NULL, NULL },
			{ "value", T_BOOLEAN, NULL, NULL },
		},
	};
	more[2] = (struct jfr_type_spec){
		.id = T_RECORDING,
		.name = "jdk.ActiveRecording",
		.super = "jdk.jfr.Event",
		.fields = { { "startTime", T_LONG, NULL, NULL } },
	};
	jfr_chunk_begin(c);
	jfr_metadata(c, types, jfr_usual_type_count + OWN_TYPES);
	jfr_usual_pools(c);
	free(types);
}

static void put_setting(struct jfr_chunk *c, uint64_t id, const char *name,
			const char *value)
{
	jfr_event_begin(c, T_SETTING);
	jfr_put_varint(&c->bytes, 5000);
	jfr_put_varint(&c->bytes, id);
	jfr_put_string(&c->bytes, name);
	jfr_put_string(&c->bytes, value);
	jfr_event_end(c);
}

static void put_flag(struct jfr_chunk *c, const char *name, bool value)
{
	jfr_event_begin(c, T_FLAG);
	jfr_put_varint(&c->bytes, 5000);
	jfr_put_string(&c->bytes, name);
	text_putc(&c->bytes, value);
	jfr_event_end(c);
}

static void check(const struct jfr_result *r, const char *event,
		  const char *name, const char *expected)
{
	const char *value = profile_setting(r->profile, event, name);

	assert_int_equal(r->status, 0);
	if (expected)
		assert_string_equal(value ? value : "(none)", expected);
	else
		assert_null(value);
}

static void settings_are_those_of_the_type_with_their_id(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;
	char longest[100];

	(void)state;
	memset(longest, '9', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	begin(&c);
	put_setting(&c, T_SAMPLE, "period", "20 ms");
	put_setting(&c, T_PARK, "threshold", "10 ms");
	put_setting(&c, T_PARK, "stackTrace", "true");
	put_setting(&c, T_ALLOC, "throttle", longest);
	put_setting(&c, 12345, "period", "1 s");
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	check(&r, SAMPLE, "period", "20 ms");
	check(&r, "jdk.ThreadPark", "threshold", "10 ms");
	check(&r, "jdk.ThreadPark", "stackTrace", NULL);
	check(&r, "jdk.ObjectAllocationSample", "throttle", NULL);
	check(&r, "", "DebugNonSafepoints", NULL);
	assert_int_equal(r.profile->setting_count, 2);
	jfr_forget(&r);
}

static void sampled_event_is_a_setting_of_all_events(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	begin(&c);
	put_setting(&c, T_RECORDING, "event", "cache-misses");
	put_setting(&c, T_RECORDING, "version", "4.5");
	put_setting(&c, T_PARK, "event", "none of its");
	put_setting(&c, T_SAMPLE, "interval", "1000");
	put_setting(&c, T_SAMPLE, "wall", "50000000");
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	check(&r, "", "event", "cache-misses");
	check(&r, "", "version", "4.5");
	check(&r, SAMPLE, "interval", "1000");
	check(&r, SAMPLE, "wall", "50000000");
	assert_int_equal(r.profile->setting_count, 4);
	jfr_forget(&r);
}

static void flag_missing_among_flags_is_off(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	begin(&c);
	put_flag(&c, "UseG1GC", true);
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	check(&r, "", "DebugNonSafepoints", "false");
	jfr_forget(&r);
	begin(&c);
	put_flag(&c, "UseG1GC", true);
	put_flag(&c, "DebugNonSafepoints", true);
	put_flag(&c, "UseZGC", false);
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	check(&r, "", "DebugNonSafepoints", "true");
	jfr_forget(&r);
}

static void cut_settings_are_none(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	begin(&c);
	jfr_event_begin(&c, T_SETTING);
	jfr_put_varint(&c.bytes, 5000);
	jfr_put_varint(&c.bytes, T_SAMPLE);
	jfr_event_end(&c);
	jfr_event_begin(&c, T_FLAG);
	jfr_event_end(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	assert_int_equal(r.status, 0);
	assert_int_equal(r.profile->setting_count, 0);
	assert_int_equal(jfr_samples_of(r.profile, SAMPLE), 1);
	jfr_forget(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_are_those_of_the_type_with_their_id),
		cmocka_unit_test(sampled_event_is_a_setting_of_all_events),
		cmocka_unit_test(flag_missing_among_flags_is_off),
		cmocka_unit_test(cut_settings_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
