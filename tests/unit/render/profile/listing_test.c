/* SPDX-License-Identifier: Apache-2.0 */
#include "render/profile/export.h"

#include "tests/unit/sampled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void write_table(struct output *out, void *self)
{
	listing_events(out, self);
}

static void write_json(struct output *out, void *self)
{
	listing_events_json(out, self);
}

static void add(struct profile *p, const char *event, enum unit unit,
		uint64_t count, uint64_t weight, const char *path)
{
	struct sample s = {
		.event = profile_event(p, event, unit),
		.stack = sampled_stack(p, path),
		.count = count,
		.weight = weight,
	};

	profile_add(p, &s);
}

static struct profile *recording(void)
{
	struct profile *p = profile_new();

	add(p, "jdk.FileRead", UNIT_NS, 3, 4500, "a.A.a");
	add(p, "jdk.ExecutionSample", UNIT_SAMPLES, 70, 70, "a.A.a");
	add(p, "jdk.ExecutionSample", UNIT_SAMPLES, 2, 2, "");
	add(p, "own\x1b[2J", UNIT_SAMPLES, 1, 1, "");
	return p;
}

static void check(sampled_write_fn *write, struct profile *p,
		  const char *expected)
{
	struct text got = sampled_written(write, p);

	assert_string_equal(got.bytes, expected);
	text_release(&got);
	profile_free(p);
}

static void listing_has_a_line_per_event_sorted_by_samples(void **state)
{
	(void)state;
	check(write_table, recording(),
	      "event                family  samples  without stack      "
	      "weight\n"
	      "jdk.ExecutionSample  cpu          72              2  72 "
	      "samples\n"
	      "jdk.FileRead         io            3              0     4500 "
	      "ns\n"
	      "own\xe2\x90\x9b[2J                            1              1  "
	      " 1 "
	      "samples\n");
}

static void listing_json_has_the_documented_keys(void **state)
{
	(void)state;
	check(write_json, recording(),
	      "{\"schema\":\"sjkc.events/1\",\"events\":["
	      "{\"name\":\"jdk.ExecutionSample\",\"samples\":72,"
	      "\"without_stack\":2,\"weight\":72,\"unit\":\"samples\"},"
	      "{\"name\":\"jdk.FileRead\",\"samples\":3,"
	      "\"without_stack\":0,\"weight\":4500,\"unit\":\"ns\"},"
	      "{\"name\":\"own\\u001b[2J\",\"samples\":1,"
	      "\"without_stack\":1,\"weight\":1,\"unit\":\"samples\"}],"
	      "\"tables\":[]}\n");
}

static void listing_marks_events_without_a_duration(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	add(p, "jdk.ActiveSetting", UNIT_NS, 337, 0, "");
	add(p, "jdk.ObjectAllocationSample", UNIT_BYTES, 2, 0, "a.A.a");
	check(write_table, p,
	      "event                       family  samples  without stack   "
	      "weight\n"
	      "jdk.ActiveSetting                       337            337   "
	      "     -\n"
	      "jdk.ObjectAllocationSample  alloc         2              0  "
	      "0 bytes\n");
}

static void listing_of_an_empty_profile_has_no_rows(void **state)
{
	(void)state;
	check(write_table, profile_new(),
	      "event  family  samples  without stack  weight\n");
	check(write_json, profile_new(),
	      "{\"schema\":\"sjkc.events/1\",\"events\":[],\"tables\":[]}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			listing_has_a_line_per_event_sorted_by_samples),
		cmocka_unit_test(listing_json_has_the_documented_keys),
		cmocka_unit_test(listing_marks_events_without_a_duration),
		cmocka_unit_test(listing_of_an_empty_profile_has_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
