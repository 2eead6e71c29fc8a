/* SPDX-License-Identifier: Apache-2.0 */
/* Tests tables of events without stack traces. */
#include "core/base/alloc.h"
#include "core/profile/event_table.h"
#include "render/profile/report.h"
#include "tests/unit/jfr_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/formats/reader.h"

enum { T_GC = 600, T_GC_CAUSE, T_TIMING };

static const struct jfr_type_spec types[] = {
	{ T_GC,
	  "jdk.GarbageCollection",
	  "jdk.jfr.Event",
	  { { "startTime", T_LONG, NULL, "Timestamp=TICKS" },
	    { "duration", T_LONG, NULL, "Timespan=TICKS" },
	    { "eventThread", T_THREAD, "pool", NULL },
	    { "gcId", T_INT, NULL, NULL },
	    { "name", T_STRING, NULL, NULL },
	    { "cause", T_GC_CAUSE, "pool", NULL },
	    { "used", T_LONG, NULL, "DataAmount=BYTES" } } },
	{ T_GC_CAUSE,
	  "jdk.types.GCCause",
	  NULL,
	  { { "cause", T_STRING, NULL, NULL } } },
	{ T_TIMING,
	  "jdk.MethodTiming",
	  "jdk.jfr.Event",
	  { { "startTime", T_LONG, NULL, "Timestamp=TICKS" },
	    { "method", T_METHOD, "pool", NULL },
	    { "invocations", T_LONG, NULL, NULL },
	    { "average", T_LONG, NULL, "Timespan=TICKS" } } },
};

#define TYPES (sizeof(types) / sizeof(*types))

static void begin(struct jfr_chunk *c, int64_t ticks_per_second)
{
	struct jfr_type_spec *all = jfr_own_types(TYPES);

	memcpy(all + jfr_usual_type_count, types, sizeof(types));
	jfr_chunk_begin(c);
	c->header.ticks_per_second = ticks_per_second;
	jfr_metadata(c, all, jfr_usual_type_count + TYPES);
	free(all);
	jfr_usual_pools(c);
	jfr_checkpoint_begin(c, 1);
	jfr_pool_begin(c, T_GC_CAUSE, 2);
	jfr_put_varint(&c->bytes, 1);
	jfr_put_string(&c->bytes, "Allocation Failure");
	jfr_put_varint(&c->bytes, 2);
	jfr_put_string(&c->bytes, "System.gc()");
	jfr_checkpoint_end(c);
}

static void collection(struct jfr_chunk *c, const char *name, uint64_t cause,
		       uint64_t ticks, uint64_t used)
{
	jfr_event_begin(c, T_GC);
	jfr_put_varint(&c->bytes, 5000);
	jfr_put_varint(&c->bytes, ticks);
	jfr_put_varint(&c->bytes, THREAD_MAIN);
	jfr_put_varint(&c->bytes, 7);
	jfr_put_string(&c->bytes, name);
	jfr_put_varint(&c->bytes, cause);
	jfr_put_varint(&c->bytes, used);
	jfr_event_end(c);
}

static void timing(struct jfr_chunk *c, uint64_t time, uint64_t method,
		   uint64_t invocations, uint64_t average)
{
	jfr_event_begin(c, T_TIMING);
	jfr_put_varint(&c->bytes, time);
	jfr_put_varint(&c->bytes, method);
	jfr_put_varint(&c->bytes, invocations);
	jfr_put_varint(&c->bytes, average);
	jfr_event_end(c);
}

static struct profile *read_file(struct text *file, const char *wanted)
{
	struct profile *p = profile_new();
	struct error err;

	p->wants_tables = wanted;
	assert_int_equal(jfr_reader.read((const uint8_t *)file->bytes,
					 file->len, p, &err),
			 0);
	for (size_t i = 0; i < p->table_count; i++)
		event_table_sort(p->tables[i]);
	text_release(file);
	return p;
}

