/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/mcp/mcp.h"

#include "core/diagnosis/diagnosis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static unsigned allowed = ~0U; /* rights of the server */

/* Appends the answer of a tool whose command wrote this document. */
static void add_answer(struct text *out, const char *tool, const char *document,
		       size_t limit)
{
	const struct mcp_rules rules = { .directory = -1, .allowed = allowed };
	const struct mcp_tool *t = mcp_tool_find(tool);
	const struct mcp_values values = {
		.all = { { .is_given = true, .number = 7 } },
		.tool = t,
		.variant = t->variants,
		.limit = limit,
	};
	struct text id = { 0 }, messages = { 0 };
	const struct mcp_answer a = {
		.id = &id,
		.values = &values,
		.rules = &rules,
		.document = document,
		.len = strlen(document),
		.messages = &messages,
	};

	text_puts(&id, "1");
	text_puts(&messages, "");
	mcp_answer_write(out, &a);
	text_release(&id);
	text_release(&messages);
}

static void assert_structured(const char *tool, const char *document,
			      const char *wanted)
{
	struct text out = { 0 };
	const char *from;

	add_answer(&out, tool, document, MCP_ANSWER);
	from = strstr(out.bytes, "\"structuredContent\":");
	assert_non_null(from);
	if (!strstr(from, wanted))
		fail_msg("%s\nlacks %s", from, wanted);
	text_release(&out);
}

static void members_that_say_nothing_are_omitted(void **state)
{
	(void)state;
	assert_structured(
		"why",
		"{\"schema\":\"sjkc.why/1\",\"pid\":7,\"causes\":[],"
		"\"lost\":null,\"x\":{\"a\":null,\"b\":[],"
		"\"c\":false,\"d\":\"\",\"e\":0}}\n",
		"{\"summary\":\"Diagnose a JVM; causes: 0\",\"pid\":7,"
		"\"causes\":[],\"x\":{\"e\":0},\"messages\":[],");
}

static void numbers_are_short_and_keep_their_value(void **state)
{
	(void)state;
	assert_structured("why",
			  "{\"a\":0.138108200787919,\"b\":-1243634822.49668,"
			  "\"c\":12345678901234567,\"d\":1.5e300}",
			  "\"a\":0.13811,\"b\":-1243634822,"
			  "\"c\":12345678901234567,\"d\":1.5e+300");
}

static void causes_lead_to_calls_of_tools(void **state)
{
	(void)state;
	assert_structured(
		"why",
		"{\"causes\":[{\"next\":\"ttop 7 -o RUNQ\"},{\"next\":\"prof "
		"7 -e lock\"},{\"next\":\"prof 7 -e lock\"},{\"next\":\"mem 7 "
		"--watch 10s\"},{\"next\":\"gc 7\"}]}",
		"\"next\":[{\"tool\":\"profile\",\"arguments\":{\"pid\":7}},"
		"{\"tool\":\"profile\",\"arguments\":{\"pid\":7,\"event\":"
		"\"lock\"}},{\"tool\":\"memory\",\"arguments\":{\"pid\":7}}]}");
	assert_structured(
		"why",
		"{\"causes\":[{\"next\":\"probe 7 'FileInputStream.<init>' "
		"--system --stack --above 0\"}]}",
		"\"next\":[{\"tool\":\"probe\",\"arguments\":{\"pid\":7,"
		"\"method\":\"FileInputStream.<init>\",\"system\":true,"
		"\"stack\":true,\"above\":\"0\"}}]");
	assert_structured("why",
			  "{\"causes\":[{\"next\":\"threads 7 --count 3\"}]}",
			  "{\"tool\":\"threads\",\"arguments\":{\"pid\":7,"
			  "\"count\":3}}");
	assert_structured("why", "{\"causes\":[{\"next\":\"doctor 7\"}]}",
			  "\"next\":[{\"tool\":\"profile\",\"arguments\":"
			  "{\"pid\":7,\"event\":\"offcpu\"}}]}");
}

