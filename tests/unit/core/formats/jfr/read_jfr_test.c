/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests rare forms of valid recordings, in constructed chunks. Tests of damage
 * are in jfr_damage_test.c.
 */
#include "core/base/alloc.h"
#include "core/formats/reader.h"
#include "core/profile/frame_name.h"
#include "tests/unit/jfr_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SAMPLE "jdk.ExecutionSample"

/* ---- events ---- */

static void samples_have_stacks_threads_states_and_times(void **state)
{
	struct text file = { 0 };
	struct jfr_result r;
	const struct profile *p;

	(void)state;
	jfr_usual_chunk(&file, 3);
	r = jfr_read_file(&file);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 2\np.C.d 1\n");
	p = r.profile;
	assert_false(profile_is_partial(p));
	assert_int_equal(p->remark_count, 0);
	assert_int_equal(p->thread_count, 2);
	assert_string_equal(profile_text(p, p->threads[1].name), "main");
	assert_int_equal(p->threads[1].java_id, 1);
	assert_int_equal(p->threads[1].os_id, 4711);
	assert_int_equal(p->cells[0].state, STATE_RUNNABLE);
	assert_int_equal(p->earliest_ns, INT64_C(1700000000000000000));
	assert_int_equal(p->latest_ns, INT64_C(1700000000002000000));
	jfr_forget(&r);
}

/*
 * Key 0 of the JDK's states is STATE_NEW, which is meaningless in an
 * allocation.
 */
static void event_without_a_state_field_has_no_state(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_alloc(&c, STACK_DEEP, 4096);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, "jdk.ObjectAllocationSample",
			 "p.A.b;p.C.d;p.A 1\n");
	assert_int_equal(r.profile->cells[0].state, STATE_NONE);
	assert_int_equal(r.profile->events[0].weight, 4096);
	assert_int_equal(r.profile->events[0].unit, UNIT_BYTES);
	jfr_forget(&r);
}

static void state_key_0_is_valid_if_the_event_has_the_field(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_event_begin(&c, T_SAMPLE);
	jfr_put_varint(&c.bytes, 5000);
	jfr_put_varint(&c.bytes, THREAD_MAIN);
	jfr_put_varint(&c.bytes, STACK_FLAT);
	jfr_put_varint(&c.bytes, 0);
	jfr_event_end(&c);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
	assert_int_equal(r.profile->cells[0].state, STATE_NEW);
	jfr_forget(&r);
}

static void event_without_a_stack_trace_is_counted(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_sample(&c, 5000, 0);
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "- 1\np.C.d 1\n");
	assert_int_equal(r.profile->events[0].without_stack, 1);
	assert_int_equal(r.profile->remark_count, 0);
	jfr_forget(&r);
}

static void missing_pool_key_is_a_note(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_sample(&c, 5000, 99);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "- 1\n");
	assert_int_equal(
		jfr_noted(r.profile, "stack traces missing from the recording"),
		1);
	assert_false(profile_is_partial(r.profile));
	jfr_forget(&r);
}

/*
 * Pyroscope's agent adds contextId: the next event is found by the event's
 * size, not by its known fields.
 */
