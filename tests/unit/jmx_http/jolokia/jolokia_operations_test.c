/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_server.h"

#include "tests/unit/jmx_http/jolokia/table_jmx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct table_jmx table;
static struct jolokia_operations operations;
static struct text out;

static int set_up(void **state)
{
	(void)state;
	table = (struct table_jmx){
		.jmx = { .ops = &table_ops, .title = "table", .version = "" }
	};
	operations.jmx = &table.jmx;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	text_release(&table.log);
	text_release(&table.runs);
	text_release(&out);
	return 0;
}

static struct line line_of(const char *text)
{
	return (struct line){ text, strlen(text) };
}

/* Removes ,"timestamp":N wherever it is. */
static void remove_timestamps(struct text *t)
{
	static const char key[] = ",\"timestamp\":";
	char *at;

	while ((at = strstr(t->bytes, key))) {
		size_t len = strlen(key) +
			     strspn(at + strlen(key), "0123456789");

		memmove(at, at + len, strlen(at + len) + 1);
	}
}

/* Compares the response to a body, without its request and timestamp. */
static void assert_post(const char *body, const char *expected)
{
	text_clear(&out);
	jolokia_operations_post(&operations, line_of(body),
				line_of("includeRequest=false"), &out);
	remove_timestamps(&out);
	assert_string_equal(out.bytes, expected);
}

static void assert_get(const char *target, const char *expected)
{
	const char *query = strchr(target, '?');

	text_clear(&out);
	jolokia_operations_get(&operations, line_of(target),
			       line_of(query ? query + 1 : ""), &out);
	remove_timestamps(&out);
	assert_string_equal(out.bytes, expected);
}

#define READ(rest) "{\"type\":\"read\",\"mbean\":\"a:type=Table\"" rest "}"
#define EXEC(rest) "{\"type\":\"exec\",\"mbean\":\"a:type=Table\"," rest "}"
#define WRITE(attribute, value)                                                \
	"{\"type\":\"write\",\"mbean\":\"a:type=Table\",\"attribute\":"        \
	"\"" attribute "\",\"value\":" value "}"
#define VALUE(json) "{\"value\":" json ",\"status\":200}"
#define FAILED(class, message, status)                                         \
	"{\"error_type\":\"" class "\",\"error\":\"" message                   \
				   "\",\".error\":true,\"status\":" status "}"
#define FAILED_JMX(class, message, status)                                     \
	"{\"error_type\":\"javax.management." class "\",\"error_type_jmx\":"   \
						    "\"javax."                 \
						    "management." class        \
		"\",\"error\":\"" message                                      \
		"\",\".error\":true,\"status\":" status "}"
#define INVALID(message)                                                       \
	FAILED("java.lang.IllegalArgumentException", message, "400")

static void values_are_spelled_as_by_agents(void **state)
{
	(void)state;
	assert_post(READ(",\"attribute\":\"Int\""), VALUE("5"));
	assert_post(READ(",\"attribute\":\"NaN\""), VALUE("null"));
	assert_post(READ(",\"attribute\":\"Date\""),
		    VALUE("\"2009-02-13T23:31:30Z\""));
	assert_post(READ(",\"attribute\":\"Decimal\""), VALUE("\"1.50\""));
	assert_post(READ(",\"attribute\":\"Big\""),
		    VALUE("{\"bigint\":\"20\"}"));
	assert_post(READ(",\"attribute\":\"Name\""),
		    VALUE("{\"objectName\":\"z:x=2,y=1\"}"));
	assert_post(READ(",\"attribute\":\"Map\""),
		    VALUE("{\"a/b \\\"c\\\"\":{\"list\":[5,"
			  "9223372036854775807],"
			  "\"size\":9223372036854775807}}"));
	assert_post(READ(",\"attribute\":\"List\",\"config\":"
			 "{\"serializeLong\":\"string\"}"),
		    VALUE("[5,\"9223372036854775807\"]"));
	assert_post(READ(",\"attribute\":\"Name\",\"config\":"
			 "{\"canonicalNaming\":false}"),
		    VALUE("{\"objectName\":\"z:y=1,x=2\"}"));
}

