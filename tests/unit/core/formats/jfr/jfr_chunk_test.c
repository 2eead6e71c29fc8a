/* SPDX-License-Identifier: Apache-2.0 */
/* Finding types and events despite wrong offsets and sizes. */
#include "tests/unit/jfr_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define SAMPLE "jdk.ExecutionSample"

/* Removes len bytes from the file. */
static void cut_out(struct text *file, size_t at, size_t len)
{
	memmove(file->bytes + at, file->bytes + at + len, file->len - at - len);
	file->len -= len;
}

static void types_are_found_behind_bytes_that_are_missing(void **state)
{
	(void)state;
	for (size_t len = 1; len <= 12; len++) {
		struct text file = { 0 };
		struct jfr_chunk c;
		struct jfr_result r;
		size_t at;

		jfr_chunk_begin(&c);
		jfr_sample(&c, 5000, STACK_FLAT);
		at = c.bytes.len + 2;
		for (size_t i = 0; i < 6; i++)
			jfr_sample(&c, 5000, STACK_FLAT);
		jfr_usual_pools(&c);
		jfr_metadata(&c, jfr_usual_types, jfr_usual_type_count);
		jfr_chunk_end(&c, &file);
		cut_out(&file, at, len);
		r = jfr_read_file(&file);
		assert_int_equal(r.status, 0);
		assert_in_range(jfr_samples_of(r.profile, SAMPLE), 5, 6);
		assert_int_equal(jfr_noted(r.profile, "stack traces that the "
						      "recording lacks"),
				 0);
		assert_true(profile_is_partial(r.profile));
		jfr_forget(&r);
	}
}

static void types_before_damage_in_their_midst_are_used(void **state)
{
	struct text file = { 0 };
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	/* The last element is the region; its string index is invalid. */
	c.bytes.bytes[c.bytes.len - 5] = (char)0xff;
	c.bytes.bytes[c.bytes.len - 4] = (char)0xff;
	jfr_usual_pools(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	jfr_chunk_end(&c, &file);
	r = jfr_read_file(&file);
	assert_int_equal(r.status, 0);
	assert_int_equal(jfr_samples_of(r.profile, SAMPLE), 1);
	assert_int_equal(jfr_lost(r.profile, "damaged metadata"), 1);
	jfr_forget(&r);
}

/* JDK 8 and 11 write a chunk's types when they finish it. */
static void types_of_the_previous_chunk_serve_a_killed_jvm(void **state)
{
	struct text file = { 0 };
	struct jfr_chunk c;
	struct jfr_result r;
	size_t second;

	(void)state;
	jfr_usual_chunk(&file, 2);
	second = file.len;
	jfr_chunk_begin(&c);
	c.header.start_ticks += 1000000;
	c.header.start_ns += 1000000;
	jfr_sample(&c, 1006000, STACK_FLAT);
	jfr_usual_pools(&c);
	jfr_chunk_end(&c, &file);
	memset(file.bytes + second + 8, 0, 24); /* size and offsets */
	r = jfr_read_file(&file);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 1\np.C.d 2\n");
	assert_int_equal(jfr_lost(r.profile, "unfinished chunks"), 1);
	jfr_forget(&r);
}

/* The second chunk is of another JVM: its clock and ids differ. */
static void types_of_another_jvm_are_not_used(void **state)
{
	struct text file = { 0 };
	struct jfr_chunk c;
	struct jfr_result r;
	size_t second;

	(void)state;
	jfr_usual_chunk(&file, 2);
	second = file.len;
	jfr_chunk_begin(&c);
	c.header.ticks_per_second = 1234567;
	c.header.start_ticks += 1000000;
	c.header.start_ns += 1000000;
	jfr_sample(&c, 1006000, STACK_FLAT);
	jfr_chunk_end(&c, &file);
	memset(file.bytes + second + 8, 0, 24);
	r = jfr_read_file(&file);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 1\np.C.d 1\n");
	assert_int_equal(jfr_lost(r.profile, "unreadable chunks"), 1);
	jfr_forget(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_are_found_behind_bytes_that_are_missing),
		cmocka_unit_test(types_before_damage_in_their_midst_are_used),
		cmocka_unit_test(
			types_of_the_previous_chunk_serve_a_killed_jvm),
		cmocka_unit_test(types_of_another_jvm_are_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
