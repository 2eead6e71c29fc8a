/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/safe_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_bytes(const char *in, size_t len, const char *shown,
			 const char *valid)
{
	/*
	 * An exact allocation, so that a sanitizer detects reads beyond the
	 * end.
	 */
	char *exact = memcpy(malloc(len + !len), in, len);
	struct text out = { 0 };

	text_puts(&out, "");
	safe_text(&out, exact, len);
	assert_string_equal(out.bytes, shown);
	text_clear(&out);
	safe_text_valid(&out, exact, len);
	assert_string_equal(out.bytes, valid);
	text_release(&out);
	free(exact);
}

static void expect(const char *in, const char *shown, const char *valid)
{
	expect_bytes(in, strlen(in), shown, valid);
}

static void expect_shown(const char *in, const char *shown)
{
	expect(in, shown, in);
}

#define BAD "\xef\xbf\xbd" /* U+FFFD */

static void plain_text_stays(void **state)
{
	(void)state;
	expect_shown("", "");
	expect_shown("a.B$$Lambda.call <init> ~!",
		     "a.B$$Lambda.call <init> ~!");
	/* Two, three and four bytes. */
	expect_shown("w\xc3\xb6rker \xe2\x82\xac \xf0\x9f\x94\xa5",
		     "w\xc3\xb6rker \xe2\x82\xac \xf0\x9f\x94\xa5");
}

static void controls_become_their_pictures(void **state)
{
	(void)state;
	expect_shown("\x1b[31m", "\xe2\x90\x9b[31m");
	expect_shown("a\tb\nc\r", "a\xe2\x90\x89"
				  "b\xe2\x90\x8a"
				  "c\xe2\x90\x8d");
	expect_shown("\x7f", "\xe2\x90\xa1");
	expect_bytes("a\0b", 3,
		     "a\xe2\x90\x80"
		     "b",
		     "a");
}

static void c1_controls_bidi_and_hidden_characters_are_spelled_out(void **state)
{
	static const struct {
		const char *in, *shown;
	} hidden[] = {
		{ "\xc2\x80", "<U+0080>" },
		{ "\xc2\x9b", "<U+009B>" }, /* CSI */
		{ "\xc2\x9f", "<U+009F>" },
		{ "\xc2\xad", "<U+00AD>" },
		{ "\xd8\x9c", "<U+061C>" },
		{ "\xe2\x80\x8b", "<U+200B>" },
		{ "\xe2\x80\x8f", "<U+200F>" },
		{ "\xe2\x80\xa8", "<U+2028>" },
		{ "\xe2\x80\xa9", "<U+2029>" },
		{ "\xe2\x80\xae", "<U+202E>" },
		{ "\xe2\x81\xa6", "<U+2066>" },
		{ "\xe2\x81\xa9", "<U+2069>" },
		{ "\xef\xbb\xbf", "<U+FEFF>" },
		{ "\xf3\xa0\x80\x81", "<U+E0001>" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++)
		expect_shown(hidden[i].in, hidden[i].shown);
	/* Neighboring characters are letters and spaces. */
	expect_shown("\xc2\xa0", "\xc2\xa0");
	expect_shown("\xe2\x80\x8a", "\xe2\x80\x8a");
	expect_shown("\xe2\x80\x90", "\xe2\x80\x90");
	expect_shown("\xe2\x80\xaf", "\xe2\x80\xaf");
}

static void surrogate_pairs_of_modified_utf_8_are_joined(void **state)
{
	(void)state;
	/* U+1F525 as in a class file: D83D DD25. */
	expect("\xed\xa0\xbd\xed\xb4\xa5", "\xf0\x9f\x94\xa5",
	       "\xf0\x9f\x94\xa5");
	expect("\xed\xaf\xbf\xed\xbf\xbf", "\xf4\x8f\xbf\xbf",
	       "\xf4\x8f\xbf\xbf"); /* U+10FFFF */
	expect("\xed\xa0\xbd", BAD, BAD);
	expect("\xed\xa0\xbdx", BAD "x", BAD "x");
	expect("\xed\xb4\xa5", BAD, BAD);
	expect("\xed\xb4\xa5\xed\xa0\xbd", BAD BAD, BAD BAD);
	expect("\xed\xa0\xbd\xed\xa0\xbd\xed\xb4\xa5", BAD "\xf0\x9f\x94\xa5",
	       BAD "\xf0\x9f\x94\xa5");
	/*
	 * A hidden character encoded as a surrogate pair is found, too:
	 * U+E0001.
	 */
	expect("\xed\xad\x80\xed\xb0\x81", "<U+E0001>", "\xf3\xa0\x80\x81");
}

static void c0_80_is_a_nul(void **state)
{
	(void)state;
	expect("a\xc0\x80"
	       "b",
	       "a\xe2\x90\x80"
	       "b",
	       "a");
}

static void invalid_utf_8_is_replaced_byte_by_byte(void **state)
{
	static const struct {
		const char *in, *out;
	} wrong[] = {
		{ "\xff", BAD },
		{ "\x80", BAD },
		{ "\xc1\xbf", BAD BAD }, /* too long for U+007F */
		{ "\xc0\x81", BAD BAD },
		{ "\xe0\x80\xaf", BAD BAD BAD }, /* too long for / */
		{ "\xf0\x80\x80\xaf", BAD BAD BAD BAD },
		{ "\xf4\x90\x80\x80", BAD BAD BAD BAD }, /* > U+10FFFF */
		{ "\xf8\x88\x80\x80\x80", BAD BAD BAD BAD BAD },
		{ "\xc3", BAD },
		{ "\xe2\x82", BAD BAD },
		{ "\xf0\x9f\x94", BAD BAD BAD },
		{ "\xc3(", BAD "(" },
		{ "\xe2\x28\xa1", BAD "(" BAD },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		expect(wrong[i].in, wrong[i].out, wrong[i].out);
}

static bool is_valid_utf_8(const struct text *t)
{
	struct text again = { 0 };
	bool same;

	safe_text_valid(&again, t->bytes, t->len);
	same = again.len == t->len &&
	       memcmp(again.bytes, t->bytes, t->len) == 0;
	text_release(&again);
	return same;
}

static void safe_text_of_random_bytes_is_valid_and_harmless(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct text out = { 0 };
		char in[12];

		for (size_t i = 0; i < sizeof(in); i++)
			in[i] = (char)(rand_r(&seed) >> 8 |
				       (rand_r(&seed) & 0x10000 ? 0x80 : 0));
		safe_text(&out, in, sizeof(in));
		assert_true(is_valid_utf_8(&out));
		for (size_t i = 0; i < out.len; i++)
			assert_true((unsigned char)out.bytes[i] >= 0x20 &&
				    out.bytes[i] != 0x7f);
		text_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_stays),
		cmocka_unit_test(controls_become_their_pictures),
		cmocka_unit_test(
			c1_controls_bidi_and_hidden_characters_are_spelled_out),
		cmocka_unit_test(surrogate_pairs_of_modified_utf_8_are_joined),
		cmocka_unit_test(c0_80_is_a_nul),
		cmocka_unit_test(invalid_utf_8_is_replaced_byte_by_byte),
		cmocka_unit_test(
			safe_text_of_random_bytes_is_valid_and_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
