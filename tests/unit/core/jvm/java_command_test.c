/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/java_command.h"

#include "core/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Prints "main | VM's | program's", with commas between words. */
static void put_words(struct text *out, const struct java_words *w)
{
	for (size_t i = 0; i < w->count; i++)
		text_printf(out, i ? ",%s" : "%s", w->at[i]);
}

static void put_command(struct text *out, const struct java_command *c)
{
	text_printf(out, "%s | ", c->main_class ? c->main_class : "?");
	put_words(out, &c->vm_args);
	text_puts(out, " | ");
	put_words(out, &c->args);
	if (c->has_file)
		text_puts(out, " | @");
}

static void same(const char *cmdline, size_t len, enum java_launcher launcher,
		 const char *wanted)
{
	struct java_words words = { 0 };
	struct java_command c;
	struct text got = { 0 };

	java_words_of_nuls(&words, cmdline, len);
	java_command_read(&c, &words, launcher);
	put_command(&got, &c);
	assert_string_equal(got.bytes, wanted);
	text_release(&got);
	free(c.main_class);
	java_words_release(&c.vm_args);
	java_words_release(&c.args);
	java_words_release(&words);
}

#define JAVA(cmdline, wanted)                                                  \
	same((cmdline), sizeof(cmdline) - 1, JAVA_LAUNCHER_JAVA, wanted)
#define TOOL(cmdline, wanted)                                                  \
	same((cmdline), sizeof(cmdline) - 1, JAVA_LAUNCHER_OTHER, wanted)
#define JSVC(cmdline, wanted)                                                  \
	same((cmdline), sizeof(cmdline) - 1, JAVA_LAUNCHER_JSVC, wanted)

static void main_class_is_the_first_word_that_no_option_takes(void **state)
{
	(void)state;
	JAVA("java\0-Xmx1g\0-cp\0a.jar:b.jar\0com.acme.Main\0-Dx=1\0two "
	     "words\0",
	     "com.acme.Main | -Xmx1g,-cp,a.jar:b.jar | -Dx=1,two words");
	JAVA("java\0-Xmx1g\0-jar\0/opt/my app.jar\0-x\0",
	     "/opt/my app.jar | -Xmx1g | -x");
	JAVA("java\0-p\0mods\0-m\0my.app/com.acme.Main\0a\0",
	     "my.app/com.acme.Main | -p,mods | a");
	JAVA("java\0--module-path=mods\0--module=my.app\0b\0",
	     "my.app | --module-path=mods | b");
	JAVA("java\0--add-opens\0java.base/java.lang=ALL-UNNAMED\0Main\0",
	     "Main | --add-opens,java.base/java.lang=ALL-UNNAMED | ");
	JAVA("java\0Hello.java\0x\0", "Hello.java |  | x");
}

static void command_line_may_be_truncated_anywhere(void **state)
{
	(void)state;
	JAVA("", "? |  | ");
	JAVA("java", "? |  | ");
	JAVA("java\0-jar\0", "? |  | ");
	JAVA("java\0-cp\0", "? | -cp | ");
	JAVA("java\0-version\0", "? | -version | ");
	/* An empty word is not an option. */
	JAVA("java\0\0x\0", " |  | x");
}

static void behind_a_file_of_arguments_nothing_is_sure(void **state)
{
	(void)state;
	JAVA("java\0-Dmine=1\0@opts\0-Xrs\0S\0one\0",
	     "? | -Dmine=1,-Xrs | S,one | @");
	JAVA("java\0@opts\0-jar\0x.jar\0", "x.jar |  |  | @");
	JAVA("java\0--disable-@files\0@Main\0", "@Main |  | ");
	/* After the main class it is an ordinary argument. */
	JAVA("java\0Main\0@x\0", "Main |  | @x");
}

static void jdk_tool_passes_options_after_j(void **state)
{
	(void)state;
	TOOL("javac\0-J-Xmx64m\0-d\0out\0", "? | -Xmx64m | -d,out");
	TOOL("/opt/eclipse\0-vm\0x\0", "? |  | -vm,x");
}

