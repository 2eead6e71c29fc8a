/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/commands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bool command_has(const struct command *c, const char *name, size_t len)
{
	const struct command_option *o = NULL;

	while ((o = command_next_option(c, o)) &&
	       (strlen(o->name) != len || memcmp(o->name, name, len) != 0))
		;
	return o;
}

/* Returns the number of names. */
static size_t check_names(const struct command *c,
			  const struct command_option *o, const char *names)
{
	size_t count = 0;

	for (const char *at = names; at && *at; at += *at == '|') {
		size_t len = strcspn(at, "|");

		if (!command_has(c, at, len))
			fail_msg("%s --%s names the unknown option '%.*s'",
				 c->name, o->name, (int)len, at);
		at += len;
		count++;
	}
	return count;
}

/* A misspelled name would exclude nothing. */
static void options_exclude_and_require_options_of_the_command(void **state)
{
	size_t count = 0;

	(void)state;
	for (size_t i = 0; commands[i]; i++) {
		for (const struct command_option *o = NULL;
		     (o = command_next_option(commands[i], o));) {
			count += check_names(commands[i], o, o->excludes);
			count += check_names(commands[i], o, o->requires);
		}
	}
	assert_true(count > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			options_exclude_and_require_options_of_the_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