static void bytes_after_the_known_fields_are_skipped(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_event_begin(&c, T_SAMPLE);
	jfr_put_varint(&c.bytes, 5000);
	jfr_put_varint(&c.bytes, THREAD_MAIN);
	jfr_put_varint(&c.bytes, STACK_FLAT);
	jfr_put_varint(&c.bytes, STATE_KEY);
	text_add(&c.bytes, "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9);
	jfr_event_end(&c);
	jfr_sample(&c, 5000, STACK_DEEP);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 1\np.C.d 1\n");
	jfr_forget(&r);
}

static void events_of_types_not_described_are_passed_over(void **state)
{
	static const uint64_t ids[] = { 2, 1000, 70000, UINT64_MAX };
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	for (size_t i = 0; i < 4; i++) {
		jfr_event_begin(&c, ids[i]);
		text_puts(&c.bytes, "anything");
		jfr_event_end(&c);
	}
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
	jfr_forget(&r);
}

static void fields_are_found_by_name_in_any_order(void **state)
{
	struct jfr_type_spec *types = jfr_own_types(0);
	struct jfr_type_spec *t = jfr_type_of(types, SAMPLE);
	const struct jfr_field_spec time = t->fields[0];
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	t->fields[0] = t->fields[2];
	t->fields[2] = (struct jfr_field_spec){ "mode", T_STRING, "array",
						NULL };
	t->fields[4] = time;
	jfr_chunk_begin(&c);
	jfr_metadata(&c, types, jfr_usual_type_count);
	jfr_usual_pools(&c);
	jfr_event_begin(&c, T_SAMPLE);
	jfr_put_varint(&c.bytes, STACK_DEEP);
	jfr_put_varint(&c.bytes, THREAD_MAIN);
	jfr_put_varint(&c.bytes, 2);
	jfr_put_string(&c.bytes, "x");
	jfr_put_string(&c.bytes, "y");
	jfr_put_varint(&c.bytes, STATE_KEY);
	jfr_put_varint(&c.bytes, 5007);
	jfr_event_end(&c);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 1\n");
	assert_int_equal(r.profile->earliest_ns, INT64_C(1700000000000000007));
	assert_int_equal(r.profile->cells[0].thread, 1);
	assert_int_equal(r.profile->cells[0].state, STATE_RUNNABLE);
	jfr_forget(&r);
	free(types);
}

/* An event of the application with such a field is no CPU sample. */
static void
failed_field_removes_the_stack_of_cpu_time_samples_only(void **state)
{
	static const char *const names[] = { "app.Request",
					     "jdk.CPUTimeSample" };
	static const char *const want[] = { "p.C.d 1\n", "- 1\n" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct jfr_type_spec *types = jfr_own_types(1);
		struct jfr_chunk c;
		struct jfr_result r;

		types[jfr_usual_type_count] = (struct jfr_type_spec){
			500,
			names[i],
			"jdk.jfr.Event",
			{ { "startTime", T_LONG, NULL, "Timestamp=TICKS" },
			  { "failed", T_BOOLEAN, NULL, NULL },
			  { "stackTrace", T_STACK_TRACE, "pool", NULL } }
		};
		jfr_chunk_begin(&c);
		jfr_metadata(&c, types, jfr_usual_type_count + 1);
		jfr_usual_pools(&c);
		jfr_event_begin(&c, 500);
		jfr_put_varint(&c.bytes, 5000);
		text_putc(&c.bytes, 1);
		jfr_put_varint(&c.bytes, STACK_FLAT);
		jfr_event_end(&c);
		r = jfr_read_chunk(&c);
		jfr_check_stacks(&r, names[i], want[i]);
		jfr_forget(&r);
		free(types);
	}
}

/* Reads an event app.E with this second field and returns its weight. */
static struct event weigh(const char *name, struct jfr_field_spec field,
			  uint64_t value, int64_t ticks_per_second)
{
	struct jfr_type_spec *types = jfr_own_types(1);
	struct jfr_chunk c;
	struct jfr_result r;
	struct event e;

	types[jfr_usual_type_count] = (struct jfr_type_spec){
		500,
		name,
		"jdk.jfr.Event",
		{ { "startTime", T_LONG, NULL, "Timestamp=TICKS" },
		  field,
		  { "stackTrace", T_STACK_TRACE, "pool", NULL } }
	};
	jfr_chunk_begin(&c);
	c.header.ticks_per_second = ticks_per_second;
	jfr_metadata(&c, types, jfr_usual_type_count + 1);
	jfr_usual_pools(&c);
	jfr_event_begin(&c, 500);
	jfr_put_varint(&c.bytes, 5000);
	jfr_put_varint(&c.bytes, value);
	jfr_put_varint(&c.bytes, STACK_FLAT);
	jfr_event_end(&c);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, name, "p.C.d 1\n");
	e = r.profile->events[0];
	jfr_forget(&r);
	free(types);
	return e;
}

