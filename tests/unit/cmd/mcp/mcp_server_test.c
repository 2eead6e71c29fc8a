/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/mcp/mcp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define META                                                                   \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"              \
	"\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}"

static const struct mcp_rules none = { .directory = -1 };

static struct mcp_server *server;

static int set_up(void **state)
{
	(void)state;
	server = mcp_server_new(&none);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	mcp_server_free(server);
	return 0;
}

/* Returns the answer to a line, until the next call. */
static const char *answer(const char *line)
{
	struct text *out = mcp_server_out(server);

	text_clear(out);
	text_puts(out, "");
	mcp_server_take(server, line, strlen(line));
	return out->bytes;
}

static void assert_answer(const char *line, const char *wanted)
{
	assert_string_equal(answer(line), wanted);
}

static void assert_has(const char *line, const char *part)
{
	const char *text = answer(line);

	if (!strstr(text, part))
		fail_msg("%s\nlacks %s: %s", line, part, text);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void initialize(const char *version)
{
	char line[200];

	snprintf(line, sizeof(line),
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
		 "\"params\":{\"protocolVersion\":\"%s\"}}",
		 version);
	answer(line);
}

static void ids_return_with_their_type(void **state)
{
	static const char *const ids[] = { "0",
					   "-1",
					   "\"\"",
					   "\"a\\\"b\\n\"",
					   "\"17\"",
					   "9007199254740993",
					   "\"\\u0000\\u200b\\/\"" };

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		char line[100], wanted[100];

		snprintf(line, sizeof(line),
			 "{\"method\":\"ping\",\"id\":%s,\"jsonrpc\":\"2.0\"}",
			 ids[i]);
		snprintf(wanted, sizeof(wanted),
			 "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n",
			 ids[i]);
		assert_answer(line, wanted);
	}
}

static void wrong_lines_get_the_codes_of_json_rpc(void **state)
{
	(void)state;
	assert_has("{", "\"2.0\",\"error\":{\"code\":-32700,");
	assert_has("x", "-32700");
	assert_has("{\"id\":1,\"id\" 2}", "-32700");
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}",
		   "-32700");
	assert_has("[]", "-32600");
	assert_has("{}", "-32600");
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
		   "\"2.0\",\"error\":{\"code\":-32600,");
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
		   "-32600");
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}",
		   "-32600");
	assert_has("{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}",
		   "\"id\":7,\"error\":{\"code\":-32600,");
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"pong\"}",
		   "\"id\":7,\"error\":{\"code\":-32601,");
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\","
		   "\"params\":[]}",
		   "\"id\":7,\"error\":{\"code\":-32602,");
}

/* Also in members that the server does not read. */
static void lines_must_be_json_and_members_unique(void **state)
{
	static const char *const invalid[] = { "[01]",     "{x:1}",
					       "[1,]",     "\"\\ud800\"",
					       "\"\xff\"", "\"\t\"" };
	char line[200];

	(void)state;
	for (size_t i = 0; i < sizeof(invalid) / sizeof(*invalid); i++) {
		snprintf(line, sizeof(line),
			 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\","
			 "\"params\":{\"a\":%s}}",
			 invalid[i]);
		assert_has(line,
			   "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,");
	}
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\","
		   "\"\\u006dethod\":\"tools/list\"}",
		   "\"id\":7,\"error\":{\"code\":-32600,");
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\","
		   "\"params\":{\"_meta\":{},\"_meta\":{}}}",
		   "\"id\":7,\"error\":{\"code\":-32600,");
}

static void batches_belong_to_one_version(void **state)
{
	static const char batch
		[] = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
		     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
		     "initialized\"},"
		     "[],{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]";
	struct text many = { 0 };

	(void)state;
	initialize("2025-06-18");
	assert_has(batch, "-32600");
	initialize("2025-03-26");
	assert_answer(batch,
		      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
		      "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":"
		      "-32600,\"message\":\"a message must be an object\"}}\n"
		      "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
	assert_has("[", "-32700");
	assert_has("[]", "a batch must have 1 to 50 messages");
	for (int i = 0; i < 51; i++)
		text_puts(&many, i ? ",{\"result\":1}" : "[{\"result\":1}");
	text_putc(&many, ']');
	assert_has(many.bytes, "a batch must have 1 to 50 messages");
	text_release(&many);
}

static void notifications_and_answers_get_no_answer(void **state)
{
	(void)state;
	assert_answer("", "");
	assert_answer("\r", "");
	assert_answer("{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}", "");
	assert_answer("{\"jsonrpc\":\"2.0\",\"method\":"
		      "\"notifications/initialized\"}",
		      "");
	assert_answer("{\"jsonrpc\":\"2.0\",\"method\":"
		      "\"notifications/cancelled\",\"params\":{\"requestId\":"
		      "9}}",
		      "");
	assert_answer("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "");
}

static void initialize_returns_a_version_that_the_client_knows(void **state)
{
	(void)state;
	initialize("2025-03-26");
	assert_non_null(strstr(mcp_server_out(server)->bytes,
			       "\"protocolVersion\":\"2025-03-26\""));
	initialize("2030-01-01");
	assert_non_null(strstr(mcp_server_out(server)->bytes,
			       "\"protocolVersion\":\"2025-11-25\""));
}

static void each_request_has_its_era(void **state)
{
	(void)state;
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
		   "-32602");
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
		   "\"params\":{" META "}}",
		   "\"ttlMs\":3600000,\"cacheScope\":\"private\",\"_meta\"");
	initialize("2025-11-25");
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
		   "\"result\":{\"tools\":[{\"name\":\"list_jvms\"");
	assert_null(strstr(mcp_server_out(server)->bytes, "ttlMs"));
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\","
		   "\"params\":{" META "}}",
		   "-32601");
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
		   "\"server/discover\"}",
		   "-32601");
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
		   "\"server/discover\",\"params\":{" META "}}",
		   "{\"resultType\":\"complete\",\"supportedVersions\":"
		   "[\"2026-07-28\"]");
}

static void unknown_modern_version_gets_the_known_ones(void **state)
{
	(void)state;
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
		   "\"params\":{\"_meta\":{\"io.modelcontextprotocol/"
		   "protocolVersion\":\"2031-01-01\",\"io."
		   "modelcontextprotocol/clientCapabilities\":{}}}}",
		   "{\"code\":-32022,\"message\":\"unsupported protocol "
		   "version\",\"data\":{\"supported\":[\"2026-07-28\",");
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
		   "\"params\":{\"_meta\":{\"io.modelcontextprotocol/"
		   "protocolVersion\":\"2026-07-28\"}}}",
		   "-32602");
}

static void
call_of_no_tool_is_an_error_and_of_a_refused_one_is_none(void **state)
{
	(void)state;
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
		   "\"params\":{\"name\":\"rm\"," META "}}",
		   "\"error\":{\"code\":-32602,");
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
		   "\"params\":{\"name\":\"threads\",\"arguments\":{\"pid\":1}"
		   "," META "}}",
		   "`sjkc mcp --allow stop`\"}],\"isError\":true,");
	assert_has("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
		   "\"params\":{\"name\":\"why\",\"arguments\":[1]," META "}}",
		   "\"error\":{\"code\":-32602,");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ids_return_with_their_type,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			wrong_lines_get_the_codes_of_json_rpc, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			lines_must_be_json_and_members_unique, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(batches_belong_to_one_version,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			notifications_and_answers_get_no_answer, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			initialize_returns_a_version_that_the_client_knows,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_request_has_its_era,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			unknown_modern_version_gets_the_known_ones, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			call_of_no_tool_is_an_error_and_of_a_refused_one_is_none,
			set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