static void options_of_a_variable_are_split(const char *text,
					    const char *wanted)
{
	struct java_words words = { 0 };
	struct text got = { 0 };

	java_words_of_options(&words, text, strlen(text));
	text_puts(&got, "");
	put_words(&got, &words);
	assert_string_equal(got.bytes, wanted);
	text_release(&got);
	java_words_release(&words);
}

static void either_quote_keeps_blanks(void **state)
{
	(void)state;
	options_of_a_variable_are_split("", "");
	options_of_a_variable_are_split(" \t\n ", "");
	options_of_a_variable_are_split("-Da=1  -Xrs\n", "-Da=1,-Xrs");
	options_of_a_variable_are_split("-Da=\"x y\" -Db='\"'",
					"-Da=x y,-Db=\"");
	options_of_a_variable_are_split("-Da=\"x y", "-Da=x y");
	options_of_a_variable_are_split("\"\" -Xrs", ",-Xrs");
}

static void main_class_of_jsvc_is_behind_its_options(void **state)
{
	(void)state;
	JSVC("jsvc.exec\0-nodetach\0-home\0/opt/jdk\0-user\0tomcat\0"
	     "-procname\0web\0-Dx=y\0org.apache.catalina.startup.Bootstrap\0"
	     "start\0-x\0",
	     "org.apache.catalina.startup.Bootstrap | -nodetach,-home,/opt/jdk,"
	     "-user,tomcat,-procname,web,-Dx=y | start,-x");
	JSVC("jsvc\0-pidfile\0", "? | -pidfile | ");
	assert_int_equal(java_launcher_of("jsvc"), JAVA_LAUNCHER_JSVC);
	assert_int_equal(java_launcher_of("java (deleted)"),
			 JAVA_LAUNCHER_JAVA);
	assert_int_equal(java_launcher_of("javac"), JAVA_LAUNCHER_OTHER);
}

static void words_move_appends_words(void **state)
{
	struct java_words a = { 0 }, b = { 0 }, none = { 0 };

	(void)state;
	java_words_move(&a, &none);
	assert_null(a.at);
	java_words_add(&b, "x", 1);
	java_words_move(&a, &b);
	assert_int_equal(a.count, 1);
	assert_null(a.at[1]);
	assert_null(b.at);
	java_words_release(&a);
}

static void too_many_words_are_cut(void **state)
{
	static char nuls[JAVA_WORDS_MAX + 1], spaces[2 * JAVA_WORDS_MAX + 1];
	struct java_words a = { 0 }, b = { 0 };

	(void)state;
	java_words_of_nuls(&a, nuls, JAVA_WORDS_MAX);
	assert_int_equal(a.count, JAVA_WORDS_MAX);
	assert_false(a.is_cut);
	for (size_t i = 0; i < sizeof(spaces); i++)
		spaces[i] = i % 2 ? ' ' : 'a';
	java_words_of_options(&b, spaces, sizeof(spaces));
	assert_int_equal(b.count, JAVA_WORDS_MAX);
	assert_true(b.is_cut);
	java_words_move(&a, &b);
	assert_int_equal(a.count, JAVA_WORDS_MAX);
	assert_true(a.is_cut);
	java_words_release(&a);
	java_words_of_nuls(&a, nuls, sizeof(nuls));
	assert_int_equal(a.count, JAVA_WORDS_MAX);
	assert_true(a.is_cut);
	java_words_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			main_class_is_the_first_word_that_no_option_takes),
		cmocka_unit_test(command_line_may_be_truncated_anywhere),
		cmocka_unit_test(behind_a_file_of_arguments_nothing_is_sure),
		cmocka_unit_test(jdk_tool_passes_options_after_j),
		cmocka_unit_test(either_quote_keeps_blanks),
		cmocka_unit_test(main_class_of_jsvc_is_behind_its_options),
		cmocka_unit_test(words_move_appends_words),
		cmocka_unit_test(too_many_words_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