/* clang-format off */
static const struct {
	const char *event;
	struct jfr_field_spec field;
	uint64_t value;
	int64_t ticks; /* per second */
	enum unit unit;
	uint64_t weight;
} weighed[] = {
	{ "app.E", { "duration", T_LONG, NULL, "Timespan=TICKS" },
	  3000, 2000000000, UNIT_NS, 1500 },
	{ "app.E", { "duration", T_LONG, NULL, "Timespan=NANOSECONDS" },
	  3000, 2000000000, UNIT_NS, 3000 },
	{ "app.E", { "duration", T_LONG, NULL, "Timespan=MILLISECONDS" },
	  3, 1, UNIT_NS, 3000000 },
	/* Every JVM writes durations in ticks. */
	{ "app.E", { "duration", T_LONG, NULL, NULL },
	  3000, 2000000000, UNIT_NS, 1500 },
	/* The clock was set back. */
	{ "app.E", { "duration", T_LONG, NULL, "Timespan=TICKS" },
	  UINT64_MAX, 1000000000, UNIT_NS, 0 },
	/* 2^62 ticks at 1 Hz are more than 64 bits of ns. */
	{ "app.E", { "duration", T_LONG, NULL, "Timespan=TICKS" },
	  (uint64_t)1 << 62, 1, UNIT_NS, INT64_MAX },
	{ "app.E", { "size", T_LONG, NULL, "DataAmount=BITS" },
	  8000, 1, UNIT_BYTES, 1000 },
	{ "app.E", { "other", T_LONG, NULL, NULL }, 8000, 1, UNIT_SAMPLES, 1 },
	/* Each sample of Datadog represents several. */
	{ "datadog.ExecutionSample", { "weight", T_LONG, NULL, NULL },
	  12, 1, UNIT_SAMPLES, 12 },
	{ "profiler.WallClockSample", { "samples", T_INT, NULL, NULL },
	  7, 1, UNIT_SAMPLES, 7 },
	{ "jdk.CPUTimeSample",
	  { "samplingPeriod", T_LONG, NULL, "Timespan=NANOSECONDS" },
	  20000000, 1, UNIT_NS, 20000000 },
	/* A live object has count 1. */
	{ "jdk.OldObjectSample", { "duration", T_LONG, NULL, "Timespan=TICKS" },
	  3000, 1, UNIT_SAMPLES, 1 },
};
/* clang-format on */

static void weights_follow_the_annotation_of_their_field(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(weighed) / sizeof(*weighed); i++) {
		struct event e = weigh(weighed[i].event, weighed[i].field,
				       weighed[i].value, weighed[i].ticks);

		if (e.unit != weighed[i].unit || e.weight != weighed[i].weight)
			fail_msg("row %zu: %llu %s", i,
				 (unsigned long long)e.weight,
				 unit_names[e.unit]);
	}
}

static void time_in_another_unit_is_since_the_epoch(void **state)
{
	struct jfr_type_spec *types = jfr_own_types(0);
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	types[0].fields[0].unit = "Timestamp=MILLISECONDS_SINCE_EPOCH";
	jfr_chunk_begin(&c);
	jfr_metadata(&c, types, jfr_usual_type_count);
	jfr_usual_pools(&c);
	jfr_sample(&c, 1700000000123, STACK_FLAT);
	r = jfr_read_chunk(&c);
	assert_int_equal(r.profile->earliest_ns, INT64_C(1700000000123000000));
	jfr_forget(&r);
	free(types);
}

/* JDK 9 and 10; they write version 1.0. */
static void names_of_jdk_9_are_those_of_today(void **state)
{
	struct jfr_type_spec *types = jfr_own_types(0);
	struct text names = { 0 };
	size_t at[32];
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	for (size_t i = 0; i < jfr_usual_type_count; i++) {
		const char *name = types[i].name;

		at[i] = names.len;
		if (strncmp(name, "jdk.types.", 10) == 0)
			text_printf(&names, "com.oracle.jfr.types.%s",
				    name + 10);
		else if (strncmp(name, "jdk.jfr.", 8) == 0)
			text_printf(&names, "com.oracle.jfr.%s", name + 8);
		else if (strncmp(name, "jdk.", 4) == 0)
			text_printf(&names, "com.oracle.%s", name);
		else
			text_puts(&names, name);
		text_putc(&names, '\0');
		if (types[i].super &&
		    strcmp(types[i].super, "jdk.jfr.Event") == 0)
			types[i].super = "com.oracle.jfr.Event";
	}
	for (size_t i = 0; i < jfr_usual_type_count; i++)
		types[i].name = names.bytes + at[i];
	jfr_chunk_begin(&c);
	c.header.major = 1;
	c.header.minor = 0;
	jfr_metadata(&c, types, jfr_usual_type_count);
	jfr_usual_pools(&c);
	jfr_sample(&c, 5005, STACK_DEEP);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 1\n");
	assert_int_equal(r.profile->earliest_ns, INT64_C(1700000000000000005));
	jfr_forget(&r);
	text_release(&names);
	free(types);
}