static void assert_prints(event_table_fn *print, const struct profile *p,
			  const char *name, const char *want)
{
	const struct event_table_options options = { .source = "a.jfr",
						     .rows = 2 };
	const struct event_table *t = event_table_find(p, name);
	struct text out = { 0 };

	assert_non_null(t);
	print(&out, p, t, &options);
	text_putc(&out, '\0');
	assert_string_equal(out.bytes, want);
	text_release(&out);
}

static void rows_are_by_name_and_cause_and_times_by_each_clock(void **state)
{
	struct text file = { 0 };
	struct jfr_chunk c;
	struct profile *p;

	(void)state;
	begin(&c, 1000000000);
	collection(&c, "Serial", 1, 3000000, 1024);
	collection(&c, "Serial", 1, 1000000, 2048);
	collection(&c, "Serial", 2, 7000000, 0);
	jfr_chunk_end(&c, &file);
	begin(&c, 2000000);
	collection(&c, "Serial", 1, 4000, 0);
	collection(&c, "Other", 9, 1000, 0);
	jfr_chunk_end(&c, &file);
	p = read_file(&file, "");
	assert_prints(event_table_csv, p, "jdk.GarbageCollection",
		      "name,cause,count,duration_sum_ns,duration_mean_ns,"
		      "duration_max_ns,used_mean_bytes,used_max_bytes\n"
		      "Serial,System.gc(),1,7000000,7000000,7000000,0,0\n"
		      "Serial,Allocation Failure,3,6000000,2000000,3000000,"
		      "1024,2048\n"
		      "Other,,1,500000,500000,500000,0,0\n");
	assert_prints(event_table_text, p, "GarbageCollection",
		      "jdk.GarbageCollection of a.jfr: 5 events\n\n"
		      "name    cause               events  duration sum  "
		      "duration mean  duration max  used mean  used max\n"
		      "Serial  System.gc()              1          7 ms  "
		      "         7 ms          7 ms        0 B       0 B\n"
		      "Serial  Allocation Failure       3          6 ms  "
		      "         2 ms          3 ms       1 KB      2 KB\n"
		      "1 more row: use -n\n");
	profile_free(p);
}

static void running_total_keeps_the_last_event(void **state)
{
	struct text file = { 0 };
	struct jfr_chunk c;
	struct profile *p;

	(void)state;
	begin(&c, 1000000000);
	timing(&c, 9000, 201, 30, 500);
	timing(&c, 8000, 201, 20, 400);
	/* Long.MIN_VALUE: too short for the clock. */
	timing(&c, 8000, 202, 5, UINT64_C(1) << 63);
	jfr_chunk_end(&c, &file);
	p = read_file(&file, "jdk.MethodTiming");
	assert_prints(event_table_json, p, "MethodTiming",
		      "{\"schema\":\"sjkc.table/1\",\"source\":\"a.jfr\","
		      "\"event\":\"jdk.MethodTiming\",\"events\":3,\"rows\":["
		      "{\"fields\":{\"method\":\"p.A.b\"},\"count\":2,"
		      "\"values\":{\"invocations\":{\"unit\":\"count\","
		      "\"last\":30},\"average\":{\"unit\":\"ns\","
		      "\"last\":500}}},"
		      "{\"fields\":{\"method\":\"p.C.d\"},\"count\":1,"
		      "\"values\":{\"invocations\":{\"unit\":\"count\","
		      "\"last\":5},\"average\":{\"unit\":\"ns\","
		      "\"last\":null}}}]}\n");
	profile_free(p);
}

