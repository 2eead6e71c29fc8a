/* SPDX-License-Identifier: Apache-2.0 */
/* Tests rare contents of constant pools, in constructed chunks. */
#include "tests/unit/jfr_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define SAMPLE "jdk.ExecutionSample"

static void put_thread(struct jfr_chunk *c, uint64_t key, const char *os_name,
		       const char *java_name, bool is_virtual)
{
	jfr_put_varint(&c->bytes, key);
	jfr_put_string(&c->bytes, os_name);
	jfr_put_varint(&c->bytes, 0);
	if (java_name)
		jfr_put_string(&c->bytes, java_name);
	else
		text_putc(&c->bytes, 0);
	jfr_put_varint(&c->bytes, 77);
	text_putc(&c->bytes, is_virtual);
}

static void threads_are_called_as_java_calls_them(void **state)
{
	static const struct {
		const char *os_name, *java_name;
		bool is_virtual;
		const char *want;
	} threads[] = {
		{ "os", "java", false, "java" },
		{ "VM Thread", NULL, false, "VM Thread" },
		{ "", "", true, "virtual-77" },
		{ "", "named", true, "named" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		struct jfr_chunk c;
		struct jfr_result r;
		const struct thread *t;

		jfr_usual_begin(&c);
		jfr_usual_pools(&c);
		/* The newest checkpoint wins: threads are renamed. */
		jfr_checkpoint_begin(&c, 1);
		jfr_pool_begin(&c, T_THREAD, 1);
		put_thread(&c, THREAD_MAIN, threads[i].os_name,
			   threads[i].java_name, threads[i].is_virtual);
		jfr_checkpoint_end(&c);
		jfr_sample(&c, 5000, STACK_FLAT);
		r = jfr_read_chunk(&c);
		jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
		t = &r.profile->threads[r.profile->cells[0].thread];
		assert_string_equal(profile_text(r.profile, t->name),
				    threads[i].want);
		assert_int_equal(t->is_virtual, threads[i].is_virtual);
		jfr_forget(&r);
	}
}

/* Adds a stack trace of one frame, of method 201, with that key. */
static void put_stack_key(struct jfr_chunk *c, uint64_t key, uint64_t type)
{
	jfr_checkpoint_begin(c, 1);
	jfr_pool_begin(c, T_STACK_TRACE, 1);
	jfr_put_varint(&c->bytes, key);
	text_putc(&c->bytes, 0);
	jfr_put_varint(&c->bytes, 1);
	jfr_put_varint(&c->bytes, 201);
	jfr_put_varint(&c->bytes, UINT32_MAX); /* line -1, as C++ writes it */
	jfr_put_varint(&c->bytes, 0);
	jfr_put_varint(&c->bytes, type);
	jfr_checkpoint_end(c);
}

static void keys_may_be_negative_or_beyond_32_bits(void **state)
{
	static const uint64_t keys[] = { UINT64_MAX, (uint64_t)1 << 63,
					 ((uint64_t)1 << 32) | STACK_FLAT,
					 0x00ffffffffffffff };

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct jfr_chunk c;
		struct jfr_result r;

		jfr_usual_begin(&c);
		jfr_usual_pools(&c);
		put_stack_key(&c, keys[i], 0);
		jfr_sample(&c, 5000, keys[i]);
		jfr_sample(&c, 5000, STACK_FLAT);
		r = jfr_read_chunk(&c);
		jfr_check_stacks(&r, SAMPLE, "p.A.b 1\np.C.d 1\n");
		jfr_forget(&r);
	}
}

/*
 * HotSpot pads the sizes of all events, async-profiler those of large ones to 5
 * bytes.
 */