/* ---- metadata ---- */

static void metadata_of_the_header_is_used_not_the_first(void **state)
{
	struct jfr_type_spec *old = jfr_own_types(0);
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_type_of(old, SAMPLE)->id = 3333;
	jfr_chunk_begin(&c);
	jfr_metadata(&c, old, jfr_usual_type_count);
	jfr_usual_pools(&c);
	jfr_metadata(&c, jfr_usual_types, jfr_usual_type_count);
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
	jfr_forget(&r);
	free(old);
}

/* Type 109 of one JVM is 1923 of another; ids exceed 16 bits and 32 bits. */
static void ids_are_private_to_each_chunk(void **state)
{
	static const uint64_t ids[] = { T_SAMPLE, 70000, UINT64_C(1) << 40 };
	struct text file = { 0 };
	struct jfr_result r;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct jfr_type_spec *types = jfr_own_types(0);
		struct jfr_chunk c;

		/* An id of one chunk is another type's in the next. */
		jfr_type_of(types, SAMPLE)->id = ids[i];
		jfr_type_of(types, "jdk.ThreadPark")->id = ids[(i + 1) % 3];
		jfr_chunk_begin(&c);
		jfr_metadata(&c, types, jfr_usual_type_count);
		jfr_usual_pools(&c);
		jfr_event_begin(&c, ids[i]);
		jfr_put_varint(&c.bytes, 5000);
		jfr_put_varint(&c.bytes, THREAD_MAIN);
		jfr_put_varint(&c.bytes, STACK_FLAT);
		jfr_put_varint(&c.bytes, STATE_KEY);
		jfr_event_end(&c);
		jfr_chunk_end(&c, &file);
		free(types);
	}
	r = jfr_read_file(&file);
	jfr_check_stacks(&r, SAMPLE, "p.C.d 3\n");
	assert_int_equal(r.profile->event_count, 1);
	jfr_forget(&r);
}

