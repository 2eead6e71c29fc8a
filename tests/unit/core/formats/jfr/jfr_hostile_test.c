/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests small JFR files that would take hours or much memory without limits.
 * The memory is measured in a separate process.
 */
#include "core/base/alloc.h"
#include "core/formats/reader.h"
#include "tests/unit/jfr_builder.h"
#include "tests/unit/sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAMPLE  "jdk.ExecutionSample"
#define MILLION ((size_t)1000000)

/*
 * Reads the file in a child process and returns the child's memory in MB, or 0
 * with sanitizers, which need memory themselves.
 */
static long cost_of(const struct text *file)
{
	struct rusage before, used;
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct jfr_result r = { .profile = profile_new() };

		getrusage(RUSAGE_SELF, &before);
		jfr_reader.read((const uint8_t *)file->bytes, file->len,
				r.profile, &r.err);
		getrusage(RUSAGE_SELF, &used);
		_exit((int)((used.ru_maxrss - before.ru_maxrss) / 1024 / 4));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
#ifdef __SANITIZE_ADDRESS__
	return 0;
#else
	return 4L * WEXITSTATUS(status);
#endif
}

/* Ends the chunk, and checks that reading it takes at most this many MB. */
static void check_cost(struct jfr_chunk *c, long most)
{
	struct text file = { 0 };
	long cost;

	jfr_chunk_end(c, &file);
	cost = cost_of(&file);
	print_message("%.1f MB cost %ld MB\n", (double)file.len / 1e6, cost);
	assert_in_range(cost, 0, most);
	text_release(&file);
}

/* Adds a pool of about a million bytes: many keys with the same value. */
static void put_large_pool(struct jfr_chunk *c, uint64_t type,
			   const char *value, size_t len)
{
	struct text pool = { 0 };
	uint64_t count = 0;

	while (pool.len < MILLION) {
		jfr_put_varint(&pool, count++);
		text_add(&pool, value, len);
	}
	jfr_pool_begin(c, type, count);
	text_add(&c->bytes, pool.bytes, pool.len);
	text_release(&pool);
}

