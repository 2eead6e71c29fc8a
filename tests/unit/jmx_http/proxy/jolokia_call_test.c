/* SPDX-License-Identifier: Apache-2.0 */
/* Which Jolokia requests pass the proxy. */
#include "jmx_http/proxy/jolokia_call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define READ  "{\"type\":\"read\",\"mbean\":\"a:b=c\",\"attribute\":\"X\"}"
#define WRITE "{\"type\":\"write\",\"mbean\":\"a:b=c\",\"attribute\":\"X\"}"

static const char *const targets[] = {
	"service:jmx:rmi:///jndi/rmi://a:1/x",
	"b:2",
};
static const struct jolokia_rules any = { 0 }, reading = { .read_only = true };
static const struct jolokia_rules targeting = { .targets = targets,
						.target_count = 2 };
static struct jolokia_call call;

/* Judges a body in pieces of step bytes. */
static int body_verdict(const struct jolokia_rules *rules, const char *body,
			size_t len, size_t step)
{
	jolokia_call_begin(&call, rules);
	for (size_t at = 0; at < len; at += step)
		jolokia_call_read(&call, body + at,
				  len - at < step ? len - at : step);
	return (int)jolokia_call_end(&call);
}

/* The verdict must not depend on how a body arrives. */
static void check_body(const struct jolokia_rules *rules, const char *body,
		       int wanted)
{
	size_t len = strlen(body);

	if (body_verdict(rules, body, len, 1) != wanted ||
	    body_verdict(rules, body, len, len ? len : 1) != wanted)
		fail_msg("%s: %s", body, call.why ? call.why : "passes");
}

static void check_path(const struct jolokia_rules *rules, const char *path,
		       int wanted)
{
	struct line target = { path, strlen(path) };

	jolokia_call_begin(&call, rules);
	if ((int)jolokia_call_of_path(&call, target) != wanted)
		fail_msg("%s: %s", path, call.why ? call.why : "passes");
}

static void read_only_passes_what_only_reads(void **state)
{
	static const char *const passing[] = {
		READ,
		"[" READ "," READ "]",
		" [ ] ",
		"{\"type\":\"version\"}",
		"{\"type\":\"list\",\"path\":\"java.lang\"}",
		"{\"type\":\"search\",\"mbean\":\"*:*\"}",
		"{\"mbean\":\"a:b=c\",\"type\":\"read\"}",
		"{\"type\":\"r\\u0065ad\",\"mbean\":\"a:b=c\"}",
		"{\"type\":\"exec\",\"mbean\":\"java.lang:type=Threading\","
		"\"operation\":\"getThreadCpuTime([J)\",\"arguments\":[[1]]}",
		"{\"type\":\"read\",\"config\":{\"type\":\"exec\",\"x\":[{"
		"\"type\":\"write\"}]}}",
	};
	static const char *const refused[] = {
		WRITE,
		"[" READ "," WRITE "]",
		"[" WRITE "," READ "]",
		"{}",
		"[{}]",
		"{\"type\":\"exec\",\"mbean\":\"a:b=c\",\"operation\":\"x\"}",
		"{\"type\":\"exec\",\"mbean\":\"java.lang:type=Memory\","
		"\"operation\":\"gc\"}",
		"{\"type\":\"exec\",\"mbean\":\"java.lang:type=Threading\","
		"\"operation\":\"resetPeakThreadCount\"}",
		"{\"type\":\"\\u0065xec\",\"mbean\":\"a:b=c\"}",
		"{\"type\":\"EXEC\"}",
		"{\"type\":[\"read\"]}",
		"{\"type\":1}",
		"{\"Type\":\"read\"}",
		"{\"type\":\"read\\u0000\"}",
		"{\"x\":{\"type\":\"read\"}}",
		"{\"type\":\"notification\",\"command\":\"add\"}",
		"{\"type\":\"config\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++) {
		check_body(&reading, passing[i], JOLOKIA_PASSES);
		assert_false(call.changes);
	}
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		check_body(&reading, refused[i], JOLOKIA_REFUSED);
		check_body(&any, refused[i], JOLOKIA_PASSES);
		assert_true(call.changes);
	}
}

