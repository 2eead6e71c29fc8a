/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void integers_are_big_endian(void **state)
{
	static const uint8_t bytes[] = { 1, 2,  3,  4,  5,  6,  7, 8,
					 9, 10, 11, 12, 13, 14, 15 };
	struct cursor c = cursor_over(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(cursor_u8(&c), 0x01);
	assert_int_equal(cursor_u16(&c), 0x0203);
	assert_int_equal(cursor_u32(&c), 0x04050607);
	assert_true(cursor_u64(&c) == 0x08090a0b0c0d0e0fu);
	assert_int_equal(cursor_left(&c), 0);
	assert_int_equal(cursor_offset(&c), 15);
	assert_true(cursor_ok(&c));
}

static void read_beyond_the_end_fails_all_later_reads(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3 };
	struct cursor c = cursor_over(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(cursor_u32(&c), 0);
	assert_false(cursor_ok(&c));
	/* Bytes were left, but after a failure none is read. */
	assert_int_equal(cursor_u8(&c), 0);
	assert_int_equal(cursor_u16(&c), 0);
	assert_true(cursor_u64(&c) == 0);
	assert_true(cursor_varint(&c) == 0);
	assert_null(cursor_bytes(&c, 1));
	assert_int_equal(cursor_left(&c), 0);
	assert_false(cursor_ok(&c));
}

static void cursor_over_no_bytes_fails_each_read(void **state)
{
	struct cursor c = cursor_over(NULL, 0);

	(void)state;
	assert_int_equal(cursor_left(&c), 0);
	assert_true(cursor_ok(&c));
	assert_int_equal(cursor_u8(&c), 0);
	assert_false(cursor_ok(&c));
}

static void bytes_are_borrowed_and_may_be_none(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3 };
	struct cursor c = cursor_over(bytes, sizeof(bytes));

	(void)state;
	assert_ptr_equal(cursor_bytes(&c, 2), bytes);
	assert_ptr_equal(cursor_bytes(&c, 0), bytes + 2);
	assert_null(cursor_bytes(&c, UINT64_MAX));
	assert_false(cursor_ok(&c));
}

static uint64_t varint(const void *bytes, size_t len, size_t *used)
{
	/* At the end of memory, and with more bytes behind: two code paths. */
	uint8_t padded[32] = { 0 };
	uint8_t *exact = memcpy(malloc(len), bytes, len);
	struct cursor near_end = cursor_over(exact, len);
	struct cursor far = cursor_over(padded, sizeof(padded));
	uint64_t value = cursor_varint(&near_end);
	uint64_t other;

	memcpy(padded, bytes, len);
	other = cursor_varint(&far);
	assert_true(cursor_ok(&near_end));
	assert_true(value == other);
	assert_int_equal(cursor_offset(&near_end), cursor_offset(&far));
	*used = cursor_offset(&near_end);
	free(exact);
	return value;
}

static void varints_have_up_to_nine_bytes(void **state)
{
	static const uint8_t all[] = { 0xff, 0xff, 0xff, 0xff, 0xff,
				       0xff, 0xff, 0xff, 0xff };
	static const uint8_t top[] = { 0x80, 0x80, 0x80, 0x80, 0x80,
				       0x80, 0x80, 0x80, 0x80 };
	uint8_t bytes[9];
	size_t used;

	(void)state;
	/* The ninth byte has eight bits: 8 * 7 + 8 are 64. */
	assert_true(varint(all, 9, &used) == UINT64_MAX);
	assert_int_equal(used, 9);
	assert_true(varint(top, 9, &used) == (uint64_t)0x80 << 56);
	for (size_t len = 1; len <= 8; len++) {
		memset(bytes, 0xff, len);
		bytes[len - 1] = 0x7f;
		assert_true(varint(bytes, len, &used) ==
			    ((uint64_t)1 << 7 * len) - 1);
		assert_int_equal(used, len);
		/* Padded, as JFR writes sizes. */
		memset(bytes, 0x80, len);
		bytes[0] = 0x81 & (len == 1 ? 0x7f : 0xff);
		bytes[len - 1] &= 0x7f;
		assert_true(varint(bytes, len, &used) == 1);
		assert_int_equal(used, len);
	}
}

