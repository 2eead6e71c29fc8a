/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/mcp/mcp.h"

#include "cmd/commands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct mcp_rules read_only = { .directory = -1 };
static const struct mcp_rules all = { .directory = -1, .allowed = ~0U };

/* Appends the command line of a call, or the reason of its refusal. */
static void add_command(struct text *out, const char *tool,
			const char *arguments, const struct mcp_rules *rules)
{
	struct mcp_values v;
	struct error err;
	char **words;

	if (mcp_values_read(&v, mcp_tool_find(tool), rules, mcp_line(arguments),
			    &err)) {
		text_printf(out, "%d: %s", (int)err.kind, err.text);
		mcp_values_release(&v);
		return;
	}
	words = mcp_values_command(&v, rules);
	for (size_t i = 0; words[i]; i++)
		text_printf(out, "%s%s", i ? " " : "", words[i]);
	mcp_words_free(words);
	mcp_values_release(&v);
}

static void assert_command(const char *tool, const char *arguments,
			   const struct mcp_rules *rules, const char *wanted)
{
	struct text out = { 0 };

	add_command(&out, tool, arguments, rules);
	assert_string_equal(out.len ? out.bytes : "", wanted);
	text_release(&out);
}

static void gentle_commands_run_without_rights(void **state)
{
	(void)state;
	assert_command("list_jvms", "{}", &read_only, "jps --json --no-attach");
	assert_command("why", "{\"pid\":7}", &read_only,
		       "why --json --no-attach --no-uprobes --duration=15s "
		       "--pid=7");
	assert_command("why", "{\"pid\":7,\"seconds\":5}", &all,
		       "why --json --duration=5s --pid=7");
	assert_command("gc", "{\"pid\":7}", &read_only,
		       "gc --json --source=counters --duration=15s --pid=7");
	assert_command("gc", "{\"pid\":7,\"safepoints\":true}", &all,
		       "gc --json --safepoints --duration=15s --pid=7");
	assert_command("profile", "{\"pid\":7,\"event\":\"offcpu\"}",
		       &read_only,
		       "prof --json --log-format=json --no-agent "
		       "--event=offcpu --duration=10s --pid=7");
}