/*
 * JSON that two parsers could read differently is rejected, whatever it
 * requests.
 */
static void only_strict_json_without_duplicates_passes(void **state)
{
	static const char *const invalid[] = {
		"",
		"x",
		"1",
		"\"read\"",
		"null",
		"[1]",
		"[[" READ "]]",
		"{",
		"{\"type\":\"read\"",
		READ READ,
		READ ",",
		"[" READ ",]",
		"[" READ " " READ "]",
		"[" READ "}",
		"{\"type\":\"read\",}",
		"{\"type\" \"read\"}",
		"{type:\"read\"}",
		"{'type':'read'}",
		"{\"type\":read}",
		"{\"type\":\"read\",\"type\":\"exec\"}",
		"{\"type\":\"read\",\"typ\\u0065\":\"exec\"}",
		"{\"type\":\"read\",\"type\":[]}",
		"{\"mbean\":\"a\",\"type\":\"read\",\"mbean\":\"b\"}",
		"{\"x\":01}",
		"{\"x\":-}",
		"{\"x\":1.}",
		"{\"x\":1e}",
		"{\"x\":.5}",
		"{\"x\":+1}",
		"{\"x\":NaN}",
		"{\"x\":tru}",
		"{\"x\":truex}",
		"{\"x\":\"\t\"}",
		"{\"x\":\"\\x\"}",
		"{\"x\":\"\\u12g4\"}",
		"{\"x\":\"\x80\"}",
		"{\"x\":\"\xc0\xa2\"}",
		"{\"x\":\"\xc3\"}",
		"{\"x\":\"\xed\xa0\x80\"}",
		"{\"x\":\"\xe0\x80\xa2\"}",
		"{\"x\":\"\xf5\x80\x80\x80\"}",
		"\xef\xbb\xbf{}",
		"/**/{}",
		"{\"x\":1}//",
		"{\"x\":1}\f",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(invalid) / sizeof(*invalid); i++) {
		check_body(&any, invalid[i], JOLOKIA_INVALID);
		if (strncmp(invalid[i], "{\"x\":1}", 7) != 0)
			assert_int_not_equal(body_verdict(&reading, invalid[i],
							  strlen(invalid[i]),
							  3),
					     JOLOKIA_PASSES);
	}
	check_body(&any,
		   "{\"x\":[0,-0.5,1e5,1E-5,1.5e+5,true,false,null,\"\","
		   "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\\ud83d\\n\",{},[]"
		   "]}\r\n\t ",
		   JOLOKIA_PASSES);
}

static void nul_and_depth_are_rejected(void **state)
{
	static char deep[2 * JOLOKIA_DEPTH_MAX + 8];
	size_t len = (size_t)snprintf(deep, sizeof(deep), "{\"x\":");

	(void)state;
	assert_int_equal(body_verdict(&any, "{\"x\0\":1}", 8, 8),
			 JOLOKIA_INVALID);
	memset(deep + len, '[', JOLOKIA_DEPTH_MAX - 1);
	memset(deep + len + JOLOKIA_DEPTH_MAX - 1, ']', JOLOKIA_DEPTH_MAX - 1);
	len += 2 * JOLOKIA_DEPTH_MAX - 2;
	deep[len++] = '}';
	assert_int_equal(body_verdict(&any, deep, len, 7), JOLOKIA_PASSES);
	memset(deep + 5, '[', JOLOKIA_DEPTH_MAX);
	assert_int_equal(body_verdict(&any, deep, len, 7), JOLOKIA_INVALID);
	assert_string_equal(call.why, "the request is nested too deeply");
}

#define TARGET(t) "{\"type\":\"read\",\"target\":" t ",\"mbean\":\"a:b=c\"}"

