/* SPDX-License-Identifier: Apache-2.0 */
#include "render/top/keys.h"

#include "render/top/top_keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void assert_key(const char **script, uint32_t code)
{
	struct error err;
	struct key key;

	assert_int_equal(keys_next(script, &key, &err), 0);
	assert_int_equal(key.code, code);
}

static void keys_next_reads_a_script(void **state)
{
	const char *script = "a<up><lt><enter>";

	(void)state;
	assert_key(&script, 'a');
	assert_key(&script, KEYS_UP);
	assert_key(&script, '<');
	assert_key(&script, KEYS_ENTER);
	assert_key(&script, KEYS_NONE);
	assert_key(&script, KEYS_NONE);
}

static void clicks_and_sizes_are_parsed_with_their_numbers(void **state)
{
	const char *script = "<click:7,12><size:120x40>";
	struct error err;
	struct key key;

	(void)state;
	assert_int_equal(keys_next(&script, &key, &err), 0);
	assert_int_equal(key.code, KEYS_CLICK);
	assert_int_equal(key.row, 7);
	assert_int_equal(key.column, 12);
	assert_int_equal(keys_next(&script, &key, &err), 0);
	assert_int_equal(key.code, KEYS_SIZE);
	assert_int_equal(key.row, 40);
	assert_int_equal(key.column, 120);
}

static void keys_parse_rejects_unknown_names(void **state)
{
	static const char *const bad[] = {
		"<",         "<nokey>",   "<up",         "<>",
		"<click:>",  "<click:1",  "<click:1x2>", "<size:1,2>",
		"<size:1x>", "<size:x1>", "<size:1x2x>", "<size:9999999x1>",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *script = bad[i];
		struct error err;
		struct key key;

		assert_int_equal(keys_next(&script, &key, &err), -1);
		assert_int_equal(err.kind, ERROR_MISUSE);
	}
}

static void keys_size_parses_columns_and_rows(void **state)
{
	struct error err;
	unsigned columns, rows;

	(void)state;
	assert_int_equal(keys_size("80x24", &columns, &rows, &err), 0);
	assert_int_equal(columns, 80);
	assert_int_equal(rows, 24);
	assert_int_equal(keys_size("0x24", &columns, &rows, &err), -1);
	assert_int_equal(keys_size("80", &columns, &rows, &err), -1);
	assert_int_equal(keys_size("80x24 ", &columns, &rows, &err), -1);
	assert_int_equal(keys_size("", &columns, &rows, &err), -1);
}

static enum top_request asked(uint32_t code, enum top_place place)
{
	const struct key key = { .code = code };

	return top_keys_request(&key, place);
}

static void requests_of_a_key_depend_on_the_view(void **state)
{
	(void)state;
	assert_int_equal(asked('q', PLACE_THREADS), REQUEST_QUIT);
	assert_int_equal(asked('q', PLACE_STACK), REQUEST_LEAVE);
	assert_int_equal(asked('r', PLACE_STACK), REQUEST_REFRESH);
	assert_int_equal(asked('r', PLACE_THREADS), REQUEST_NONE);
	assert_int_equal(asked('3', PLACE_THREADS), REQUEST_SORT_NUMBER);
	assert_int_equal(asked('3', PLACE_HELP), REQUEST_NONE);
	assert_int_equal(asked(0, PLACE_THREADS), REQUEST_NONE);
	assert_int_equal(asked(KEYS_CONTROL('L'), PLACE_ALL), REQUEST_REDRAW);
}

static void help_lists_the_keys(void **state)
{
	struct text help = { 0 };

	(void)state;
	top_keys_help(&help);
	assert_non_null(strstr(help.bytes, "  /           show only threads"));
	assert_non_null(strstr(help.bytes, "  Enter       show the stack"));
	text_release(&help);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_next_reads_a_script),
		cmocka_unit_test(
			clicks_and_sizes_are_parsed_with_their_numbers),
		cmocka_unit_test(keys_parse_rejects_unknown_names),
		cmocka_unit_test(keys_size_parses_columns_and_rows),
		cmocka_unit_test(requests_of_a_key_depend_on_the_view),
		cmocka_unit_test(help_lists_the_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