static void limits_truncate_values(void **state)
{
	(void)state;
	assert_post(READ(",\"attribute\":\"Pair\",\"config\":{\"maxDepth\":1}"),
		    VALUE("{\"list\":\"[5, 9223372036854775807]\","
			  "\"size\":\"9223372036854775807\"}"));
	assert_post(READ(",\"attribute\":\"Pair\",\"config\":{\"maxDepth\":0}"),
		    VALUE("{\"list\":[5,9223372036854775807],"
			  "\"size\":9223372036854775807}"));
	assert_post(READ(",\"attribute\":\"List\",\"config\":"
			 "{\"maxCollectionSize\":1}"),
		    VALUE("[5]"));
	assert_post(READ(",\"attribute\":\"List\",\"config\":"
			 "{\"maxObjects\":1}"),
		    VALUE("[5,\"[Object limit exceeded]\"]"));
	assert_get("/read/a:type=Table/List?maxCollectionSize=1",
		   "{\"request\":{\"mbean\":\"a:type=Table\",\"attribute\":"
		   "\"List\",\"type\":\"read\"},\"value\":[5],"
		   "\"status\":200}");
}

static void paths_select_parts(void **state)
{
	(void)state;
	assert_post(READ(",\"attribute\":\"Map\",\"path\":"
			 "\"a!/b c/size\""),
		    FAILED_JMX("AttributeNotFoundException",
			       "Invalid path a/b c/size", "404"));
	assert_post(READ(",\"attribute\":\"Map\",\"path\":"
			 "\"a!/b !\\\"c!\\\"/list/1\""),
		    VALUE("9223372036854775807"));
	assert_post(READ(",\"attribute\":\"Map\",\"path\":\"*/list\""),
		    VALUE("{\"a/b \\\"c\\\"\":[5,9223372036854775807]}"));
	assert_post(READ(",\"attribute\":\"Date\",\"path\":\"time\""),
		    VALUE("1234567890123"));
	assert_post(READ(",\"attribute\":\"Big\",\"path\":\"bigint\""),
		    VALUE("\"20\""));
	assert_post(READ(",\"attribute\":\"List\",\"path\":\"2\""),
		    FAILED_JMX("AttributeNotFoundException", "Invalid path 2",
			       "404"));
}

static void unreadable_attributes_are_errors_or_texts(void **state)
{
	(void)state;
	assert_post(READ(",\"attribute\":\"Throws\""),
		    FAILED("java.lang.IllegalStateException", "no", "500"));
	assert_post(READ(",\"attribute\":[\"Int\",\"Throws\"]"),
		    FAILED("java.lang.IllegalStateException", "no", "500"));
	assert_post(READ(",\"attribute\":[\"Int\",\"Throws\"],\"config\":"
			 "{\"ignoreErrors\":true}"),
		    VALUE("{\"Int\":5,\"Throws\":\"ERROR: java.lang."
			  "IllegalStateException: no (class javax.management."
			  "MBeanException)\"}"));
	assert_post(READ(",\"attribute\":[\"Int\",\"Unsupported\"]"),
		    VALUE("{\"Int\":5,\"Unsupported\":\"Unsupported\"}"));
	assert_post(READ(",\"attribute\":\"Unsupported\""),
		    FAILED("java.lang.UnsupportedOperationException", "never",
			   "500"));
}