static void targets_pass_only_if_they_are_listed(void **state)
{
	static const char *const refused[] = {
		TARGET("{\"url\":\"service:jmx:rmi:///jndi/ldap://evil/x\"}"),
		TARGET("{\"url\":\"service:jmx:rmi:///jndi/rmi://a:1/xx\"}"),
		TARGET("{\"url\":\"service:jmx:rmi:///jndi/rmi://b:2/x\"}"),
		TARGET("{\"url\":\"b:2\",\"user\":\"u\"}"),
		TARGET("{\"url\":null}"),
		TARGET("{\"url\":[\"b:2\"]}"),
		TARGET("{\"user\":\"u\"}"),
		TARGET("{}"),
		"[" READ "," TARGET("{\"url\":\"x\"}") "]",
		"{\"t\\u0061rget\":{\"url\":\"x\"}}",
		"{\"Target\":{\"url\":\"x\"}}",
	};
	static const char *const passing[] = {
		TARGET("{\"url\":\"service:jmx:rmi:///jndi/rmi://a:1/x\","
		       "\"user\":\"u\"}"),
		TARGET("{\"password\":\"p\","
		       "\"url\":\"service:jmx:rmi:///jndi/rmi://b:2/jmxrmi\"}"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		check_body(&targeting, refused[i], JOLOKIA_REFUSED);
		check_body(&any, refused[i], JOLOKIA_REFUSED);
	}
	for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++) {
		check_body(&targeting, passing[i], JOLOKIA_PASSES);
		check_body(&any, passing[i], JOLOKIA_REFUSED);
	}
	check_body(&targeting, TARGET("\"b:2\""), JOLOKIA_INVALID);
	check_body(&targeting,
		   TARGET("{\"url\":\"service:jmx:rmi:///jndi/rmi://a:1/x\","
			  "\"url\":\"service:jmx:rmi:///jndi/ldap://evil/x\"}"),
		   JOLOKIA_INVALID);
	/* "target" has its meaning only as a member of a request. */
	check_body(&any,
		   "{\"type\":\"exec\",\"arguments\":[{\"target\":{\"url\":"
		   "\"x\"}}]}",
		   JOLOKIA_PASSES);
}

static void paths_are_judged_as_agents_read_them(void **state)
{
	static const char *const passing[] = {
		"",
		"/",
		"/version",
		"/read/java.lang:type=Memory/HeapMemoryUsage/used",
		"/read/a:b=c/X!//y",
		"/list?maxDepth=2",
		"?p=/read/a:b=c",
		"/?p=read/a:b=c&maxDepth=1",
		("/exec/java.lang:type=Threading/dumpAllThreads(boolean,"
		 "boolean)/false/false"),
		"/exec/java.lang:type%3DThreading/getThreadInfo(long)/1",
	};
	static const char *const refused[] = {
		"/exec/java.lang:type=Memory/gc",
		"/write/a:b=c/X/1",
		"/%65xec/java.lang:type=Memory/gc",
		"//exec/java.lang:type=Memory/gc",
		"/EXEC/a:b=c/x",
		"/read;x/a:b=c",
		"?p=/exec/java.lang:type=Memory/gc",
		"?p=%2Fexec%2Fjava.lang:type=Memory/gc",
		"?%70=/exec/java.lang:type=Memory/gc",
		"/version?p=/exec/java.lang:type=Memory/gc",
		"?p=/read/a:b=c&p=/exec/java.lang:type=Memory/gc",
		"/notification/register",
		/* An agent reads the undecoded path for "!//". */
		"/r%65ad/a:b=c",
		"/read%2f/a:b=c",
		"/r!ead/a:b=c",
		"/read!",
		("/%65xec/java.lang:type=Threading/getThreadInfo/!//exec/"
		 "java.lang:type=Memory/gc"),
		/* The agent decodes the query before it splits it. */
		"?x=1%26p=/exec/java.lang:type=Memory/gc",
		"?x=1%2526p%253d/exec/java.lang:type=Memory/gc",
		"?x=1;p=/exec/java.lang:type=Memory/gc",
		/* Decoded once, this is another operation of another MBean. */
		"?p=/exec/java.lang:type=Threading%252FgetThreadInfo/x",
		"/exec/java.lang:type=Threading!/getThreadInfo/x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++)
		check_path(&reading, passing[i], JOLOKIA_PASSES);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		check_path(&reading, refused[i], JOLOKIA_REFUSED);
		check_path(&any, refused[i], JOLOKIA_PASSES);
	}
	check_path(&any, "/read/%4", JOLOKIA_INVALID);
	check_path(&any, "?p=%zz", JOLOKIA_INVALID);
}