static void pool_memory_is_bounded_by_its_bytes(void **state)
{
	static const struct {
		uint64_t type;
		const char *value;
		size_t len;
	} rows[] = {
		{ T_SYMBOL, "\x01", 1 },
		{ T_STRING, "\x02\x01", 2 },
		{ T_CLASS, "\0\x01\0\0", 4 },
		{ T_METHOD, "\x01\x01\0\0\0", 5 },
		{ T_THREAD, "\0\0\0\0\0", 5 },
		{ T_STATE, "\0", 1 },
		{ T_STACK_TRACE, "\0\0", 2 },
		{ T_STACK_TRACE, "\0\x01\x01\x01\x01\x01", 6 },
		{ T_LOADER, "\0\0", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct jfr_chunk c;

		jfr_usual_begin(&c);
		jfr_usual_pools(&c);
		jfr_checkpoint_begin(&c, 1);
		put_large_pool(&c, rows[i].type, rows[i].value, rows[i].len);
		jfr_checkpoint_end(&c);
		jfr_sample(&c, 5000, STACK_FLAT);
		check_cost(&c, 128);
	}
}

/* All frames differ in their method or line. */
static void frames_that_all_differ_cost_a_multiple_of_their_bytes(void **state)
{
	(void)state;
	for (unsigned by_line = 0; by_line < 2; by_line++) {
		struct jfr_chunk c;
		size_t count = MILLION / 6;

		jfr_usual_begin(&c);
		jfr_usual_pools(&c);
		jfr_checkpoint_begin(&c, 1);
		jfr_pool_begin(&c, T_STACK_TRACE, 1);
		text_add(&c.bytes, "\x32\0", 2);
		jfr_put_varint(&c.bytes, count);
		for (size_t i = 0; i < count; i++) {
			jfr_put_varint(&c.bytes, by_line ? 201 : i * 7);
			jfr_put_varint(&c.bytes, by_line ? i : 0);
			text_add(&c.bytes, "\0\x01", 2);
		}
		jfr_checkpoint_end(&c);
		jfr_sample(&c, 5000, 0x32);
		check_cost(&c, 128);
	}
}

static void samples_that_all_differ_cost_a_multiple_of_their_bytes(void **state)
{
	struct jfr_chunk c;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_checkpoint_begin(&c, 2);
	jfr_pool_begin(&c, T_THREAD, 1000);
	for (uint64_t i = 0; i < 1000; i++) {
		jfr_put_varint(&c.bytes, i);
		text_add(&c.bytes, "\0", 1);
		jfr_put_varint(&c.bytes, i);
		text_add(&c.bytes, "\0\0\0", 3);
	}
	jfr_pool_begin(&c, T_STACK_TRACE, 120);
	for (uint64_t i = 0; i < 120; i++) {
		jfr_put_varint(&c.bytes, i);
		text_add(&c.bytes, "\0\x01", 2);
		jfr_put_varint(&c.bytes, i);
		text_add(&c.bytes, "\0\0\0", 3);
	}
	jfr_checkpoint_end(&c);
	for (uint64_t i = 0; c.bytes.len < MILLION; i++) {
		jfr_event_begin(&c, T_SAMPLE);
		jfr_put_varint(&c.bytes, i * 10000);
		jfr_put_varint(&c.bytes, i % 1000);
		jfr_put_varint(&c.bytes, i % 120);
		jfr_put_varint(&c.bytes, 5);
		jfr_event_end(&c);
	}
	check_cost(&c, 128);
}

/*
 * Each class would copy the name of a megabyte: 20 ms for each kilobyte of the
 * file, without a limit.
 */
static void
classes_of_one_long_name_cost_a_limited_number_of_bytes(void **state)
{
	enum { CLASSES = 1000, FIRST = 1000, NAME = 900 };
	char *name = xmalloc(MILLION + 1);
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	memset(name, 'n', MILLION);
	name[MILLION] = '\0';
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_checkpoint_begin(&c, 2);
	jfr_pool_begin(&c, T_SYMBOL, 1);
	jfr_put_varint(&c.bytes, NAME);
	jfr_put_string(&c.bytes, name);
	jfr_pool_begin(&c, T_CLASS, CLASSES);
	for (uint64_t i = 0; i < CLASSES; i++) {
		jfr_put_varint(&c.bytes, FIRST + i);
		jfr_put_varint(&c.bytes, 0);
		jfr_put_varint(&c.bytes, NAME);
		text_add(&c.bytes, "\0\0", 2);
	}
	jfr_checkpoint_end(&c);
	for (uint64_t i = 0; i < CLASSES; i++) {
		jfr_event_begin(&c, T_ALLOC);
		jfr_put_varint(&c.bytes, 5000);
		jfr_put_varint(&c.bytes, THREAD_MAIN);
		jfr_put_varint(&c.bytes, STACK_FLAT);
		jfr_put_varint(&c.bytes, FIRST + i);
		jfr_put_varint(&c.bytes, 16);
		jfr_event_end(&c);
	}
	r = jfr_read_chunk(&c);
	assert_int_equal(r.status, 0);
	assert_in_range(jfr_lost(r.profile, "long names skipped"),
			CLASSES - 300, CLASSES - 200);
	jfr_forget(&r);
	free(name);
}

/* ---- metadata ---- */

/* Begins metadata of one class, whose children follow. */
static void begin_metadata(struct jfr_chunk *c, const char *parent)
{
	jfr_event_begin(c, 0);
	c->header.metadata = c->event;
	text_add(&c->bytes, "\x01\x00\x01", 3);
	jfr_put_varint(&c->bytes, 5);
	jfr_put_string(&c->bytes, "root");
	jfr_put_string(&c->bytes, parent);
	jfr_put_string(&c->bytes, "class");
	jfr_put_string(&c->bytes, "field");
	jfr_put_string(&c->bytes, "id");
	text_add(&c->bytes, "\x00\x00\x01\x01\x00", 5);
}

/* Adds a number of empty elements with this name. */
static void put_elements(struct jfr_chunk *c, char name, size_t count)
{
	jfr_put_varint(&c->bytes, count);
	for (size_t i = 0; i < count; i++) {
		text_putc(&c->bytes, name);
		text_add(&c->bytes, "\0\0", 2);
	}
}

static void ten_million_types_are_rejected(void **state)
{
	struct text file = { 0 };
	struct jfr_chunk c;
	struct jfr_result r;
	long cost;

	(void)state;
	jfr_chunk_begin(&c);
	begin_metadata(&c, "metadata");
	put_elements(&c, 2, 10 * MILLION);
	jfr_event_end(&c);
	jfr_usual_pools(&c);
	jfr_chunk_end(&c, &file);
	cost = cost_of(&file);
	print_message("%.1f MB cost %ld MB\n", (double)file.len / 1e6, cost);
	assert_in_range(cost, 0, 200);
	r = jfr_read_file(&file);
	assert_int_equal(r.status, -1);
	assert_string_equal(r.err.text, "metadata with too many types");
	jfr_forget(&r);
}

static void metadata_cost_a_multiple_of_their_bytes(void **state)
{
	struct jfr_chunk c;

	(void)state;
	jfr_chunk_begin(&c);
	begin_metadata(&c, "metadata");
	put_elements(&c, 2, 80000);
	jfr_event_end(&c);
	jfr_usual_pools(&c);
	jfr_sample(&c, 5000, 1);
	check_cost(&c, 128);
	jfr_chunk_begin(&c);
	begin_metadata(&c, "class");
	put_elements(&c, 3, 330000);
	jfr_event_end(&c);
	jfr_usual_pools(&c);
	jfr_sample(&c, 5000, 1);
	check_cost(&c, 128);
}

/* ---- time ---- */

/* Each type has ten fields of the next type: 10^12 values in a field. */
static void put_nested_types(struct jfr_chunk *c, const char *event_field)
{
	enum { DEPTH = 12 };
	struct jfr_type_spec *types = jfr_own_types(DEPTH + 1);
	size_t count = jfr_usual_type_count;
	size_t last = 0;

	while (types[count - 1].fields[last].name)
		last++;
	types[count] = types[0];
	types[count].id = 900;
	types[count].name = "app.E";
	for (size_t i = 3; i > 0; i--)
		types[count].fields[i + 1] = types[count].fields[i];
	types[count].fields[1] = (struct jfr_field_spec){ event_field, 1000,
							  NULL, NULL };
	for (uint64_t i = 0; i < DEPTH; i++) {
		struct jfr_type_spec *t = &types[count + 1 + i];

		t->id = 1000 + i;
		t->name = "app.Nested";
		for (size_t f = 0; f < 8; f++)
			t->fields[f] = (struct jfr_field_spec){
				"f", i + 1 < DEPTH ? 1001 + i : T_INT, NULL,
				NULL
			};
	}
	jfr_metadata(c, types, count + 1 + DEPTH);
	free(types);
}

/* Event types are found through a table, not by a search through all. */
static void each_of_many_event_types_is_counted(void **state)
{
	enum { CHUNKS = 2, TYPES = IS_SANITIZED ? 10000 : 50000, NAME = 16 };
	struct jfr_type_spec *types = jfr_own_types(TYPES);
	struct jfr_type_spec *sample = jfr_type_of(types, SAMPLE);
	char *names = xmalloc((size_t)TYPES * NAME);
	struct text file = { 0 };
	struct jfr_result r;
	struct jfr_chunk c;

	(void)state;
	for (uint64_t chunk = 0; chunk < CHUNKS; chunk++) {
		jfr_chunk_begin(&c);
		for (uint64_t i = 0; i < TYPES; i++) {
			struct jfr_type_spec
				*t = &types[jfr_usual_type_count + i];

			*t = *sample;
			t->id = 1000 + i;
			t->name = names + i * NAME;
			snprintf(names + i * NAME, NAME, "app.E%u",
				 (unsigned)(chunk * TYPES + i));
		}
		jfr_metadata(&c, types, jfr_usual_type_count + TYPES);
		jfr_usual_pools(&c);
		for (uint64_t i = 0; i < TYPES; i++) {
			jfr_event_begin(&c, 1000 + i);
			jfr_put_varint(&c.bytes, 5000);
			jfr_put_varint(&c.bytes, THREAD_MAIN);
			jfr_put_varint(&c.bytes, STACK_FLAT);
			jfr_put_varint(&c.bytes, STATE_KEY);
			jfr_event_end(&c);
		}
		jfr_chunk_end(&c, &file);
	}
	r = jfr_read_file(&file);
	assert_int_equal(r.status, 0);
	assert_int_equal(r.profile->event_count, CHUNKS * TYPES);
	assert_int_equal(r.profile->event_ids.count, CHUNKS * TYPES);
	assert_int_equal(jfr_samples_of(r.profile, "app.E19999"), 1);
	jfr_forget(&r);
	free(types);
	free(names);
}

static void types_within_types_do_not_multiply(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_chunk_begin(&c);
	put_nested_types(&c, "nested");
	jfr_usual_pools(&c);
	/*
	 * Two pools of such values, to detect memory that the first has leaked.
	 */
	for (size_t i = 0; i < 2; i++) {
		jfr_checkpoint_begin(&c, 1);
		jfr_pool_begin(&c, 1000, 1);
		text_puts(&c.bytes, "anything at all");
		jfr_checkpoint_end(&c);
	}
	jfr_event_begin(&c, 900);
	text_puts(&c.bytes, "anything");
	jfr_event_end(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
	assert_int_equal(jfr_lost(r.profile, "damaged constant pools"), 2);
	assert_int_equal(
		jfr_lost(r.profile, "event types with an unsupported layout"),
		1);
	jfr_forget(&r);
}

/*
 * Nested checkpoints, each in a string of the one before: following the chain
 * through all of them would be quadratic.
 */
static void chain_through_nested_checkpoints_is_not_followed(void **state)
{
	enum { COUNT = 20000, STEP = 32 };
	struct text file = { 0 };
	struct jfr_chunk c;
	struct jfr_result r;
	size_t first, end;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	first = c.bytes.len;
	end = first + (size_t)COUNT * STEP;
	for (size_t i = 0; i < COUNT; i++) {
		size_t at;

		/* key and head of the string of 29 bytes that holds this: */
		text_add(&c.bytes, i ? "\x07\x05\x1d" : "", i ? 3 : 0);
		at = c.bytes.len;
		jfr_put_padded(&c.bytes, end - at, 4);
		text_add(&c.bytes, "\x01\x00\x00", 3);
		jfr_put_padded(&c.bytes, i ? (uint64_t)-STEP : 0, 9);
		text_add(&c.bytes, "\x01\x01", 2);
		jfr_put_varint(&c.bytes, T_STRING);
		jfr_put_padded(&c.bytes, COUNT - i - 1, 4);
		c.header.checkpoint = at;
		while (c.bytes.len < first + (i + 1) * STEP - (i ? 0 : 3))
			text_putc(&c.bytes, 0);
	}
	while (c.bytes.len < end)
		text_putc(&c.bytes, 0);
	jfr_chunk_end(&c, &file);
	r = jfr_read_file(&file);
	jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
	assert_int_equal(jfr_lost(r.profile, "broken chains of constant pools"),
			 1);
	jfr_forget(&r);
}

/* An event type with a number of longs and a stack trace. */
static void put_long_type(struct jfr_chunk *c, size_t longs)
{
	static const char *const strings[] = {
		"root",
		"class",
		"field",
		"id",
		"name",
		"class",
		"superType",
		"constantPool",
		"long",
		"app.E",
		"500",
		"jdk.jfr.Event",
		"jdk.types.StackTrace",
		"600",
	};
	struct text *t = &c->bytes;

	jfr_event_begin(c, 0);
	c->header.metadata = c->event;
	text_add(t, "\x01\x00\x01", 3);
	jfr_put_varint(t, sizeof(strings) / sizeof(*strings));
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		jfr_put_string(t, strings[i]);
	text_add(t, "\0\0\x03", 3);           /* root of three classes */
	text_add(t, "\x01\x01\x04\x08\0", 5); /* long: its id is 0 */
	text_add(t, "\x01\x02\x03\x0d\x04\x0c\0", 7);       /* StackTrace */
	text_add(t, "\x01\x03\x03\x0a\x04\x09\x06\x0b", 8); /* app.E */
	jfr_put_varint(t, longs + 1);
	for (size_t i = 0; i < longs; i++)
		text_add(t, "\x02\0\0", 3);
	text_add(t, "\x02\x03\x05\x0d\x07\x0a\x04\x09\0",
		 9); /* class 600, pool */
	jfr_event_end(c);
}

/* An event of three bytes would cost 200,000 steps. */
static void short_events_of_a_long_type_cost_their_bytes(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_chunk_begin(&c);
	put_long_type(&c, 200000);
	jfr_checkpoint_begin(&c, 0);
	jfr_checkpoint_end(&c);
	for (size_t i = 0; i < 200000; i++)
		text_add(&c.bytes, "\x04\xf4\x03\x01", 4); /* of type 500 */
	r = jfr_read_chunk(&c);
	assert_int_equal(r.status, -1);
	assert_int_equal(jfr_lost(r.profile, "damaged events"), 200000);
	jfr_forget(&r);
}

/* After a large chunk, each small one must not pay for its tables. */
static void small_chunks_after_a_large_one_stay_small(void **state)
{
	struct text file = { 0 };
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_checkpoint_begin(&c, 2);
	put_large_pool(&c, T_SYMBOL, "\x01", 1);
	put_large_pool(&c, T_STACK_TRACE, "\0\0", 2);
	jfr_checkpoint_end(&c);
	jfr_chunk_end(&c, &file);
	for (size_t i = 0; i < 3000; i++)
		jfr_usual_chunk(&file, 2);
	r = jfr_read_file(&file);
	assert_int_equal(jfr_samples_of(r.profile, SAMPLE), 6000);
	jfr_forget(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pool_memory_is_bounded_by_its_bytes),
		cmocka_unit_test(
			frames_that_all_differ_cost_a_multiple_of_their_bytes),
		cmocka_unit_test(
			samples_that_all_differ_cost_a_multiple_of_their_bytes),
		cmocka_unit_test(
			classes_of_one_long_name_cost_a_limited_number_of_bytes),
		cmocka_unit_test(ten_million_types_are_rejected),
		cmocka_unit_test(metadata_cost_a_multiple_of_their_bytes),
		cmocka_unit_test(each_of_many_event_types_is_counted),
		cmocka_unit_test(types_within_types_do_not_multiply),
		cmocka_unit_test(
			chain_through_nested_checkpoints_is_not_followed),
		cmocka_unit_test(short_events_of_a_long_type_cost_their_bytes),
		cmocka_unit_test(small_chunks_after_a_large_one_stay_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
