/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/net/command_line.h"

#include "core/base/text.h"

// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

/* Compares the words, each in <>. */
static void assert_words(char **words, const char *expected)
{
	struct text all = { 0 };

	for (size_t i = 0; words[i]; i++)
		text_printf(&all, "<%s>", words[i]);
	assert_string_equal(all.bytes, expected);
	text_release(&all);
}

static void assert_parses(const char *text, const char *expected)
{
	struct command_line c;
	struct error err = { 0 };

	assert_int_equal(command_line_parse(&c, text, &err), 0);
	assert_words(c.words, expected);
	command_line_release(&c);
}

static void words_are_split_at_spaces_outside_quotes(void **state)
{
	(void)state;
	assert_parses("ssh -W {host}:{port} bastion",
		      "<ssh><-W><{host}:{port}><bastion>");
	assert_parses("  a\tb  ", "<a><b>");
	assert_parses("a 'b  c' \"d e\"", "<a><b  c><d e>");
	assert_parses("a '' \"\"", "<a><><>");
	assert_parses("a b' 'c\"d\"", "<a><b cd>");
	assert_parses("a 'b\\'c", "<a><b\\c>");
	assert_parses("a \"b\\\"c\\\\d\\e\"", "<a><b\"c\\d\\e>");
	assert_parses("a b\\ c\\'d \\\\", "<a><b c'd><\\>");
	assert_parses("a $HOME `id` *;|&", "<a><$HOME><`id`><*;|&>");
}

static void assert_refused(const char *text, const char *why)
{
	struct command_line c;
	struct error err = { 0 };

	assert_int_equal(command_line_parse(&c, text, &err), -1);
	assert_int_equal(err.kind, ERROR_MISUSE);
	assert_non_null(strstr(err.text, why));
}

static void invalid_command_is_misuse(void **state)
{
	char many[4 * COMMAND_WORDS_MAX];

	(void)state;
	assert_refused("", "the command is empty");
	assert_refused(" \t", "the command is empty");
	assert_refused("'' a", "the command is empty");
	assert_refused("a 'b", "unterminated quote");
	assert_refused("a \"b\\\"", "unterminated quote");
	assert_refused("/bin/{host} a", "choose the program");
	assert_refused("nc{port}", "choose the program");
	memset(many, ' ', sizeof(many));
	for (size_t i = 0; i <= COMMAND_WORDS_MAX; i++)
		many[2 * i] = 'a';
	many[2 * COMMAND_WORDS_MAX + 1] = '\0';
	assert_refused(many, "more than 64 words");
}

static char **words_for(const char *text, const char *host, struct error *err)
{
	struct command_line c;
	char **words;

	assert_int_equal(command_line_parse(&c, text, err), 0);
	words = command_line_words(&c, host, 9010, err);
	command_line_release(&c);
	return words;
}

static void host_and_port_are_substituted(void **state)
{
	struct error err = { 0 };
	char **words = words_for("nc -w{port} {host}x{host} {hos} {port} {",
				 "10.0.0.7", &err);

	(void)state;
	assert_words(words, "<nc><-w9010><10.0.0.7x10.0.0.7><{hos}><9010><{>");
	command_words_free(words);
	words = words_for("sh -c 'nc {host} {port}'", "fe80::1", &err);
	assert_words(words, "<sh><-c><nc fe80::1 9010>");
	command_words_free(words);
	/* Replaced text is not parsed again. */
	words = words_for("nc {host}", "_a-b.c", &err);
	assert_words(words, "<nc><_a-b.c>");
	command_words_free(words);
}

static void hosts_that_a_shell_or_option_parser_reads_are_rejected(void **state)
{
	static const char *const hostile[] = {
		"",        "-oProxyCommand=id",
		"a b",     "a;id",
		"$(id)",   "`id`",
		"a\nb",    "a/b",
		"a'b",     "a\"b",
		"{port}",  "h\xc3\xa4",
		"fe80%1",  "a|b",
		"\x1b[2J",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		struct error err = { 0 };

		assert_null(words_for("nc {host}", hostile[i], &err));
		assert_int_equal(err.kind, ERROR_REFUSED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_split_at_spaces_outside_quotes),
		cmocka_unit_test(invalid_command_is_misuse),
		cmocka_unit_test(host_and_port_are_substituted),
		cmocka_unit_test(
			hosts_that_a_shell_or_option_parser_reads_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
