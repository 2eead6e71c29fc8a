/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/plain_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *input, size_t len, const char *text,
		   size_t text_len)
{
	const uint8_t *bytes = (const uint8_t *)input;
	uint8_t *decoded = plain_text(&bytes, &len);

	assert_int_equal(len, text_len);
	assert_memory_equal(bytes, text, text_len);
	free(decoded);
}

#define EXPECT(input, text)                                                    \
	expect((input), sizeof(input) - 1, (text), sizeof(text) - 1)

static void byte_order_mark_is_skipped(void **state)
{
	(void)state;
	EXPECT("\xef\xbb\xbf"
	       "a 1\n",
	       "a 1\n");
	EXPECT("\xef\xbb\xbf", "");
	EXPECT("\xef\xbb", "\xef\xbb");
	EXPECT("a\xef\xbb\xbf", "a\xef\xbb\xbf");
}

static void utf16_is_decoded_in_either_byte_order(void **state)
{
	(void)state;
	EXPECT("\xff\xfe"
	       "a\0\xe9\0\x3d\xd8\x00\xde!\0",
	       "a\xc3\xa9\xf0\x9f\x98\x80!");
	EXPECT("\xfe\xff\0a\0\xe9\xd8\x3d\xde\x00\0!",
	       "a\xc3\xa9\xf0\x9f\x98\x80!");
	/* A lone half, and an odd byte at the end. */
	EXPECT("\xff\xfe\x3d\xd8!\0x", "\xed\xa0\xbd!");
	EXPECT("\xff\xfe", "");
}

static void utf16_without_a_mark_is_recognized_by_its_ascii(void **state)
{
	(void)state;
	EXPECT("m\0a\0i\0n\0;\0a\0 \0"
	       "1\0\n\0",
	       "main;a 1\n");
	EXPECT("\0m\0a\0i\0n\0;\0a\0 \0"
	       "1\0\n",
	       "main;a 1\n");
	/* Too short to tell. */
	EXPECT("m\0a\0", "m\0a\0");
}

static void nul_bytes_before_text_are_skipped(void **state)
{
	(void)state;
	EXPECT("\0\0\0\0[0.1s] x\n", "[0.1s] x\n");
	EXPECT("\0\0\0\0", "\0\0\0\0");
}

static void binary_input_is_unchanged(void **state)
{
	(void)state;
	EXPECT("FLR\0\0\2\0\1\0\0\0\0\0\0\4\0",
	       "FLR\0\0\2\0\1\0\0\0\0\0\0\4\0");
	EXPECT("\0\0\0\0FLR\0\0\2", "\0\0\0\0FLR\0\0\2");
	EXPECT("\0\x12portable", "\0\x12portable");
	EXPECT("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(byte_order_mark_is_skipped),
		cmocka_unit_test(utf16_is_decoded_in_either_byte_order),
		cmocka_unit_test(
			utf16_without_a_mark_is_recognized_by_its_ascii),
		cmocka_unit_test(nul_bytes_before_text_are_skipped),
		cmocka_unit_test(binary_input_is_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
