/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"
#include "core/base/protobuf.h"
#include "core/formats/reader.h"
#include "core/push/push_attributes.h"
#include "render/profile/export.h"
#include "tests/unit/foreign.h"
#include "tests/unit/sampled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Adds a profile as a resource with this service name. */
static struct otlp_result add(struct otlp_request *r, const struct profile *p,
			      const char *service, struct otlp_options options)
{
	struct event_view *views;
	size_t count = event_views(p, &views);
	struct text resource = { 0 };
	struct otlp_result result;

	push_attribute(&resource, "service.name", service, strlen(service));
	options.resource = &resource;
	result = otlp_request_add(r, p, views, count, &options);
	text_release(&resource);
	free(views);
	return result;
}

/* Ends the request, reads it and returns the profile. */
static struct profile *read_back(struct otlp_request *r)
{
	struct profile *p;
	struct text file = { 0 };

	otlp_request_end(r, &file);
	otlp_request_free(r);
	p = foreign_read(&otlp_reader, file.bytes, file.len);
	/* Weights without times tell no numbers of samples. */
	for (size_t i = 0; i < p->remark_count; i++) {
		assert_false(p->remarks[i].is_loss);
		assert_string_equal(p->remarks[i].what,
				    "sums without numbers of samples");
	}
	text_release(&file);
	return p;
}

static const struct otlp_options weights = { .style.weights = true };

static void cpu_time_is_written_as_samples_with_a_period(void **state)
{
	struct profile *p = profile_new(), *got;
	struct otlp_request *r = otlp_request_new();

	(void)state;
	profile_set(p, "cpu", "period", "52631578 ns");
	for (int i = 0; i < 3; i++)
		profile_add(p,
			    &(struct sample){
				    .event = profile_event(p, "cpu", UNIT_NS),
				    .stack = sampled_stack(p, "a.A.b;c.C.d"),
				    .count = 1,
				    .weight = 52631578,
			    });
	add(r, p, "x", weights);
	got = read_back(r);
	foreign_expect(got, "cpu: a.A.b;c.C.d||3 3\n");
	assert_string_equal(profile_setting(got, "cpu", "period"),
			    "52631578 ns");
	profile_free(got);
	profile_free(p);
}

/* Writes an event with one sample of weight 5; returns its period, read back.
 */
static char *period_of(const char *name, enum unit unit, const char *setting,
		       const char *value)
{
	struct profile *p = profile_new(), *got;
	struct otlp_request *r = otlp_request_new();
	const char *found;
	char *period;

	profile_set(p, name, setting, value);
	profile_add(p, &(struct sample){
			       .event = profile_event(p, name, unit),
			       .stack = sampled_stack(p, "a.A.b"),
			       .count = 1,
			       .weight = 5,
		       });
	add(r, p, "x", weights);
	got = read_back(r);
	found = profile_setting(got, name, "period");
	period = xstrdup(found ? found : "none");
	profile_free(got);
	profile_free(p);
	return period;
}

static void expect_period(const char *name, enum unit unit, const char *setting,
			  const char *value, const char *expected)
{
	char *got = period_of(name, unit, setting, value);

	assert_string_equal(got, expected);
	free(got);
}

static void period_is_that_of_the_event(void **state)
{
	(void)state;
	expect_period("alloc", UNIT_BYTES, "period", "524288 bytes",
		      "524288 bytes");
	expect_period("alloc", UNIT_BYTES, "rate", "taken every 512 KB",
		      "1 bytes");
	expect_period("nativemem", UNIT_BYTES, "period", "65536 bytes",
		      "65536 bytes");
	expect_period("wall", UNIT_NS, "rate", "at 19 Hz (cpu-clock)",
		      "52631578 ns");
	expect_period("lock", UNIT_NS, "threshold", "10 ms", "none");
	expect_period("offcpu", UNIT_NS, "threshold", "10 ms", "none");
}