static void paths_that_leave_the_agent_are_recognized(void **state)
{
	static const char *const leaving[] = {
		"/jolokia/../admin", "/jolokia/..",     "/./jolokia",
		"/jolokia/%2e%2e/x", "/jolokia/.%2E/x", "/jolokia/..;a=b/x",
		"/jolokia/..%2fx",   "/jolokia/..%5cx", "/jolokia/%00",
		"/jolokia/%2",       "/jolokia/;/..;",  "/jolokia/.;x",
	};
	static const char *const staying[] = {
		"/jolokia/.../x", "/jolokia/a..b",         "/jolokia//x",
		"/jolokia/",      "/jolokia/read/a:b=..c", "/jolokia/x;..",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(leaving) / sizeof(*leaving); i++)
		if (!jolokia_path_escapes(
			    (struct line){ leaving[i], strlen(leaving[i]) }))
			fail_msg("%s", leaving[i]);
	for (size_t i = 0; i < sizeof(staying) / sizeof(*staying); i++)
		if (jolokia_path_escapes(
			    (struct line){ staying[i], strlen(staying[i]) }))
			fail_msg("%s", staying[i]);
}

static bool text_is(struct policy_text t, const char *wanted)
{
	return t.len == strlen(wanted) && memcmp(t.at, wanted, t.len) == 0;
}

static void log_names_the_first_entry_and_counts(void **state)
{
	struct policy_call log;

	(void)state;
	check_body(&any, "[" WRITE "," READ "," READ "]", JOLOKIA_PASSES);
	log = jolokia_call_log(&call);
	assert_string_equal(log.method, "write");
	assert_true(text_is(log.object, "a:b=c"));
	assert_true(text_is(log.member, "X"));
	assert_int_equal(log.member_count, 3);
	check_path(&any, "/exec/a:b=c/op!/x(int)/1", JOLOKIA_PASSES);
	log = jolokia_call_log(&call);
	assert_string_equal(log.method, "exec");
	assert_true(text_is(log.member, "op/x"));
	jolokia_call_begin(&call, &any);
	log = jolokia_call_log(&call);
	assert_string_equal(log.method, "other");
}

static void long_names_are_not_taken_for_short_ones(void **state)
{
	static char body[4096];
	int len = snprintf(body, sizeof(body),
			   "{\"type\":\"exec\",\"operation\":"
			   "\"getThreadInfo(");

	(void)state;
	memset(body + len, 'x', 600);
	snprintf(body + len + 600, sizeof(body) - (size_t)len - 600,
		 ")\",\"mbean\":\"java.lang:type=Threading\"}");
	check_body(&any, body, JOLOKIA_PASSES);
	check_body(&reading, body, JOLOKIA_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_only_passes_what_only_reads),
		cmocka_unit_test(only_strict_json_without_duplicates_passes),
		cmocka_unit_test(nul_and_depth_are_rejected),
		cmocka_unit_test(targets_pass_only_if_they_are_listed),
		cmocka_unit_test(paths_are_judged_as_agents_read_them),
		cmocka_unit_test(paths_that_leave_the_agent_are_recognized),
		cmocka_unit_test(log_names_the_first_entry_and_counts),
		cmocka_unit_test(long_names_are_not_taken_for_short_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