static void pattern_reads_the_mbeans_that_have_the_attributes(void **state)
{
	(void)state;
	assert_post("{\"type\":\"read\",\"mbean\":\"a:*\",\"attribute\":"
		    "\"Int\"}",
		    VALUE("{\"a:id=1,type=Table\":{\"Int\":5}}"));
	assert_post("{\"type\":\"read\",\"mbean\":\"a:*\",\"attribute\":"
		    "[\"No\",\"Neither\"]}",
		    INVALID("No matching attributes [No, Neither] found on "
			    "MBeans of a:*"));
	assert_post("{\"type\":\"read\",\"mbean\":\"b:*\"}",
		    FAILED_JMX("InstanceNotFoundException",
			       "No MBean with pattern b:* found for reading "
			       "attributes",
			       "404"));
	assert_post("{\"type\":\"search\",\"mbean\":\"a:*\"}",
		    VALUE("[\"a:id=1,type=Table\",\"a:type=Empty\"]"));
}

static void assert_changed(const char *body, const char *logged)
{
	text_clear(&table.log);
	text_puts(&table.log, "");
	text_clear(&out);
	jolokia_operations_post(&operations, line_of(body), line_of(""), &out);
	if (!strstr(out.bytes, "\"status\":200"))
		fail_msg("%s", out.bytes);
	assert_string_equal(table.log.bytes, logged);
}

static void assert_unchanged(const char *body, const char *response)
{
	text_clear(&table.log);
	text_puts(&table.log, "");
	assert_post(body, response);
	assert_string_equal(table.log.bytes, "");
}

static void written_values_get_the_type_of_the_attribute(void **state)
{
	(void)state;
	assert_changed(WRITE("Int", "7"), "Int[7]");
	assert_changed(WRITE("Int", "\"7\""), "Int[7]");
	assert_changed(WRITE("Text", "7.25"), "Text[\"7.25\"]");
	assert_changed(WRITE("Text", "true"), "Text[\"true\"]");
	assert_changed(WRITE("Text", "\"<null>\""), "Text[\"<null>\"]");
	assert_changed(WRITE("Text", "null"), "Text[null]");
	assert_changed(WRITE("List", "[1,\"2\"]"), "List[[1,2]]");
	assert_changed(WRITE("List", "\"1,2\""), "List[[1,2]]");
	assert_changed(WRITE("List", "\"\""), "List[[]]");
	assert_changed(WRITE("Throws", "\"FAST\""), "Throws[\"FAST\"]");
	assert_changed(WRITE("Big", "9007199254740993"),
		       "Big[9007199254740993]");
	assert_unchanged(WRITE("Int", "\"x\""),
			 INVALID("'x' is not a valid int"));
	assert_unchanged(WRITE("List", "[1,\"x\"]"),
			 INVALID("'x' is not a valid long"));
	assert_unchanged(WRITE("Name", "\"x\""),
			 INVALID("invalid MBean name: no ':' after the "
				 "domain, at character 2"));
	assert_unchanged(WRITE("No", "1"),
			 FAILED_JMX("AttributeNotFoundException",
				    "No such attribute", "404"));
}

static void operation_is_found_by_name_and_signature(void **state)
{
	(void)state;
	assert_changed(EXEC("\"operation\":\"sum(int,int)\",\"arguments\":"
			    "[1,2]"),
		       "sum[1,2]");
	assert_changed(EXEC("\"operation\":\"sum( int , int )\","
			    "\"arguments\":[1,2]"),
		       "sum[1,2]");
	assert_changed(EXEC("\"operation\":\"join\",\"arguments\":"
			    "[1,\"a,b\"]"),
		       "join[\"1\",[\"a\",\"b\"]]");
	assert_unchanged(EXEC("\"operation\":\"sum\",\"arguments\":[1]"),
			 INVALID("Operation sum on MBean a:type=Table is "
				 "overloaded; use a signature. Signatures "
				 "found: (int,int),(int)"));
	assert_unchanged(
		EXEC("\"operation\":\"sum(long)\",\"arguments\":[1]"),
		INVALID("No operation sum(long) found on MBean "
			"a:type=Table. Known signatures: (int,int),(int)"));
	assert_unchanged(
		EXEC("\"operation\":\"sum(int)x\",\"arguments\":[1]"),
		INVALID("No operation sum(int)x found on MBean "
			"a:type=Table. Known signatures: (int,int),(int)"));
	assert_unchanged(
		EXEC("\"operation\":\"no\""),
		INVALID("No operation no found on MBean a:type=Table"));
	assert_unchanged(EXEC("\"operation\":\"sum(int)\",\"arguments\":"
			      "[1,2]"),
			 INVALID("Operation sum(int) requires 1 arguments, not "
				 "2"));
	assert_unchanged(EXEC("\"operation\":\"sum(int)\",\"arguments\":"
			      "[\"x\"]"),
			 INVALID("argument 1 of sum: 'x' is not a valid int"));
}