static void other_events_have_the_names_that_receivers_expect(void **state)
{
	static const struct {
		const char *name;
		enum unit unit;
		const char *expected;
	} rows[] = {
		{ "offcpu", UNIT_NS, "offcpu: a.A.b||1 5\n" },
		{ "wall", UNIT_NS, "wall: a.A.b||1 5\n" },
		{ "alloc", UNIT_BYTES, "alloc: a.A.b||1 5\n" },
		{ "nativemem", UNIT_BYTES, "nativemem: a.A.b||1 5\n" },
		{ "pagefault", UNIT_BYTES, "pagefault: a.A.b||1 5\n" },
		{ "lock", UNIT_NS, "lock: a.A.b||1 5\n" },
		{ "cache-misses", UNIT_COUNT, "cache-misses: a.A.b||5 5\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct profile *p = profile_new(), *got;
		struct otlp_request *r = otlp_request_new();

		profile_add(p, &(struct sample){
				       .event = profile_event(p, rows[i].name,
							      rows[i].unit),
				       .stack = sampled_stack(p, "a.A.b"),
				       .count = 1,
				       .weight = 5,
			       });
		add(r, p, "x", weights);
		got = read_back(r);
		foreign_expect(got, rows[i].expected);
		profile_free(got);
		profile_free(p);
	}
}

static void resources_share_the_dictionary(void **state)
{
	struct profile *p = profile_new(), *got;
	struct otlp_request *r = otlp_request_new();
	size_t first, second;

	(void)state;
	assert_int_equal(otlp_request_bytes(r), 0);
	sampled(p, "com.acme.a.long.name.Of.aMethod;c.C.d", 2);
	add(r, p, "one", weights);
	first = otlp_request_bytes(r);
	add(r, p, "two", weights);
	second = otlp_request_bytes(r) - first;
	assert_true(second > 0 && second < first);
	got = read_back(r);
	foreign_expect(got,
		       "cpu: com.acme.a.long.name.Of.aMethod;c.C.d||4 4\n");
	profile_free(got);
	profile_free(p);
}

static void deep_stack_traces_keep_their_leaves(void **state)
{
	struct profile *p = profile_new(), *got;
	struct otlp_request *r = otlp_request_new();
	struct otlp_result result;
	uint32_t stack = 0;
	char name[16];

	(void)state;
	for (int i = 0; i < OTLP_DEPTH + 5; i++) {
		snprintf(name, sizeof(name), "a.A.m%d", i);
		stack = profile_push(p, stack,
				     sampled_frame(p, name, FRAME_JAVA, 0));
	}
	profile_add(p, &(struct sample){
			       .event = profile_event(p, "cpu", UNIT_SAMPLES),
			       .stack = stack,
			       .count = 7,
			       .weight = 7,
		       });
	result = add(r, p, "x", weights);
	assert_int_equal(result.depth, OTLP_DEPTH);
	assert_int_equal(result.cut, 7);
	got = read_back(r);
	assert_int_equal(got->stack_count, OTLP_DEPTH + 1);
	assert_string_equal(
		profile_text(got, got->frames[got->stacks[1].frame].method),
		"m5");
	profile_free(got);
	profile_free(p);
}

static void samples_that_receivers_cannot_distinguish_are_added_up(void **state)
{
	struct otlp_options folds = { .style.weights = true,
				      .threads = THREADS_FOLDED };
	struct profile *p = profile_new(), *got;
	struct otlp_request *r = otlp_request_new();

	(void)state;
	for (int i = 8; i < 12; i++) {
		char name[32];
		struct thread t = { .os_id = i };
		struct frame f = { .kind = i % 2 ? FRAME_C1 : FRAME_JIT };
		uint32_t frame;

		snprintf(name, sizeof(name), "pool-%d \xff", i);
		t.name = profile_string(p, name, strlen(name));
		f.method = profile_string(p, "m", 1);
		frame = profile_frame(p, &f);
		profile_add(p, &(struct sample){
				       .event = profile_event(p, "cpu",
							      UNIT_SAMPLES),
				       .stack = profile_stack(p, &frame, 1),
				       .thread = profile_thread(p, &t),
				       .count = 1,
				       .weight = 1,
			       });
	}
	add(r, p, "x", folds);
	got = read_back(r);
	foreign_expect(got, "cpu: m|[pool-# \xef\xbf\xbd]|4 4\n");
	assert_int_equal(got->cell_count, 1);
	profile_free(got);
	r = otlp_request_new();
	folds.threads = THREADS_OMITTED;
	add(r, p, "x", folds);
	got = read_back(r);
	foreign_expect(got, "cpu: m||4 4\n");
	profile_free(got);
	profile_free(p);
}

static void threads_of_a_pool_have_one_name(void **state)
{
	static const char *const names[][2] = {
		{ "worker-12", "worker-#" },
		{ "job-550e8400-e29b-41d4-a716-446655440000", "job-#" },
		{ "a1b2c3d4e5f60718 consumer", "# consumer" },
		{ "session_DEADBEEF01/io-3", "session_#/io-#" },
		{ "C2 CompilerThread0", "C2 CompilerThread#" },
		{ "G1 Conc#0", "G1 Conc#" },
		{ "T1", "T#" },
		{ "interface12345678", "interface#" },
		{ "12345678th effaceable", "#th effaceable" },
		{ "facade1 cafe", "facade# cafe" },
		{ "550e8400-e29b-41d4-a716-44665544000", "#-e#b-#d#-a#-#" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct text name = { 0 };

		text_puts(&name, names[i][0]);
		otlp_fold_name(&name);
		name.bytes[name.len] = '\0';
		assert_string_equal(name.bytes, names[i][1]);
		text_release(&name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_time_is_written_as_samples_with_a_period),
		cmocka_unit_test(period_is_that_of_the_event),
		cmocka_unit_test(
			other_events_have_the_names_that_receivers_expect),
		cmocka_unit_test(resources_share_the_dictionary),
		cmocka_unit_test(deep_stack_traces_keep_their_leaves),
		cmocka_unit_test(
			samples_that_receivers_cannot_distinguish_are_added_up),
		cmocka_unit_test(threads_of_a_pool_have_one_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