static void rights_are_required_by_what_a_call_does(void **state)
{
	static const struct {
		const char *tool, *arguments, *right;
	} calls[] = {
		{ "threads", "{\"pid\":7}", "stop" },
		{ "histogram", "{\"pid\":7}", "stop" },
		{ "probe", "{\"pid\":7,\"method\":\"A.b\"}", "probe" },
		{ "profile", "{\"pid\":7,\"event\":\"alloc\"}", "load" },
		{ "profile", "{\"pid\":7,\"agent\":true}", "load" },
		{ "profile", "{\"pid\":7,\"save\":\"a.jfr\"}", "files" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		char wanted[200];

		snprintf(wanted, sizeof(wanted),
			 "%d: not allowed by this server; its user can restart "
			 "it with `sjkc mcp --allow %s`",
			 ERROR_PERMISSION, calls[i].right);
		assert_command(calls[i].tool, calls[i].arguments, &read_only,
			       wanted);
	}
	assert_command("profile", "{\"pid\":7,\"event\":\"alloc\"}", &all,
		       "prof --json --log-format=json --event=alloc "
		       "--duration=10s --pid=7");
}

static void no_argument_becomes_an_option(void **state)
{
	(void)state;
	assert_command("probe", "{\"pid\":7,\"method\":\"--all\"}", &all,
		       "2: method must not begin with '-'");
	assert_command("probe", "{\"pid\":7,\"method\":\"A.b --all\"}", &all,
		       "probe --json --duration=10s --pid=7 -- A.b --all");
	assert_command("profile", "{\"pid\":7,\"callers_of\":\"x=-p {pid}\"}",
		       &all,
		       "prof --json --log-format=json --no-agent "
		       "--callers-of=x=-p {pid} --duration=10s --pid=7");
	assert_command("why", "{\"pid\":\"7\"}", &all,
		       "2: pid must be an integer");
	assert_command("why", "{\"pid\":-7}", &all,
		       "2: pid must be 1 to 2147483647");
	assert_command("why", "{\"pid\":7.5}", &all,
		       "2: pid must be an integer");
	assert_command("probe", "{\"pid\":7,\"method\":\"A\\nb\"}", &all,
		       "2: method has a control character");
	assert_command("probe", "{\"pid\":7,\"method\":\"A\\u0000b\"}", &all,
		       "2: method has a control character");
}

static void arguments_are_checked_by_the_table(void **state)
{
	(void)state;
	assert_command("why", NULL, &all,
		       "2: missing argument pid: process ID of the JVM, from "
		       "list_jvms");
	assert_command("why", "{\"pid\":7,\"pid\":8}", &all,
		       "2: pid is given twice");
	assert_command("why", "{\"pid\":7,\"secs\":8}", &all,
		       "2: unknown argument 'secs'; why has pid, seconds, "
		       "limit");
	assert_command("why", "{\"pid\":7,\"seconds\":61}", &all,
		       "2: seconds must be 1 to 60");
	assert_command("why", "{\"pid\":7,\"limit\":50000}", &all,
		       "2: limit must be 6000 to 40000");
	assert_command("profile", "{\"pid\":7,\"event\":\"heap\"}", &all,
		       "2: event must be one of "
		       "cpu|offcpu|wall|alloc|lock|park");
	assert_command("threads", "{\"virtual\":false,\"virtual\":true}", &all,
		       "2: virtual is given twice");
	assert_command("threads", "{\"pid\":7,\"virtual\":1}", &all,
		       "2: virtual must be true or false");
}

/* Without an argument, a command would choose a JVM itself. */
static void no_command_chooses_a_jvm(void **state)
{
	(void)state;
	assert_command("profile", "{}", &all,
		       "2: missing argument pid: process ID of the JVM, from "
		       "list_jvms");
	assert_command("compare", "{\"other_pid\":7}", &all,
		       "2: missing argument pid: process ID of the JVM with a "
		       "problem");
	assert_command("compare", "{\"pid\":7}", &all,
		       "2: missing argument other_pid: process ID of a healthy "
		       "JVM");
	assert_command("read_file", "{\"view\":\"profile\"}", &all,
		       "2: missing argument path: a file in the server's "
		       "directory");
	assert_command("read_file", "{\"view\":\"causes\"}", &all,
		       "2: missing argument path: a file in the server's "
		       "directory");
	assert_command("read_file", "{\"path\":\"a\"}", &all,
		       "4: this server reads and writes no files; its user can "
		       "restart it with `sjkc mcp --dir DIR`");
}

/* The words of the table name commands, options and arguments that exist. */
static void check_word(const struct command *c, const struct mcp_tool *t,
		       const char *word)
{
	const char *option = strstr(word, "--");
	size_t len = option ? strcspn(option + 2, "=") : 0;
	const char *brace = strchr(word, '{');
	const struct command_option *o = NULL;
	const struct mcp_arg *a = t->args;

	while (len && (o = command_next_option(c, o)) &&
	       (strlen(o->name) != len ||
		memcmp(o->name, option + 2, len) != 0))
		;
	if (len && !o)
		fail_msg("%s: no option of %s: %s", t->name, c->name, word);
	while (brace && a->kind &&
	       strncmp(brace + 1, a->name, strcspn(brace + 1, "}")) != 0)
		a++;
	if (brace && !a->kind)
		fail_msg("%s: no argument: %s", t->name, word);
}

static void table_names_existing_options_and_arguments(void **state)
{
	(void)state;
	for (const struct mcp_tool *t = mcp_tools; t->name; t++)
		for (const struct mcp_variant *v = t->variants; v->shape; v++) {
			struct line rest = mcp_line(v->words);
			const struct command *c = NULL;

			while (rest.len) {
				struct line raw = line_cut(&rest, ' ');
				char word[100] = "";

				memcpy(word, raw.text, raw.len);
				if (c)
					check_word(c, t, word);
				else if (!(c = command_find(word)))
					break;
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gentle_commands_run_without_rights),
		cmocka_unit_test(rights_are_required_by_what_a_call_does),
		cmocka_unit_test(no_argument_becomes_an_option),
		cmocka_unit_test(arguments_are_checked_by_the_table),
		cmocka_unit_test(no_command_chooses_a_jvm),
		cmocka_unit_test(table_names_existing_options_and_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