static void field_of_an_unknown_type_damages_its_event_only(void **state)
{
	struct jfr_type_spec *types = jfr_own_types(0);
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	/*
	 * Before the known field of one type, after the known field of the
	 * other.
	 */
	jfr_type_of(types, "jdk.ThreadPark")->fields[1].type = 9999;
	jfr_type_of(types, SAMPLE)->fields[4] = (struct jfr_field_spec){
		"more", 9999, NULL, NULL
	};
	jfr_chunk_begin(&c);
	jfr_metadata(&c, types, jfr_usual_type_count);
	jfr_usual_pools(&c);
	jfr_event_begin(&c, T_PARK);
	jfr_put_varint(&c.bytes, 5000);
	jfr_put_varint(&c.bytes, 1);
	jfr_put_varint(&c.bytes, THREAD_MAIN);
	jfr_put_varint(&c.bytes, STACK_FLAT);
	jfr_event_end(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
	assert_int_equal(jfr_lost(r.profile, "damaged events"), 1);
	jfr_forget(&r);
	free(types);
}

/* Each string of the metadata has another encoding. */
static void metadata_may_use_every_encoding(void **state)
{
	struct jfr_type_spec *types = jfr_own_types(1);
	struct jfr_chunk c;
	struct jfr_result r;
	uint8_t *name;

	(void)state;
	types[jfr_usual_type_count] = (struct jfr_type_spec){
		500, "Latin1", NULL, { { 0 } }
	};
	jfr_chunk_begin(&c);
	jfr_metadata(&c, types, jfr_usual_type_count + 1);
	/* 3 and 5 have the same bytes, as long as they are ASCII. */
	for (size_t i = 0; i < 3; i++) {
		static const char *const texts[] = { "\x03\x06"
						     "Latin1",
						     "\x03\x05"
						     "class",
						     "\x03\x13"
						     "jdk.ExecutionSample" };
		name = memmem(c.bytes.bytes, c.bytes.len, texts[i],
			      strlen(texts[i]));
		assert_non_null(name);
		name[0] = i == 1 ? 4 : 5;
	}
	jfr_usual_pools(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
	jfr_forget(&r);
	free(types);
}

/* ---- chunks ---- */

static void each_chunk_has_its_own_clock(void **state)
{
	struct text file = { 0 };
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_chunk(&file, 1);
	jfr_usual_begin(&c);
	c.header.start_ns += 60 * INT64_C(1000000000);
	c.header.start_ticks = 1;
	c.header.ticks_per_second = 3;
	jfr_usual_pools(&c);
	jfr_sample(&c, 1 + 3 * 5, STACK_FLAT); /* 5 s later */
	jfr_chunk_end(&c, &file);
	r = jfr_read_file(&file);
	assert_int_equal(r.profile->latest_ns, INT64_C(1700000065000000000));
	jfr_forget(&r);
}

static void major_versions_1_and_2_are_read_with_any_minor(void **state)
{
	static const struct {
		uint16_t major, minor;
	} versions[] = { { 1, 0 }, { 1, 7 }, { 2, 0 }, { 2, 1 }, { 2, 300 } };

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		struct jfr_chunk c;
		struct jfr_result r;

		jfr_usual_begin(&c);
		c.header.major = versions[i].major;
		c.header.minor = versions[i].minor;
		jfr_usual_pools(&c);
		jfr_sample(&c, 5000, STACK_FLAT);
		r = jfr_read_chunk(&c);
		jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
		jfr_forget(&r);
	}
}

static void unsupported_versions_are_rejected_by_name(void **state)
{
	static const struct {
		uint16_t major, minor;
		const char *why;
	} versions[] = {
		{ 0, 9,
		  "JFR 0.9 is not supported: the format of Oracle JDK 7 and 8; "
		  "OpenJDK 8u262 and later write 2.0" },
		{ 3, 0, "JFR 3.0 is not supported" },
		{ 2, 1, /* flags 0 */
		  "chunks without compressed integers are not supported" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		struct jfr_chunk c;
		struct jfr_result r;

		jfr_usual_begin(&c);
		c.header.major = versions[i].major;
		c.header.minor = versions[i].minor;
		c.header.flags = versions[i].major != 2;
		jfr_usual_pools(&c);
		jfr_sample(&c, 5000, STACK_FLAT);
		r = jfr_read_chunk(&c);
		assert_int_equal(r.status, -1);
		assert_int_equal(r.err.kind, ERROR_INPUT);
		assert_string_equal(r.err.text, versions[i].why);
		jfr_forget(&r);
	}
}

static void chunk_beyond_4_GiB_is_read(void **state)
{
	const size_t gap = ((size_t)1 << 32) + 4096;
	struct text file = { 0 };
	struct jfr_result r = { .profile = profile_new() };
	struct jfr_chunk c;
	uint8_t *map;
	size_t len;

	(void)state;
	map = mmap(NULL, gap * 2, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		skip();
	/* One event of more than 4 GiB, of a type that is skipped. */
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	len = c.bytes.len;
	jfr_put_padded(&c.bytes, gap, 9);
	jfr_put_varint(&c.bytes, 99);
	jfr_chunk_end(&c, &file);
	for (unsigned i = 0; i < 8; i++)
		file.bytes[8 + i] = (char)((len + gap) >> 8 * (7 - i));
	memcpy(map, file.bytes, file.len);
	text_clear(&file);
	jfr_usual_chunk(&file, 4);
	memcpy(map + len + gap, file.bytes, file.len);
	r.status = jfr_reader.read(map, len + gap + file.len, r.profile,
				   &r.err);
	munmap(map, gap * 2);
	text_release(&file);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 2\np.C.d 3\n");
	assert_false(profile_is_partial(r.profile));
	jfr_forget(&r);
}

/* ---- classes and owners ---- */

#define NUMBERS(...)                                                           \
	(const uint64_t[]){ __VA_ARGS__ },                                     \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)

static void put_event(struct jfr_chunk *c, uint64_t type,
		      const uint64_t *values, size_t count)
{
	jfr_event_begin(c, type);
	for (size_t i = 0; i < count; i++)
		jfr_put_varint(&c->bytes, values[i]);
	jfr_event_end(c);
}

enum { T_ENTER = 700, T_OLD_SAMPLE, T_OLD_OBJECT, OWNER = 2 };

static const struct jfr_type_spec class_types[] = {
	{ T_ENTER,
	  "jdk.JavaMonitorEnter",
	  "jdk.jfr.Event",
	  { { "startTime", T_LONG, NULL, "Timestamp=TICKS" },
	    { "duration", T_LONG, NULL, "Timespan=TICKS" },
	    { "eventThread", T_THREAD, "pool", NULL },
	    { "stackTrace", T_STACK_TRACE, "pool", NULL },
	    { "monitorClass", T_CLASS, "pool", NULL },
	    { "previousOwner", T_THREAD, "pool", NULL } } },
	{ T_OLD_SAMPLE,
	  "jdk.OldObjectSample",
	  "jdk.jfr.Event",
	  { { "startTime", T_LONG, NULL, "Timestamp=TICKS" },
	    { "stackTrace", T_STACK_TRACE, "pool", NULL },
	    { "object", T_OLD_OBJECT, "pool", NULL } } },
	{ T_OLD_OBJECT,
	  "jdk.types.OldObject",
	  NULL,
	  { { "address", T_LONG, NULL, NULL },
	    { "type", T_CLASS, "pool", NULL } } },
};

#define CLASS_TYPES (sizeof(class_types) / sizeof(*class_types))

/* With classes 303, "[Lp/C;", and 304, "[[B", and old object 9 of 304. */
static void begin_classes(struct jfr_chunk *c)
{
	struct jfr_type_spec *types = jfr_own_types(CLASS_TYPES);
	struct jfr_type_spec *park = jfr_type_of(types, "jdk.ThreadPark");
	struct text *t = &c->bytes;

	memcpy(types + jfr_usual_type_count, class_types, sizeof(class_types));
	park->fields[4] = (struct jfr_field_spec){ "parkedClass", T_CLASS,
						   "pool", NULL };
	jfr_chunk_begin(c);
	jfr_metadata(c, types, jfr_usual_type_count + CLASS_TYPES);
	free(types);
	jfr_usual_pools(c);
	jfr_checkpoint_begin(c, 4);
	jfr_pool_begin(c, T_SYMBOL, 2);
	jfr_put_varint(t, 105);
	jfr_put_string(t, "[Lp/C;");
	jfr_put_varint(t, 106);
	jfr_put_string(t, "[[B");
	jfr_pool_begin(c, T_CLASS, 2);
	for (uint64_t i = 0; i < 2; i++) {
		jfr_put_varint(t, 303 + i);
		jfr_put_varint(t, 0);
		jfr_put_varint(t, 105 + i);
		jfr_put_varint(t, 1);
		text_putc(t, 0);
	}
	jfr_pool_begin(c, T_THREAD, 1);
	jfr_put_varint(t, OWNER);
	jfr_put_string(t, "os-owner");
	jfr_put_varint(t, 4712);
	jfr_put_string(t, "owner");
	jfr_put_varint(t, 30);
	text_putc(t, 0);
	jfr_pool_begin(c, T_OLD_OBJECT, 1);
	jfr_put_varint(t, 9);
	jfr_put_varint(t, 0x1000);
	jfr_put_varint(t, 304);
	jfr_checkpoint_end(c);
}

static void allocated_class_is_the_leaf_below_the_method(void **state)
{
	static const struct style style = { 0 };
	struct text name = { 0 };
	struct jfr_chunk c;
	struct jfr_result r;
	const struct profile *p;
	uint32_t stack;

	(void)state;
	begin_classes(&c);
	put_event(&c, T_ALLOC, NUMBERS(5000, THREAD_MAIN, STACK_FLAT, 303, 64));
	put_event(&c, T_ALLOC, NUMBERS(5001, THREAD_MAIN, STACK_FLAT, 301, 16));
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, "jdk.ObjectAllocationSample",
			 "p.C.d;[Lp.C; 1\np.C.d;p.A 1\n");
	p = r.profile;
	/* The first sample of a thread is added last (first_weights). */
	stack = p->cells[1].stack;
	assert_string_equal(profile_text(p, profile_leaf_class(p, stack)),
			    "[Lp.C;");
	frame_name(&name, p, &p->frames[p->stacks[stack].frame], &style);
	assert_string_equal(name.bytes, "p.C[]");
	assert_int_equal(profile_calls(p, stack), p->stacks[stack].caller);
	assert_int_equal(profile_calls(p, p->stacks[stack].caller),
			 p->stacks[stack].caller);
	text_release(&name);
	jfr_forget(&r);
}

static void class_missing_from_the_chunk_adds_no_leaf(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	begin_classes(&c);
	put_event(&c, T_ALLOC, NUMBERS(5000, THREAD_MAIN, STACK_FLAT, 0, 64));
	put_event(&c, T_ALLOC, NUMBERS(5000, THREAD_MAIN, STACK_FLAT, 999, 64));
	put_event(&c, T_ALLOC, NUMBERS(5000, THREAD_MAIN, 0, 301, 64));
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, "jdk.ObjectAllocationSample", "- 1\np.C.d 2\n");
	assert_int_equal(r.profile->events[0].without_stack, 1);
	jfr_forget(&r);
}

