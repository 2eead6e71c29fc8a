/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words. */
#include "core/base/ascii.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void text_has_one_of_the_words(void **state)
{
	(void)state;
	assert_true(has_any("pthread_cond_wait", "sem_wait|cond_wait", false));
	assert_false(has_any("pthread_cond_wait", "sem_wait|cond_wait", true));
	assert_true(has_any("cond_wait@2", "sem_wait|cond_wait", true));
	assert_false(has_any("cond", "sem_wait|cond_wait", true));
	assert_false(has_any("cond", "", true));
	assert_false(has_any("", "cond", false));
	assert_false(has_any(NULL, "cond", false));
}

static bool has(const char *words, const char *word)
{
	return word_list_has(words, ' ', word, strlen(word));
}

static void list_has_whole_words(void **state)
{
	(void)state;
	assert_true(has("read read0 write", "read"));
	assert_true(has("read read0 write", "read0"));
	assert_true(has("read read0 write", "write"));
	assert_false(has("read read0 write", "rea"));
	assert_false(has("read read0 write", "read1"));
	/* A hostile dump has methods without a name, or with spaces. */
	assert_false(has("read read0 write", ""));
	assert_false(has("read read0 write", "read read0"));
	assert_false(has("", "read"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_one_of_the_words),
		cmocka_unit_test(list_has_whole_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