static void bulk_request_is_answered_in_order(void **state)
{
	(void)state;
	assert_post("[" READ(",\"attribute\":\"Int\"") ",{\"type\":\"no\"}]",
		    "[" VALUE("5") "," INVALID(
			    "No type with name 'no' exists") "]");
	assert_post("[]", "[]");
}

#define READ_INT READ(",\"attribute\":\"Int\"")
#define READ_AT(object)                                                        \
	"{\"type\":\"read\",\"mbean\":\"" object "\",\"attribute\":\"Int\"}"

static void reads_of_a_bulk_request_are_sent_at_once(void **state)
{
	(void)state;
	text_clear(&table.runs);
	assert_post("[" READ_INT "," READ_AT("b:x=1") "," READ_AT("a:x=1") "]",
		    "[" VALUE("5") "," FAILED_JMX("InstanceNotFoundException",
						  "none",
						  "404") "," VALUE("5") "]");
	assert_string_equal(table.runs.bytes, "3 ");
}

/* clang-format off */
static void reads_of_one_mbean_are_one_request(void **state)
{
	(void)state;
	text_clear(&table.runs);
	assert_post("["
		READ_INT ","
		READ(",\"attribute\":[\"Name\",\"NaN\"]") ","
		READ_AT("a:x=1") ","
		READ(",\"attribute\":\"Throws\"") ","
		READ(",\"attribute\":\"List\",\"path\":\"0\"") "]",
		"["
		VALUE("5") ","
		VALUE("{\"Name\":{\"objectName\":\"z:x=2,y=1\"},\"NaN\":null}")
		","
		VALUE("5") ","
		FAILED("java.lang.IllegalStateException", "no", "500") ","
		VALUE("5") "]");
	assert_string_equal(table.runs.bytes, "2 ");
}
/* clang-format on */

/* A write sees the reads before it done, and none of those after it. */
static void reads_of_a_bulk_request_wait_for_its_changes(void **state)
{
	(void)state;
	text_clear(&table.runs);
	text_clear(&out);
	jolokia_operations_post(
		&operations,
		line_of("[" READ_INT "," READ_AT("a:x=1") "," WRITE(
			"Int",
			"7") "," READ_INT
			     "," READ_AT("a:x=1") "," READ_AT("a:x=2") "]"),
		line_of(""), &out);
	assert_string_equal(strrchr(table.log.bytes, 'I'), "Int[7]");
	/* The write reads the type and the old value. */
	assert_string_equal(table.runs.bytes, "2 1 1 1 3 ");
}

static void reads_without_a_reply_are_repeated(void **state)
{
	(void)state;
	text_clear(&table.runs);
	table.lost_after = 1;
	assert_post("[" READ_INT "," READ_AT("a:x=1") "," READ_AT("a:x=2") "]",
		    "[" VALUE("5") "," VALUE("5") "," VALUE("5") "]");
	assert_string_equal(table.runs.bytes, "3 1 1 ");
}