static void blocked_thread_has_the_class_and_owner_of_the_monitor(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;
	const struct profile *p;

	(void)state;
	begin_classes(&c);
	put_event(&c, T_ENTER,
		  NUMBERS(5000, 30, THREAD_MAIN, STACK_FLAT, 302, OWNER));
	put_event(&c, T_ENTER,
		  NUMBERS(5001, 10, THREAD_MAIN, STACK_FLAT, 302, 0));
	put_event(&c, T_ENTER,
		  NUMBERS(5002, 12, THREAD_MAIN, STACK_FLAT, 302, OWNER));
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, "jdk.JavaMonitorEnter", "p.C.d;p.C 3\n");
	p = r.profile;
	assert_int_equal(p->cell_count, 2);
	assert_string_equal(profile_text(p, p->threads[p->cells[0].owner].name),
			    "owner");
	assert_int_equal(p->cells[0].count, 2);
	assert_int_equal(p->cells[0].weight, 42);
	assert_int_equal(p->cells[1].owner, 0);
	assert_int_equal(p->cells[1].weight, 10);
	jfr_forget(&r);
}

static void parked_and_old_objects_have_their_class(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	begin_classes(&c);
	put_event(&c, T_PARK, NUMBERS(5000, 30, THREAD_MAIN, STACK_FLAT, 301));
	put_event(&c, T_OLD_SAMPLE, NUMBERS(5000, STACK_DEEP, 9));
	put_event(&c, T_OLD_SAMPLE, NUMBERS(5000, STACK_DEEP, 10));
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, "jdk.ThreadPark", "p.C.d;p.A 1\n");
	jfr_check_stacks(&r, "jdk.OldObjectSample",
			 "p.A.b;p.C.d 1\np.A.b;p.C.d;[[B 1\n");
	jfr_forget(&r);
}

