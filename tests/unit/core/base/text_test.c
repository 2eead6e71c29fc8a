/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void text_is_nul_terminated_after_each_addition(void **state)
{
	struct text t = { 0 };

	(void)state;
	assert_null(t.bytes);
	text_add(&t, NULL, 0);
	assert_string_equal(t.bytes, "");
	text_puts(&t, "ab");
	text_putc(&t, 'c');
	text_printf(&t, "%d%s", 12, "x");
	assert_string_equal(t.bytes, "abc12x");
	assert_int_equal(t.len, 6);
	text_clear(&t);
	assert_string_equal(t.bytes, "");
	/* After longer text. */
	text_puts(&t, "xxxxxx");
	text_clear(&t);
	text_varint(&t, 'A');
	assert_string_equal(t.bytes, "A");
	text_release(&t);
	assert_null(t.bytes);
	text_clear(&t);
}

static void text_grows_on_demand(void **state)
{
	struct text t = { 0 };

	(void)state;
	for (int i = 0; i < 100000; i++)
		text_printf(&t, "%05d", i);
	assert_int_equal(t.len, 500000);
	assert_memory_equal(t.bytes + 5 * 77777, "77777", 5);
	text_release(&t);
}

static void varints_have_seven_bits_a_byte_low_first(void **state)
{
	static const struct {
		uint64_t value;
		const char *bytes;
	} varints[] = {
		{ 1, "\x01" },
		{ 127, "\x7f" },
		{ 128, "\x80\x01" },
		{ 300, "\xac\x02" },
		{ UINT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(varints) / sizeof(*varints); i++) {
		struct text t = { 0 };

		text_varint(&t, varints[i].value);
		assert_string_equal(t.bytes, varints[i].bytes);
		text_release(&t);
	}
}

static void characters_become_one_to_four_bytes(void **state)
{
	struct text t = { 0 };

	(void)state;
	/*
	 * The last character of each length and the first of the next (RFC
	 * 3629, 3).
	 */
	text_utf8(&t, 0x7f);
	text_utf8(&t, 0x80);
	text_utf8(&t, 0x7ff);
	text_utf8(&t, 0x800);
	text_utf8(&t, 0xffff);
	text_utf8(&t, 0x10000);
	text_utf8(&t, 0xd83d); /* a high surrogate alone */
	assert_string_equal(t.bytes, "\x7f"
				     "\xc2\x80"
				     "\xdf\xbf"
				     "\xe0\xa0\x80"
				     "\xef\xbf\xbf"
				     "\xf0\x90\x80\x80"
				     "\xed\xa0\xbd");
	text_release(&t);
}

static void percent_decoding_keeps_what_is_not_encoded(void **state)
{
	static const char given[] = "a%20b%3D%3d%%4%zz%2";
	struct text t = { 0 };

	(void)state;
	text_percent_decoded(&t, given, strlen(given));
	assert_string_equal(t.bytes, "a b==%%4%zz%2");
	text_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_nul_terminated_after_each_addition),
		cmocka_unit_test(text_grows_on_demand),
		cmocka_unit_test(varints_have_seven_bits_a_byte_low_first),
		cmocka_unit_test(characters_become_one_to_four_bytes),
		cmocka_unit_test(percent_decoding_keeps_what_is_not_encoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
