/* SPDX-License-Identifier: Apache-2.0 */
#include "render/top/screen.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define ELLIPSIS "\xe2\x80\xa6"
#define WIDE     "\xe6\xbc\xa2" /* two columns wide */
#define ACCENT   "\xcc\x81"     /* a combining mark */

static struct screen screen;

static int start(void **state)
{
	(void)state;
	screen = (struct screen){ 0 };
	screen_resize(&screen, 10, 2);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	screen_release(&screen);
	return 0;
}

static void assert_shows(const char *expected)
{
	struct text got = { 0 };

	screen_text(&screen, &got);
	assert_string_equal(got.bytes, expected);
	text_release(&got);
}

static unsigned put(unsigned column, unsigned width, const char *text)
{
	return screen_put(&screen, 0, column, width, STYLE_PLAIN, text,
			  strlen(text));
}

static void screen_put_draws_at_its_position(void **state)
{
	(void)state;
	assert_int_equal(put(2, 8, "main"), 4);
	screen_put_right(&screen, 1, 0, 10, STYLE_PLAIN, "1.5", 3);
	assert_shows("  main\n       1.5\n");
}

static void screen_put_truncates_with_an_ellipsis(void **state)
{
	(void)state;
	assert_int_equal(put(0, 6, "reference handler"), 6);
	assert_shows("refer" ELLIPSIS "\n\n");
	assert_int_equal(put(0, 20, "reference handler"), 10);
	assert_shows("reference" ELLIPSIS "\n\n");
	screen_clear(&screen);
	assert_int_equal(put(9, 1, "ab"), 1);
	assert_shows("         " ELLIPSIS "\n\n");
}

static void screen_put_ignores_cells_off_the_screen(void **state)
{
	(void)state;
	assert_int_equal(put(10, 5, "x"), 0);
	assert_int_equal(put(4000000000u, 5, "x"), 0);
	assert_int_equal(screen_put(&screen, 2, 0, 5, STYLE_PLAIN, "x", 1), 0);
	assert_int_equal(put(0, 0, "x"), 0);
	screen_paint(&screen, 7, 7, 7, STYLE_HOT);
	assert_shows("\n\n");
}

static void wide_characters_take_two_columns(void **state)
{
	(void)state;
	assert_int_equal(put(0, 10, WIDE WIDE "x"), 5);
	assert_int_equal(screen_cell(&screen, 0, 1)->len, 0);
	assert_shows(WIDE WIDE "x\n\n");
	/* Three columns: one wide character and the ellipsis. */
	screen_clear(&screen);
	assert_int_equal(put(0, 3, WIDE WIDE), 3);
	assert_shows(WIDE ELLIPSIS "\n\n");
	screen_clear(&screen);
	assert_int_equal(put(0, 2, WIDE WIDE), 1);
	assert_shows(ELLIPSIS "\n\n");
}

static void
overwriting_half_a_wide_character_clears_the_other_half(void **state)
{
	(void)state;
	put(0, 10, WIDE WIDE);
	put(1, 1, "x");
	assert_shows(" x" WIDE "\n\n");
	put(2, 1, "y");
	assert_shows(" xy\n\n");
}

static void combining_marks_join_the_character_before(void **state)
{
	(void)state;
	assert_int_equal(put(0, 10, ACCENT "e" ACCENT "!"), 2);
	assert_shows("e" ACCENT "!\n\n");
	/* More marks than the cell has space for. */
	assert_int_equal(put(0, 10,
			     "e" ACCENT ACCENT ACCENT ACCENT ACCENT ACCENT
				     ACCENT ACCENT ACCENT ACCENT),
			 1);
	assert_true(screen_cell(&screen, 0, 0)->len <= CELL_BYTES);
}

static void control_characters_are_escaped(void **state)
{
	(void)state;
	assert_int_equal(put(0, 10, "a\x1b[2Jb"), 6);
	assert_shows("a\xe2\x90\x9b[2Jb\n\n");
	screen_clear(&screen);
	assert_int_equal(put(0, 10, "\xc2\x9b"), 8);
	assert_shows("<U+009B>\n\n");
}

static void ascii_screen_has_only_ascii(void **state)
{
	(void)state;
	screen.ascii = true;
	assert_int_equal(put(0, 10, "a" WIDE ACCENT "b\x1b"), 5);
	assert_shows("a??b?\n\n");
	put(0, 3, "abcd");
	assert_shows("ab~b?\n\n");
}

static void screen_paint_keeps_the_text(void **state)
{
	(void)state;
	put(0, 10, "abc");
	screen_paint(&screen, 0, 1, 100, STYLE_SELECTED);
	assert_shows("abc\n\n");
	assert_int_equal(screen_cell(&screen, 0, 0)->style, STYLE_PLAIN);
	assert_int_equal(screen_cell(&screen, 0, 1)->style, STYLE_SELECTED);
	assert_int_equal(screen_cell(&screen, 0, 9)->style, STYLE_SELECTED);
	assert_int_equal(screen_cell(&screen, 1, 0)->style, STYLE_PLAIN);
}

static void pen_omits_text_that_does_not_fit(void **state)
{
	struct pen pen = pen_at(&screen, 0);

	(void)state;
	assert_true(pen_put(&pen, STYLE_PLAIN, "cpu "));
	assert_false(pen_printf(&pen, STYLE_PLAIN, "%d.00%%", 1234));
	assert_true(pen_printf(&pen, STYLE_PLAIN, "%d%%", 1234));
	assert_false(pen_put(&pen, STYLE_PLAIN, "xx"));
	assert_shows("cpu 1234%\n\n");
}

static void screen_sizes_are_limited(void **state)
{
	(void)state;
	screen_resize(&screen, 100000, 100000);
	assert_int_equal(screen.columns, SCREEN_COLUMNS_MAX);
	assert_int_equal(screen.rows, SCREEN_ROWS_MAX);
	screen_resize(&screen, 1, 1);
	put(0, 1, "ab");
	assert_shows(ELLIPSIS "\n");
	screen_resize(&screen, 0, 0);
	put(0, 1, "ab");
	screen_paint(&screen, 0, 0, 1, STYLE_HOT);
	screen_resize(&screen, 1, 1);
	put(0, 1, WIDE);
	assert_shows(ELLIPSIS "\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			screen_put_draws_at_its_position, start, stop),
		cmocka_unit_test_setup_teardown(
			screen_put_truncates_with_an_ellipsis, start, stop),
		cmocka_unit_test_setup_teardown(
			screen_put_ignores_cells_off_the_screen, start, stop),
		cmocka_unit_test_setup_teardown(
			wide_characters_take_two_columns, start, stop),
		cmocka_unit_test_setup_teardown(
			overwriting_half_a_wide_character_clears_the_other_half,
			start, stop),
		cmocka_unit_test_setup_teardown(
			combining_marks_join_the_character_before, start, stop),
		cmocka_unit_test_setup_teardown(control_characters_are_escaped,
						start, stop),
		cmocka_unit_test_setup_teardown(ascii_screen_has_only_ascii,
						start, stop),
		cmocka_unit_test_setup_teardown(screen_paint_keeps_the_text,
						start, stop),
		cmocka_unit_test_setup_teardown(
			pen_omits_text_that_does_not_fit, start, stop),
		cmocka_unit_test_setup_teardown(screen_sizes_are_limited, start,
						stop),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