/* A field with this name but another type is not read as a class. */
static void monitor_class_of_another_type_is_skipped(void **state)
{
	struct jfr_type_spec *types = jfr_own_types(CLASS_TYPES);
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	memcpy(types + jfr_usual_type_count, class_types, sizeof(class_types));
	types[jfr_usual_type_count].fields[4].type = T_LONG;
	types[jfr_usual_type_count].fields[4].how = NULL;
	types[jfr_usual_type_count].fields[5].type = T_STATE;
	jfr_chunk_begin(&c);
	jfr_metadata(&c, types, jfr_usual_type_count + CLASS_TYPES);
	free(types);
	jfr_usual_pools(&c);
	put_event(&c, T_ENTER,
		  NUMBERS(5000, 30, THREAD_MAIN, STACK_FLAT, 302, 1));
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, "jdk.JavaMonitorEnter", "p.C.d 1\n");
	assert_int_equal(r.profile->cells[0].owner, 0);
	jfr_forget(&r);
}

/*
 * The JDK's stack traces of this event start with the caller, async-profiler's
 * do not.
 */
static void traced_method_is_the_leaf(void **state)
{
	static const struct {
		uint64_t method;
		const char *want;
	} traces[] = {
		{ 202, "p.A.b;p.C.d 1\n" }, /* p.A.b is the leaf already */
		{ 201, "p.A.b;p.C.d;p.A.b 1\n" },
		{ 0, "p.A.b;p.C.d 1\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(traces) / sizeof(*traces); i++) {
		struct jfr_type_spec *types = jfr_own_types(1);
		struct jfr_chunk c;
		struct jfr_result r;

		types[jfr_usual_type_count] = (struct jfr_type_spec){
			500,
			"jdk.MethodTrace",
			"jdk.jfr.Event",
			{ { "startTime", T_LONG, NULL, "Timestamp=TICKS" },
			  { "duration", T_LONG, NULL, "Timespan=TICKS" },
			  { "stackTrace", T_STACK_TRACE, "pool", NULL },
			  { "method", T_METHOD, "pool", NULL } }
		};
		jfr_chunk_begin(&c);
		jfr_metadata(&c, types, jfr_usual_type_count + 1);
		jfr_usual_pools(&c);
		put_event(&c, 500,
			  NUMBERS(5000, 30, STACK_DEEP, traces[i].method));
		r = jfr_read_chunk(&c);
		jfr_check_stacks(&r, "jdk.MethodTrace", traces[i].want);
		assert_int_equal(r.profile->events[0].weight, 30);
		jfr_forget(&r);
		free(types);
	}
}

static void statistics_of_threads_correct_a_first_weight(void **state)
{
	struct jfr_type_spec *types = jfr_own_types(1);
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	types[jfr_usual_type_count] = (struct jfr_type_spec){
		500,
		"jdk.ThreadAllocationStatistics",
		"jdk.jfr.Event",
		{ { "startTime", T_LONG, NULL, "Timestamp=TICKS" },
		  { "allocated", T_LONG, NULL, "DataAmount=BYTES" },
		  { "thread", T_THREAD, "pool", NULL } }
	};
	jfr_chunk_begin(&c);
	jfr_metadata(&c, types, jfr_usual_type_count + 1);
	jfr_usual_pools(&c);
	put_event(&c, 500, NUMBERS(1000, 900000, THREAD_MAIN));
	jfr_alloc(&c, STACK_DEEP, 900100);
	put_event(&c, 500, NUMBERS(9000, 900500, THREAD_MAIN));
	r = jfr_read_chunk(&c);
	assert_int_equal(r.profile->events[0].weight, 500);
	assert_int_equal(r.profile->events[0].samples, 1);
	assert_int_equal(
		jfr_noted(r.profile,
			  "bytes allocated before the recording, not included"),
		899600);
	jfr_forget(&r);
	free(types);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_have_stacks_threads_states_and_times),
		cmocka_unit_test(event_without_a_state_field_has_no_state),
		cmocka_unit_test(
			state_key_0_is_valid_if_the_event_has_the_field),
		cmocka_unit_test(event_without_a_stack_trace_is_counted),
		cmocka_unit_test(missing_pool_key_is_a_note),
		cmocka_unit_test(bytes_after_the_known_fields_are_skipped),
		cmocka_unit_test(events_of_types_not_described_are_passed_over),
		cmocka_unit_test(fields_are_found_by_name_in_any_order),
		cmocka_unit_test(
			failed_field_removes_the_stack_of_cpu_time_samples_only),
		cmocka_unit_test(weights_follow_the_annotation_of_their_field),
		cmocka_unit_test(time_in_another_unit_is_since_the_epoch),
		cmocka_unit_test(names_of_jdk_9_are_those_of_today),
		cmocka_unit_test(metadata_of_the_header_is_used_not_the_first),
		cmocka_unit_test(ids_are_private_to_each_chunk),
		cmocka_unit_test(
			field_of_an_unknown_type_damages_its_event_only),
		cmocka_unit_test(metadata_may_use_every_encoding),
		cmocka_unit_test(each_chunk_has_its_own_clock),
		cmocka_unit_test(
			major_versions_1_and_2_are_read_with_any_minor),
		cmocka_unit_test(unsupported_versions_are_rejected_by_name),
		cmocka_unit_test(chunk_beyond_4_GiB_is_read),
		cmocka_unit_test(allocated_class_is_the_leaf_below_the_method),
		cmocka_unit_test(class_missing_from_the_chunk_adds_no_leaf),
		cmocka_unit_test(
			blocked_thread_has_the_class_and_owner_of_the_monitor),
		cmocka_unit_test(parked_and_old_objects_have_their_class),
		cmocka_unit_test(monitor_class_of_another_type_is_skipped),
		cmocka_unit_test(traced_method_is_the_leaf),
		cmocka_unit_test(statistics_of_threads_correct_a_first_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
