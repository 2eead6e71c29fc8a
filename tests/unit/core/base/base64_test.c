/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* RFC 4648, section 10. */
static void base64_encodes_the_test_vectors_of_rfc_4648(void **state)
{
	static const char *const vectors[][2] = {
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
		struct text out = { 0 };

		base64_add(&out, vectors[i][0], strlen(vectors[i][0]));
		assert_string_equal(out.bytes, vectors[i][1]);
		assert_int_equal(out.len, strlen(vectors[i][1]));
		text_release(&out);
	}
}

static void base64_uses_each_letter_of_the_alphabet(void **state)
{
	struct text bytes = { 0 }, out = { 0 };

	(void)state;
	/* 6 bits each: 0, 1, 2, ... 63. */
	for (uint32_t i = 0; i < 64; i += 4) {
		uint32_t four = i << 18 | (i + 1) << 12 | (i + 2) << 6 |
				(i + 3);

		for (int shift = 16; shift >= 0; shift -= 8)
			text_putc(&bytes, (char)(four >> shift));
	}
	base64_add(&out, bytes.bytes, bytes.len);
	assert_string_equal(out.bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghij"
				       "klmnopqrstuvwxyz0123456789+/");
	text_release(&bytes);
	text_release(&out);
}

static void pieces_of_whole_triples_read_as_one(void **state)
{
	struct text out = { 0 };

	(void)state;
	text_puts(&out, "data:");
	base64_add(&out, "foo", 3);
	base64_add(&out, "", 0);
	base64_add(&out, "barba", 5);
	assert_string_equal(out.bytes, "data:Zm9vYmFyYmE=");
	text_release(&out);
}

static void base64_round_trip_keeps_all_bytes(void **state)
{
	struct text bytes = { 0 }, letters = { 0 }, back = { 0 };

	(void)state;
	for (int i = 0; i < 259; i++) {
		text_clear(&letters);
		text_clear(&back);
		base64_add(&letters, bytes.bytes, bytes.len);
		assert_true(base64_read(&back, letters.bytes, letters.len));
		assert_int_equal(back.len, bytes.len);
		if (bytes.len)
			assert_memory_equal(back.bytes, bytes.bytes, bytes.len);
		text_putc(&bytes, (char)(i * 37));
	}
	text_release(&bytes);
	text_release(&letters);
	text_release(&back);
}

static void invalid_base64_appends_nothing(void **state)
{
	static const char *const wrong[] = {
		"Zg",   "Zg=",  "Zg==Zg==", "Z===",     "====", "Zm9vY",
		"Zm 9", "Zm9-", "Zm9v\n",   "Zm9vZh==", "Zm9=", "Zm=v",
	};
	struct text out = { 0 };

	(void)state;
	text_puts(&out, "kept");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		if (base64_read(&out, wrong[i], strlen(wrong[i])))
			fail_msg("%s was read", wrong[i]);
		assert_string_equal(out.bytes, "kept");
	}
	assert_false(base64_read(&out, "Zm9\0", 4));
	assert_true(base64_read(&out, "IQ==", 4));
	assert_string_equal(out.bytes, "kept!");
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base64_encodes_the_test_vectors_of_rfc_4648),
		cmocka_unit_test(base64_uses_each_letter_of_the_alphabet),
		cmocka_unit_test(pieces_of_whole_triples_read_as_one),
		cmocka_unit_test(base64_round_trip_keeps_all_bytes),
		cmocka_unit_test(invalid_base64_appends_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
