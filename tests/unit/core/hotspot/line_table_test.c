/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/line_table.h"
#include "core/hotspot/unsigned5.h"
#include "tests/unit/metadata_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint32_t values[] = {
	0,     1,     190,     191,        192,        255,
	12414, 12415, 794750,  50864254,   50864255,   0x7fffffff,
	65535, 65536, 3000000, 0x80000000, 0xfffffffe, 0xffffffff,
};

static void unsigned5_reads_every_number_back(void **state)
{
	(void)state;
	for (unsigned excluded = 0; excluded < 2; excluded++) {
		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
			uint8_t bytes[8] = { 0 };
			size_t len = image_unsigned5(bytes, values[i],
						     excluded);
			struct cursor c = cursor_over(bytes, len);

			assert_int_equal(unsigned5_read(&c, excluded),
					 values[i]);
			assert_true(cursor_ok(&c));
			assert_int_equal(cursor_left(&c), 0);
			c = cursor_over(bytes, len - 1);
			unsigned5_read(&c, excluded);
			assert_false(cursor_ok(&c));
		}
	}
}

/* The bytes are derived from the description by hand. */
static void unsigned5_has_the_specified_bytes(void **state)
{
	static const struct {
		unsigned excluded;
		uint8_t bytes[5];
		size_t len;
		uint32_t value;
	} cases[] = {
		{ 0, { 0 }, 1, 0 },
		{ 1, { 1 }, 1, 0 },
		{ 0, { 191 }, 1, 191 },
		{ 1, { 191 }, 1, 190 },
		{ 0, { 192, 0 }, 2, 192 },
		{ 1, { 192, 1 }, 2, 191 },
		{ 0, { 255, 1 }, 2, 255 + 64 },
		{ 0, { 192, 192, 1 }, 3, 192 + 192 * 64 + 4096 },
		{ 1, { 255, 255, 255, 255, 255 }, 5, 34087038 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cursor c = cursor_over(cases[i].bytes, cases[i].len);

		assert_int_equal(unsigned5_read(&c, cases[i].excluded),
				 cases[i].value);
		assert_true(cursor_ok(&c));
		assert_int_equal(cursor_left(&c), 0);
	}
}

static void unsigned5_fails_at_an_excluded_byte(void **state)
{
	static const uint8_t first[] = { 0, 1 }, later[] = { 200, 0 };
	struct cursor c = cursor_over(first, sizeof(first));

	(void)state;
	unsigned5_read(&c, 1);
	assert_false(cursor_ok(&c));
	c = cursor_over(later, sizeof(later));
	unsigned5_read(&c, 1);
	assert_false(cursor_ok(&c));
}

static void unsigned5_has_the_sign_in_the_lowest_bit(void **state)
{
	static const uint8_t bytes[] = { 0, 1, 2, 3, 191 };
	struct cursor c = cursor_over(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(unsigned5_read_signed(&c, 0), 0);
	assert_int_equal(unsigned5_read_signed(&c, 0), -1);
	assert_int_equal(unsigned5_read_signed(&c, 0), 1);
	assert_int_equal(unsigned5_read_signed(&c, 0), -2);
	assert_int_equal(unsigned5_read_signed(&c, 0), -96);
}

static bool read_table(struct line_table *t, const uint8_t *bytes, size_t len,
		       uint32_t code_bytes)
{
	struct cursor c = cursor_over(bytes, len);

	return line_table_read(t, &c, code_bytes, 0);
}

static void line_is_that_of_the_bci_or_the_one_before(void **state)
{
	/* 0: 10, 4: 12, 9: 11 (escaped: +5, -1), 9: 20 (escaped: 0, +9) */
	static const uint8_t bytes[] = { 0xff, 0,    20, 4 << 3 | 2, 0xff, 10,
					 1,    0xff, 0,  18,         0 };
	struct line_table t;

	(void)state;
	assert_true(read_table(&t, bytes, sizeof(bytes), 20));
	assert_int_equal(t.count, 4);
	assert_int_equal(line_table_line(&t, -1), 10);
	assert_int_equal(line_table_line(&t, 0), 10);
	assert_int_equal(line_table_line(&t, 3), 10);
	assert_int_equal(line_table_line(&t, 4), 12);
	assert_int_equal(line_table_line(&t, 8), 12);
	/*
	 * If two entries have a bci, the JVM uses the first for that bci and
	 * the last for greater ones.
	 */
	assert_int_equal(line_table_line(&t, 9), 11);
	assert_int_equal(line_table_line(&t, 10), 20);
	assert_int_equal(line_table_line(&t, 65535), 20);
	line_table_release(&t);
}

static void line_table_sorts_entries(void **state)
{
	/* 8: 30, 2: 5 (-6, -25), 5: 6 */
	static const uint8_t bytes[] = { 0xff, 16, 60,         0xff,
					 11,   49, 3 << 3 | 1, 0 };
	struct line_table t;

	(void)state;
	assert_true(read_table(&t, bytes, sizeof(bytes), 9));
	assert_int_equal(line_table_line(&t, 1), 0);
	assert_int_equal(line_table_line(&t, 2), 5);
	assert_int_equal(line_table_line(&t, 4), 5);
	assert_int_equal(line_table_line(&t, 7), 6);
	assert_int_equal(line_table_line(&t, 8), 30);
	line_table_release(&t);
}

static void line_table_refuses_impossible_tables(void **state)
{
	static const uint8_t outside[] = { 9 << 3 | 1, 0 };
	static const uint8_t negative[] = { 0xff, 1, 2, 0 };
	static const uint8_t line[] = { 0xff, 0, 1, 0 };
	static const uint8_t endless[] = { 0xff, 0, 20, 9 };
	static const uint8_t cut[] = { 0xff, 0 };
	struct line_table t;

	(void)state;
	assert_false(read_table(&t, outside, sizeof(outside), 9));
	assert_true(read_table(&t, outside, sizeof(outside), 10));
	line_table_release(&t);
	assert_false(read_table(&t, negative, sizeof(negative), 9));
	assert_false(read_table(&t, line, sizeof(line), 9));
	assert_false(read_table(&t, endless, sizeof(endless), 9));
	assert_false(read_table(&t, cut, sizeof(cut), 9));
	assert_false(read_table(&t, NULL, 0, 9));
	assert_int_equal(line_table_line(&t, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unsigned5_reads_every_number_back),
		cmocka_unit_test(unsigned5_has_the_specified_bytes),
		cmocka_unit_test(unsigned5_fails_at_an_excluded_byte),
		cmocka_unit_test(unsigned5_has_the_sign_in_the_lowest_bit),
		cmocka_unit_test(line_is_that_of_the_bci_or_the_one_before),
		cmocka_unit_test(line_table_sorts_entries),
		cmocka_unit_test(line_table_refuses_impossible_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