static void only_requested_events_have_a_table(void **state)
{
	static const struct {
		const char *wanted;
		bool has;
	} reads[] = {
		{ NULL, false },
		{ "cpu", false },
		{ "Collection", false },
		{ "", true },
		{ "GarbageCollection", true },
		{ "jdk.GarbageCollection", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++) {
		struct text file = { 0 };
		struct jfr_chunk c;
		struct profile *p;

		begin(&c, 1000000000);
		collection(&c, "Serial", 1, 3, 0);
		jfr_chunk_end(&c, &file);
		p = read_file(&file, reads[i].wanted);
		assert_int_equal(event_table_find(p, "GarbageCollection") !=
					 NULL,
				 reads[i].has);
		profile_free(p);
	}
}

static void rows_beyond_the_most_are_one(void **state)
{
	struct profile *p = profile_new();
	struct event_table *t = event_table_of(p, "a.Event");
	const struct event_row *last;

	(void)state;
	event_table_add_text(t, "key");
	event_table_add_value(t, "duration", UNIT_NS);
	for (int i = 0; i < 2 * EVENT_TABLE_ROWS; i++) {
		int64_t value = 1;
		char key[32];
		uint32_t text;

		snprintf(key, sizeof(key), "key %d", i);
		text = profile_string(p, key, strlen(key));
		event_table_add(p, t, 1, &text, &value);
	}
	assert_int_equal(t->count, 2 * EVENT_TABLE_ROWS);
	assert_int_equal(t->row_count, EVENT_TABLE_ROWS);
	last = &t->rows[EVENT_TABLE_ROWS - 1];
	assert_string_equal(profile_text(p, last->texts[0]), "[others]");
	assert_int_equal(last->count, EVENT_TABLE_ROWS + 1);
	profile_free(p);
}

static void events_at_other_times_are_left_out(void **state)
{
	struct profile *p = profile_new();
	struct event_table *t = event_table_of(p, "a.Event");
	const uint32_t texts[EVENT_TABLE_TEXTS] = { 0 };
	const int64_t values[EVENT_TABLE_VALUES] = { 0 };

	(void)state;
	p->from_ns = 10;
	p->to_ns = 20;
	event_table_add(p, t, 9, texts, values);
	event_table_add(p, t, 10, texts, values);
	event_table_add(p, t, 20, texts, values);
	assert_int_equal(t->count, 1);
	profile_free(p);
}

static void long_text_is_cut_between_utf_8_characters(void **state)
{
	struct text file = { 0 }, name = { 0 };
	const struct event_table *t;
	struct jfr_chunk c;
	struct profile *p;
	size_t len;

	(void)state;
	text_putc(&name, 'x');
	for (size_t i = 0; i < 600; i++)
		text_puts(&name, "\xc3\xa9");
	begin(&c, 1000000000);
	collection(&c, name.bytes, 1, 3000000, 1024);
	jfr_chunk_end(&c, &file);
	p = read_file(&file, "");
	t = event_table_find(p, "GarbageCollection");
	assert_non_null(t);
	len = strlen(profile_text(p, t->rows[0].texts[0]));
	/* 1 byte, and 499 characters of 2 bytes each. */
	assert_int_equal(len, 999);
	text_release(&name);
	profile_free(p);
}

static void each_event_type_has_one_table(void **state)
{
	struct profile *p = profile_new();
	struct event_table *first = event_table_of(p, "a.B0");

	(void)state;
	for (size_t round = 0; round < 2; round++) {
		for (size_t i = 0; i < 500; i++) {
			char name[16];

			snprintf(name, sizeof(name), "a.B%zu", i);
			assert_string_equal(event_table_of(p, name)->name,
					    name);
		}
		assert_int_equal(p->table_count, 500);
	}
	assert_ptr_equal(event_table_of(p, "a.B0"), first);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			rows_are_by_name_and_cause_and_times_by_each_clock),
		cmocka_unit_test(running_total_keeps_the_last_event),
		cmocka_unit_test(only_requested_events_have_a_table),
		cmocka_unit_test(rows_beyond_the_most_are_one),
		cmocka_unit_test(events_at_other_times_are_left_out),
		cmocka_unit_test(long_text_is_cut_between_utf_8_characters),
		cmocka_unit_test(each_event_type_has_one_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