static void invalid_requests_are_errors(void **state)
{
	(void)state;
	assert_post("[1]", "[" INVALID("the request is not an object") "]");
	assert_post("{}", INVALID("the request has no \\\"type\\\""));
	assert_post("{\"type\":\"read\"}",
		    INVALID("the request has no \\\"mbean\\\""));
	assert_post("{\"type\":\"version\",\"target\":{\"url\":\"x\"}}",
		    INVALID("\\\"target\\\" is not supported; each mxprx "
			    "serves one JVM"));
	text_clear(&out);
	jolokia_operations_post(&operations, line_of("{\"type\""), line_of(""),
				&out);
	assert_non_null(strstr(out.bytes, "\"status\":400"));
}

static void list_has_domains_mbeans_and_descriptions(void **state)
{
	(void)state;
	assert_post("{\"type\":\"list\",\"config\":{\"maxDepth\":1}}",
		    VALUE("{\"a\":\"1\"}"));
	assert_post("{\"type\":\"list\",\"config\":{\"maxDepth\":2}}",
		    VALUE("{\"a\":{\"id=1,type=Table\":\"1\","
			  "\"type=Empty\":\"1\"}}"));
	assert_post("{\"type\":\"list\",\"path\":\"a/type=Empty\"}",
		    VALUE("{\"class\":\"a.Empty\",\"desc\":\"\"}"));
	assert_post("{\"type\":\"list\",\"path\":"
		    "\"a/type=Table/attr/Int/type\"}",
		    VALUE("\"int\""));
	assert_post("{\"type\":\"list\",\"path\":\"a/type=Table/op/sum\","
		    "\"config\":{\"maxDepth\":2}}",
		    VALUE("[{\"args\":\"[{\\\"name\\\":\\\"a\\\",\\\"type\\\":"
			  "\\\"int\\\",\\\"desc\\\":\\\"\\\"},{\\\"name\\\":"
			  "\\\"b\\\",\\\"type\\\":\\\"int\\\",\\\"desc\\\":"
			  "\\\"\\\"}]\",\"ret\":\"int\",\"desc\":\"\"},"
			  "{\"args\":\"[{\\\"name\\\":\\\"a\\\",\\\"type\\\":"
			  "\\\"int\\\",\\\"desc\\\":\\\"\\\"}]\",\"ret\":"
			  "\"int\",\"desc\":\"\"}]"));
	assert_post("{\"type\":\"list\",\"path\":\"a/type=Table/no\"}",
		    INVALID("Illegal path element no"));
}

static void exceptions_are_serialized_on_demand(void **state)
{
	(void)state;
	assert_post(READ(",\"attribute\":\"Throws\",\"config\":"
			 "{\"serializeException\":true,"
			 "\"includeStackTrace\":true}"),
		    "{\"error_type\":\"java.lang.IllegalStateException\","
		    "\"error\":\"no\",\"error_value\":{\"message\":\"no\","
		    "\"localizedMessage\":\"no\"},\"stacktrace\":"
		    "\"javax.management.MBeanException: java.lang."
		    "IllegalStateException: no\\nCaused by: java.lang."
		    "IllegalStateException: no\\n\",\".error\":true,"
		    "\"status\":500}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_spelled_as_by_agents),
		cmocka_unit_test(limits_truncate_values),
		cmocka_unit_test(paths_select_parts),
		cmocka_unit_test(unreadable_attributes_are_errors_or_texts),
		cmocka_unit_test(
			pattern_reads_the_mbeans_that_have_the_attributes),
		cmocka_unit_test(written_values_get_the_type_of_the_attribute),
		cmocka_unit_test(operation_is_found_by_name_and_signature),
		cmocka_unit_test(bulk_request_is_answered_in_order),
		cmocka_unit_test(reads_of_a_bulk_request_are_sent_at_once),
		cmocka_unit_test(reads_of_one_mbean_are_one_request),
		cmocka_unit_test(reads_of_a_bulk_request_wait_for_its_changes),
		cmocka_unit_test(reads_without_a_reply_are_repeated),
		cmocka_unit_test(invalid_requests_are_errors),
		cmocka_unit_test(list_has_domains_mbeans_and_descriptions),
		cmocka_unit_test(exceptions_are_serialized_on_demand),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