static void calls_that_the_server_refuses_are_replaced(void **state)
{
	(void)state;
	allowed = 0;
	assert_structured("why",
			  "{\"causes\":[{\"next\":\"prof 7 -e lock\"},{\"next"
			  "\":\"hh 7 --live\"}]}",
			  "\"next\":[{\"tool\":\"profile\",\"arguments\":"
			  "{\"pid\":7,\"event\":\"offcpu\"}},{\"tool\":\"gc\","
			  "\"arguments\":{\"pid\":7}}]}");
	allowed = MCP_STOP;
	assert_structured("why", "{\"causes\":[{\"next\":\"prof 7 -e lock\"}]}",
			  "\"next\":[{\"tool\":\"threads\",\"arguments\":"
			  "{\"pid\":7}}]}");
	allowed = ~0U;
}

static void jvms_lead_to_why(void **state)
{
	(void)state;
	assert_structured("list_jvms", "{\"jvms\":[{\"pid\":8},{\"pid\":9}]}",
			  "\"next\":[{\"tool\":\"why\",\"arguments\":{\"pid\":"
			  "8}},{\"tool\":\"why\",\"arguments\":{\"pid\":9}}]}");
}

/*
 * Without rights, too; except doctor. compare would otherwise suggest why.
 */
static void each_rule_leads_to_a_call(void **state)
{
	(void)state;
	allowed = 0;
	for (size_t i = 0; i < diagnosis_rule_count; i++) {
		struct text document = { 0 }, command = { 0 }, out = { 0 };
		struct json j = json_into(&document);

		text_printf(&command, diagnosis_rules[i].next, "7");
		json_open_object(&j);
		json_add_array(&j, "causes");
		json_open_object(&j);
		json_add_text(&j, "next", command.bytes);
		json_close_object(&j);
		json_close_array(&j);
		json_end_document(&j);
		add_answer(&out, "compare", document.bytes, MCP_ANSWER);
		if (strstr(out.bytes, "{\"tool\":\"why\"") &&
		    strncmp(command.bytes, "doctor", 6) != 0)
			fail_msg("%s", command.bytes);
		text_release(&document);
		text_release(&command);
		text_release(&out);
	}
	allowed = ~0U;
}

static void blocked_threads_come_first_and_stacks_once(void **state)
{
	(void)state;
	assert_structured(
		"threads",
		"{\"threads\":[{\"name\":\"idle\",\"blocked\":null,\"stack\":0}"
		","
		"{\"name\":\"b1\",\"blocked\":{\"lock\":\"L\"},\"stack\":1},"
		"{\"name\":\"b2\",\"blocked\":{\"lock\":\"L\"},\"stack\":1},"
		"{\"name\":\"d\",\"blocked\":{\"deadlock\":1},\"stack\":1},"
		"{\"name\":\"runs\",\"activity\":\"runs\",\"stack\":null}],"
		"\"stacks\":[[\"a.b(C.java:1)\"],[\"x.y(Z.java:2)\",\"t\"]]}",
		"\"threads\":[{\"name\":\"d\",\"blocked\":{\"deadlock\":1},"
		"\"stack\":[\"x.y(Z.java:2)\",\"t\"],"
		"\"threads_with_this_stack\":3},{\"name\":\"b1\",\"blocked\":"
		"{\"lock\":\"L\"},\"stack\":[\"x.y(Z.java:2)\",\"t\"],"
		"\"threads_with_this_stack\":3},{\"name\":\"runs\","
		"\"activity\":\"runs\"},{\"name\":\"idle\",\"stack\":"
		"[\"a.b(C.java:1)\"]},{\"name\":\"b2\",");
}

/* A document with many long hostile names. */
static void add_threads(struct text *out, size_t count)
{
	struct json j = json_document(out, "sjkc.threads/1");

	json_add_array(&j, "threads");
	for (size_t i = 0; i < count; i++) {
		char name[300];

		memset(name, "x\"\n\xc3"[i % 4], sizeof(name));
		json_open_object(&j);
		json_add_string(&j, "name", name, sizeof(name));
		json_add_uint(&j, "stack", i);
		json_close_object(&j);
	}
	json_close_array(&j);
	json_add_array(&j, "stacks");
	for (size_t i = 0; i < count; i++) {
		json_open_array(&j);
		for (size_t k = 0; k < 50; k++)
			json_text(&j, "com.example.Service.call(A.java:1)");
		json_close_array(&j);
	}
	json_close_array(&j);
	json_end_document(&j);
}