static void truncated_varint_fails(void **state)
{
	static const uint8_t bytes[] = { 0x80, 0x80, 0x80, 0x80,
					 0x80, 0x80, 0x80, 0x80 };

	(void)state;
	for (size_t len = 0; len <= sizeof(bytes); len++) {
		uint8_t *exact = memcpy(malloc(len + 1), bytes, len);
		struct cursor c = cursor_over(exact, len);

		assert_true(cursor_varint(&c) == 0);
		assert_false(cursor_ok(&c));
		c = cursor_over(exact, len);
		cursor_skip_varint(&c);
		assert_false(cursor_ok(&c));
		free(exact);
	}
}

static void skipping_a_varint_moves_as_reading_it_does(void **state)
{
	static const uint8_t bytes[] = { 0x81, 0x01, 0x05, 0xff, 0xff,
					 0x03, 0,    0,    0,    0,
					 0,    0,    0,    0,    0 };
	struct cursor read = cursor_over(bytes, sizeof(bytes));
	struct cursor skipped = read;

	(void)state;
	for (int i = 0; i < 5; i++) {
		cursor_varint(&read);
		cursor_skip_varint(&skipped);
		assert_ptr_equal(read.at, skipped.at);
	}
}

static void slice_has_its_end_and_the_offsets_of_its_base(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5 };
	struct cursor c = cursor_over(bytes, sizeof(bytes));
	struct cursor slice, from;

	(void)state;
	cursor_skip(&c, 1);
	slice = cursor_slice(&c, 3);
	assert_int_equal(cursor_u8(&c), 5);
	assert_int_equal(cursor_left(&slice), 3);
	assert_int_equal(cursor_offset(&slice), 1);
	from = cursor_from(&slice, 3);
	assert_int_equal(cursor_u8(&from), 4);
	assert_int_equal(cursor_left(&from), 0);
	from = cursor_from(&slice, 5);
	assert_false(cursor_ok(&from));
	from = cursor_from(&slice, UINT64_MAX);
	assert_false(cursor_ok(&from));
	c = cursor_over(bytes, sizeof(bytes));
	slice = cursor_slice(&c, 6);
	assert_false(cursor_ok(&slice));
	assert_false(cursor_ok(&c));
	from = cursor_from(&c, 0);
	assert_false(cursor_ok(&from));
}

static void count_is_bounded_by_the_remaining_bytes(void **state)
{
	static const uint8_t bytes[] = { 3, 0, 0, 0, 0, 0, 0 };
	struct cursor c = cursor_over(bytes, 5);

	(void)state;
	assert_int_equal(cursor_count(&c, 2),
			 0); /* three elements, 2 bytes each, in 4 bytes */
	assert_false(cursor_ok(&c));
	c = cursor_over(bytes, 7);
	assert_int_equal(cursor_count(&c, 2), 3);
	assert_true(cursor_ok(&c));
	c = cursor_over(bytes, 1);
	assert_int_equal(cursor_count(&c, 0), 3);
	assert_true(cursor_ok(&c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_big_endian),
		cmocka_unit_test(read_beyond_the_end_fails_all_later_reads),
		cmocka_unit_test(cursor_over_no_bytes_fails_each_read),
		cmocka_unit_test(bytes_are_borrowed_and_may_be_none),
		cmocka_unit_test(varints_have_up_to_nine_bytes),
		cmocka_unit_test(truncated_varint_fails),
		cmocka_unit_test(skipping_a_varint_moves_as_reading_it_does),
		cmocka_unit_test(slice_has_its_end_and_the_offsets_of_its_base),
		cmocka_unit_test(count_is_bounded_by_the_remaining_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