static void padded_varints_are_read(void **state)
{
	(void)state;
	for (unsigned width = 1; width <= 9; width++) {
		struct jfr_chunk c;
		struct jfr_result r;
		struct text payload = { 0 };

		jfr_usual_begin(&c);
		jfr_usual_pools(&c);
		jfr_put_padded(&payload, T_SAMPLE, width < 2 ? 1 : width);
		jfr_put_padded(&payload, 5000, width < 2 ? 2 : width);
		jfr_put_padded(&payload, THREAD_MAIN, width);
		jfr_put_padded(&payload, STACK_FLAT, width);
		jfr_put_padded(&payload, STATE_KEY, width);
		jfr_put_padded(&c.bytes, payload.len + width, width);
		text_add(&c.bytes, payload.bytes, payload.len);
		text_release(&payload);
		r = jfr_read_chunk(&c);
		jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
		assert_int_equal(r.profile->earliest_ns,
				 INT64_C(1700000000000000000));
		jfr_forget(&r);
	}
}

static void empty_pool_of_an_unknown_type_is_skipped(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_checkpoint_begin(&c, 4);
	jfr_pool_begin(&c, T_STRING, 0);
	jfr_pool_begin(&c, 9999, 0);
	jfr_pool_begin(&c, T_STACK_TRACE, 0);
	jfr_pool_begin(&c, T_THREAD, 1);
	put_thread(&c, THREAD_MAIN, "", "last", false);
	jfr_checkpoint_end(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
	assert_int_equal(r.profile->remark_count, 0);
	assert_string_equal(profile_text(r.profile, r.profile->threads[1].name),
			    "last");
	jfr_forget(&r);
}

static void pool_of_an_unknown_type_damages_its_checkpoint(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_checkpoint_begin(&c, 1);
	jfr_pool_begin(&c, 9999, 1);
	text_puts(&c.bytes, "what");
	jfr_checkpoint_end(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
	assert_int_equal(jfr_lost(r.profile, "damaged constant pools"), 1);
	jfr_forget(&r);
}

static void pools_that_nobody_asked_for_are_passed_over(void **state)
{
	struct jfr_type_spec *types = jfr_own_types(2);
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	types[jfr_usual_type_count] = (struct jfr_type_spec){
		600,
		"app.Inner",
		NULL,
		{ { "f", T_FLOAT, "array", NULL },
		  { "s", T_STRING, "array", NULL },
		  { "c", T_CHAR, NULL, NULL } }
	};
	types[jfr_usual_type_count + 1] = (struct jfr_type_spec){
		601,
		"app.Outer",
		NULL,
		{ { "one", 600, NULL, NULL },
		  { "many", 600, "array", NULL },
		  { "keys", 600, "pool array", NULL } }
	};
	jfr_chunk_begin(&c);
	jfr_metadata(&c, types, jfr_usual_type_count + 2);
	jfr_usual_pools(&c);
	jfr_checkpoint_begin(&c, 2);
	jfr_pool_begin(&c, 601, 1);
	/* key; f of 1, s of 1, c; many of 2, each empty; keys of 2 */
	text_add(&c.bytes,
		 "\x01\x01"
		 "ABCD"
		 "\x01\x03\x01"
		 "x"
		 "\x41\x02"
		 "\0\0\x41\0\0\x41\x02\x07\x08",
		 21);
	jfr_pool_begin(&c, T_THREAD, 1);
	put_thread(&c, THREAD_MAIN, "", "behind", false);
	jfr_checkpoint_end(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
	assert_int_equal(r.profile->remark_count, 0);
	assert_string_equal(profile_text(r.profile, r.profile->threads[1].name),
			    "behind");
	jfr_forget(&r);
	free(types);
}

static void put_kinds(struct jfr_chunk *c, const char *const *kinds)
{
	jfr_checkpoint_begin(c, 1);
	jfr_pool_begin(c, T_FRAME_TYPE, 4);
	for (size_t i = 0; i < 4; i++) {
		jfr_put_varint(&c->bytes, i);
		jfr_put_string(&c->bytes, kinds[i]);
	}
	jfr_checkpoint_end(c);
}

/*
 * The JDK and async-profiler use different numbers for frame types, and jfrsync
 * has both in one file.  The class of async-profiler's C functions is their
 * library.
 */
static void frame_types_are_recognized_by_their_text(void **state)
{
	static const char *const jdk[] = { "Interpreted", "JIT compiled",
					   "Inlined", "Native" };
	static const char *const agent[] = { "Kernel", "C++", "C1 compiled",
					     "Native" };
	static const char *const unknown[] = { "a", "b", "c", "d" };
	static const struct {
		const char *const *texts;
		enum frame_kind kinds[4];
		bool has_class[4];
	} rows[] = {
		{ jdk,
		  { FRAME_INTERPRETED, FRAME_JIT, FRAME_INLINED, FRAME_NATIVE },
		  { true, true, true, true } },
		{ agent,
		  { FRAME_KERNEL, FRAME_CPP, FRAME_C1, FRAME_NATIVE },
		  { false, false, true, false } },
		{ unknown,
		  { FRAME_JAVA, FRAME_JAVA, FRAME_JAVA, FRAME_JAVA },
		  { true, true, true, true } },
	};
	struct text file = { 0 };
	struct jfr_result r;

	(void)state;
	for (size_t row = 0; row < 3; row++) {
		struct jfr_chunk c;

		jfr_usual_begin(&c);
		jfr_usual_pools(&c);
		put_kinds(&c, rows[row].texts);
		for (uint64_t i = 0; i < 4; i++) {
			put_stack_key(&c, 1000 + i, i);
			jfr_sample(&c, 5000 + row, 1000 + i);
		}
		jfr_chunk_end(&c, &file);
	}
	r = jfr_read_file(&file);
	assert_int_equal(r.status, 0);
	/*
	 * Frames are created when a stack trace is first used, chunk by chunk.
	 */
	for (size_t i = 0; i < 12; i++) {
		enum frame_kind kind = rows[i / 4].kinds[i % 4];
		bool has_class = rows[i / 4].has_class[i % 4];
		bool found = false;

		for (size_t f = 1; f < r.profile->frame_count; f++) {
			const struct frame *frame = &r.profile->frames[f];

			found |= frame->kind == kind &&
				 (frame->class_name != 0) == has_class;
		}
		if (!found)
			fail_msg("row %zu kind %zu", i / 4, i % 4);
	}
	jfr_forget(&r);
}

/* Strings in all encodings, as names of the method's class. */
static void strings_in_pools_may_have_any_encoding(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *want;
	} rows[] = {
		{ "\x00", 1, "b 1\n" },
		{ "\x01", 1, "b 1\n" },
		{ "\x02\x2a", 2, "pooled.b 1\n" },
		{ "\x02\x7f", 2, "b 1\n" }, /* a missing key */
		{ "\x02\x2b", 2,
		  "b 1\n" }, /* a pooled string that refers to itself */
		{ "\x03\x04"
		  "x/\xc3\xa4",
		  6, "x.\xc3\xa4.b 1\n" },
		{ "\x04\x03"
		  "x\xe4\x01\xac\x41",
		  7, "x\xc3\xa4\xe2\x82\xac.b 1\n" },
		{ "\x05\x02"
		  "x\xe4",
		  4, "x\xc3\xa4.b 1\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct jfr_chunk c;
		struct jfr_result r;

		jfr_usual_begin(&c);
		jfr_usual_pools(&c);
		jfr_checkpoint_begin(&c, 2);
		jfr_pool_begin(&c, T_SYMBOL, 1);
		jfr_put_varint(&c.bytes, 101);
		text_add(&c.bytes, rows[i].bytes, rows[i].len);
		jfr_pool_begin(&c, T_STRING, 2);
		jfr_put_varint(&c.bytes, 42);
		jfr_put_bytes(&c.bytes, 5, "pooled", 6);
		jfr_put_varint(&c.bytes, 43);
		text_add(&c.bytes, "\x02\x2b", 2);
		jfr_checkpoint_end(&c);
		put_stack_key(&c, 50, 0);
		jfr_sample(&c, 5000, 50);
		r = jfr_read_chunk(&c);
		jfr_check_stacks(&r, SAMPLE, rows[i].want);
		assert_int_equal(r.profile->remark_count, 0);
		jfr_forget(&r);
	}
}

/* A lambda is the same frame in each run. */
static void hidden_classes_lose_what_names_them_in_one_run(void **state)
{
	static const char *const names[][2] = {
		{ "Busy$$Lambda$89+0x00007fde60007c28/360062456",
		  "Busy$$Lambda.b 1\n" },
		{ "Busy$$Lambda/0x000000001b045c38", "Busy$$Lambda.b 1\n" },
		{ "java/lang/invoke/LambdaForm$MH/0x00000008000c1400",
		  "java.lang.invoke.LambdaForm$MH.b 1\n" },
		{ "jdk/internal/reflect/GeneratedMethodAccessor12",
		  "jdk.internal.reflect.GeneratedMethodAccessor.b 1\n" },
		{ "[Ljava/lang/String;", "[Ljava.lang.String;.b 1\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct jfr_chunk c;
		struct jfr_result r;

		jfr_usual_begin(&c);
		jfr_usual_pools(&c);
		jfr_checkpoint_begin(&c, 1);
		jfr_pool_begin(&c, T_SYMBOL, 1);
		jfr_put_varint(&c.bytes, 101);
		jfr_put_string(&c.bytes, names[i][0]);
		jfr_checkpoint_end(&c);
		put_stack_key(&c, 50, 0);
		jfr_sample(&c, 5000, 50);
		r = jfr_read_chunk(&c);
		jfr_check_stacks(&r, SAMPLE, names[i][1]);
		jfr_forget(&r);
	}
}

static void truncated_stack_trace_is_marked_at_its_root(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_checkpoint_begin(&c, 1);
	jfr_pool_begin(&c, T_STACK_TRACE, 2);
	text_add(&c.bytes, "\x32\x01\x01\xc9\x01\x01\x01\x00", 8);
	text_add(&c.bytes, "\x33\x01\x00", 3); /* no frame at all */
	jfr_checkpoint_end(&c);
	jfr_sample(&c, 5000, 0x32);
	jfr_sample(&c, 5000, 0x33);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "- 1\n[truncated];p.A.b 1\n");
	jfr_forget(&r);
}

/*
 * With an unknown field between the known ones, generic code reads the frames.
 */
static void frames_with_more_fields_are_read(void **state)
{
	struct jfr_type_spec *types = jfr_own_types(0);
	struct jfr_type_spec *frame = jfr_type_of(types,
						  "jdk.types.StackFrame");
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	frame->fields[4] = frame->fields[3];
	frame->fields[3] = (struct jfr_field_spec){ "note", T_STRING, NULL,
						    NULL };
	jfr_chunk_begin(&c);
	jfr_metadata(&c, types, jfr_usual_type_count);
	jfr_usual_pools(&c); /* whose stack traces now lack a field */
	jfr_checkpoint_begin(&c, 1);
	jfr_pool_begin(&c, T_STACK_TRACE, 1);
	text_add(&c.bytes,
		 "\x32\x00\x02\xca\x01\x01\x01\x03\x01z\x00"
		 "\xc9\x01\x02\x02\x01\x01",
		 17);
	jfr_checkpoint_end(&c);
	jfr_sample(&c, 5000, 0x32);
	r = jfr_read_chunk(&c);
	assert_int_equal(r.status, 0);
	/*
	 * The usual pools are damaged from the first on, so no names are left.
	 */
	jfr_check_stacks(&r, SAMPLE, "[unknown];[unknown] 1\n");
	assert_int_equal(jfr_lost(r.profile, "damaged constant pools"), 1);
	jfr_forget(&r);
	free(types);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_called_as_java_calls_them),
		cmocka_unit_test(keys_may_be_negative_or_beyond_32_bits),
		cmocka_unit_test(padded_varints_are_read),
		cmocka_unit_test(empty_pool_of_an_unknown_type_is_skipped),
		cmocka_unit_test(
			pool_of_an_unknown_type_damages_its_checkpoint),
		cmocka_unit_test(pools_that_nobody_asked_for_are_passed_over),
		cmocka_unit_test(frame_types_are_recognized_by_their_text),
		cmocka_unit_test(strings_in_pools_may_have_any_encoding),
		cmocka_unit_test(
			hidden_classes_lose_what_names_them_in_one_run),
		cmocka_unit_test(truncated_stack_trace_is_marked_at_its_root),
		cmocka_unit_test(frames_with_more_fields_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
