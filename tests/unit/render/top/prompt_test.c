/* SPDX-License-Identifier: Apache-2.0 */
#include "render/top/top.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Types a script; returns the answer to its last key. */
static enum prompt_answer type(struct prompt *p, const char *script)
{
	enum prompt_answer answer = PROMPT_UNCHANGED;
	struct error err;
	struct key key;

	while (assert_int_equal(keys_next(&script, &key, &err), 0),
	       key.code != KEYS_NONE)
		answer = prompt_key(p, &key);
	return answer;
}

static void prompt_keeps_the_typed_text(void **state)
{
	struct prompt p = { 0 };

	(void)state;
	prompt_start(&p, "regex", NULL);
	assert_int_equal(type(&p, "pool-.*"), PROMPT_CHANGED);
	assert_string_equal(prompt_typed(&p), "pool-.*");
	assert_int_equal(type(&p, "<enter>"), PROMPT_DONE);
	assert_int_equal(type(&p, "<esc>"), PROMPT_LEFT);
	assert_int_equal(type(&p, "<up>"), PROMPT_UNCHANGED);
	assert_int_equal(type(&p, "\x01"), PROMPT_UNCHANGED);
	assert_string_equal(prompt_typed(&p), "pool-.*");
	prompt_release(&p);
}

static void editing_keys_change_the_line(void **state)
{
	struct prompt p = { 0 };

	(void)state;
	prompt_start(&p, "regex", "one two");
	type(&p, "<backspace>");
	assert_string_equal(prompt_typed(&p), "one tw");
	type(&p, "\x17"); /* ^W */
	assert_string_equal(prompt_typed(&p), "one ");
	type(&p, "\x15"); /* ^U */
	assert_string_equal(prompt_typed(&p), "");
	assert_int_equal(type(&p, "<backspace>"), PROMPT_LEFT);
	prompt_release(&p);
}

static void backspace_removes_a_whole_character(void **state)
{
	struct prompt p = { 0 };
	const struct key wide = { .code = 0x6f22 };

	(void)state;
	prompt_start(&p, "regex", "a");
	prompt_key(&p, &wide);
	assert_string_equal(prompt_typed(&p), "a\xe6\xbc\xa2");
	type(&p, "<backspace>");
	assert_string_equal(prompt_typed(&p), "a");
	prompt_release(&p);
}

static void typed_text_is_limited(void **state)
{
	struct prompt p = { 0 };

	(void)state;
	prompt_start(&p, "regex", NULL);
	for (size_t i = 0; i < 100000; i++)
		type(&p, "x");
	assert_true(p.typed.len <= 1000);
	prompt_release(&p);
}

static void prompt_draws_the_end_of_a_long_line(void **state)
{
	struct prompt p = { 0 };
	struct screen s = { 0 };
	struct text shown = { 0 };

	(void)state;
	screen_resize(&s, 12, 1);
	prompt_start(&p, "regex", "0123456789");
	prompt_draw(&p, &s, 0);
	screen_text(&s, &shown);
	assert_string_equal(shown.bytes, "regex: 6789\n");
	screen_resize(&s, 3, 1);
	prompt_draw(&p, &s, 0);
	prompt_release(&p);
	screen_release(&s);
	text_release(&shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prompt_keeps_the_typed_text),
		cmocka_unit_test(editing_keys_change_the_line),
		cmocka_unit_test(backspace_removes_a_whole_character),
		cmocka_unit_test(typed_text_is_limited),
		cmocka_unit_test(prompt_draws_the_end_of_a_long_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