/* Those of a cause, and of its command, which leads to no call. */
static void hostile_texts_stay_in_bounded_strings(void **state)
{
	static const char hostile[] = "\"}],\"next\":[{\"tool\":\"probe\"}]"
				      "\n\x1b]52;c;x\a\xe2\x80\xae"
				      "{\"jsonrpc\":\"2.0\"}";
	struct text document = { 0 }, name = { 0 }, out = { 0 };
	struct json j = json_into(&document);

	(void)state;
	for (size_t i = 0; i < 10; i++)
		text_puts(&name, hostile);
	json_open_object(&j);
	json_add_array(&j, "causes");
	json_open_object(&j);
	json_add_text(&j, "sentence", name.bytes);
	json_add_text(&j, "next", name.bytes);
	json_close_object(&j);
	json_close_array(&j);
	json_end_document(&j);
	add_answer(&out, "why", document.bytes, MCP_ANSWER);
	assert_true(out.len < 1500);
	for (const char *at = out.bytes; at < out.bytes + out.len - 1; at++)
		assert_true((unsigned char)*at >= ' ' && *at != '\x7f');
	assert_null(strstr(out.bytes, "\xe2\x80\xae"));
	assert_non_null(strstr(out.bytes, "\"next\":[{\"tool\":\"profile\","));
	assert_null(strstr(out.bytes, "\"next\":[{\"tool\":\"probe\""));
	text_release(&document);
	text_release(&name);
	text_release(&out);
}

static void large_documents_fit_each_limit(void **state)
{
	static const size_t limits[] = { MCP_ANSWER_LEAST, MCP_ANSWER,
					 MCP_ANSWER_MAX };
	struct text document = { 0 };

	(void)state;
	add_threads(&document, 2000);
	for (size_t i = 0; i < 3; i++) {
		struct text out = { 0 };
		struct json_reader r;

		add_answer(&out, "threads", document.bytes, limits[i]);
		assert_true(out.len <= limits[i]);
		assert_true(out.len > limits[i] / 4);
		assert_non_null(strstr(out.bytes, " of 2000 shown"));
		assert_ptr_equal(strchr(out.bytes, '\n'),
				 out.bytes + out.len - 1);
		r = json_reader_over(out.bytes, out.len);
		json_skip(&r);
		assert_true(json_reader_at_end(&r));
		text_release(&out);
	}
	text_release(&document);
}

static void damaged_documents_leave_the_rest_of_the_answer(void **state)
{
	static const char whole[] = "{\"causes\":[{\"rule\":\"a\",\"x\":"
				    "{\"y\":[1,2.5,\"z\"]}}],\"fine\":[]}";

	(void)state;
	for (size_t len = 0; len < sizeof(whole); len++) {
		char cut[sizeof(whole)] = "";
		struct text out = { 0 };
		struct json_reader r;

		memcpy(cut, whole, len);
		add_answer(&out, "why", cut, MCP_ANSWER);
		r = json_reader_over(out.bytes, out.len);
		json_skip(&r);
		assert_true(json_reader_at_end(&r));
		assert_non_null(strstr(out.bytes, "\"isError\":false}"));
		assert_int_equal(len && len < sizeof(whole) - 1,
				 strstr(out.bytes, "not valid JSON") != NULL);
		text_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_that_say_nothing_are_omitted),
		cmocka_unit_test(numbers_are_short_and_keep_their_value),
		cmocka_unit_test(causes_lead_to_calls_of_tools),
		cmocka_unit_test(calls_that_the_server_refuses_are_replaced),
		cmocka_unit_test(jvms_lead_to_why),
		cmocka_unit_test(each_rule_leads_to_a_call),
		cmocka_unit_test(blocked_threads_come_first_and_stacks_once),
		cmocka_unit_test(hostile_texts_stay_in_bounded_strings),
		cmocka_unit_test(large_documents_fit_each_limit),
		cmocka_unit_test(
			damaged_documents_leave_the_rest_of_the_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
