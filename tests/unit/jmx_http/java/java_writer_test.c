/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares written streams with those of a Java client.  Both are read and
 * described as text, because Java refers to objects that it wrote earlier.
 */
#include "core/base/input.h"
#include "jmx_http/java/java_to_value.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/rmi/methods.h"
#include "jmx_http/rmi/rmi_client.h"
#include "jmx_http/rmi/rmi_notifications.h"
#include "tests/unit/jmx_http/java/say_stream.h"

#include <openssl/evp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA      "tests/data/rmi/"
#define CALLS_MAX 64

/*
 * Appends the descriptions of a client's recorded calls; returns their number.
 */
static size_t calls_in(const char *path, struct text *calls)
{
	struct input in;
	struct error err;
	const char *at, *end;
	size_t count = 0;

	if (input_open(&in, path, &err) || input_complete(&in, &err))
		fail_msg("%s", err.text);
	at = (const char *)in.bytes + 7; /* the client's endpoint */
	end = (const char *)in.bytes + in.len;
	at += 2 + at[1] + 4;
	while (at < end && count < CALLS_MAX) {
		if (*at == 0x52) {
			at++;
		} else if (*at == 0x54) {
			at += 1 + JRMP_ACK_LEN;
		} else {
			calls[count] = (struct text){ 0 };
			at += 1 + say_stream(&calls[count], at + 1,
					     (size_t)(end - at - 1));
			count++;
		}
	}
	input_close(&in);
	return count;
}

/* Returns the number of the equal recorded call, ignoring the object id. */
static size_t find_call(const char *path, const struct text *message)
{
	struct text calls[CALLS_MAX], own = { 0 };
	size_t count = calls_in(path, calls), found = CALLS_MAX;
	size_t skip = strlen("<{4 ") + 2 * (size_t)JRMP_ID_LEN;

	assert_true(count);
	assert_int_equal(message->bytes[0], 0x50);
	assert_int_equal(say_stream(&own, message->bytes + 1, message->len - 1),
			 message->len - 1);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(own.bytes + skip, calls[i].bytes + skip) == 0)
			found = i;
		if (getenv("SHOW"))
			print_message("%zu %s\n", i, calls[i].bytes);
		text_release(&calls[i]);
	}
	if (found == CALLS_MAX)
		print_message("own %s\n", own.bytes);
	text_release(&own);
	return found;
}

static const struct jrmp_id session = { "id" };

static void is_call_of(const char *path, const struct jmx_request *q,
		       size_t name)
{
	struct text message = { 0 };
	struct error err;

	if (rmi_request_add(&message, &session, q, name, &err))
		fail_msg("%s", err.text);
	assert_int_not_equal(find_call(path, &message), CALLS_MAX);
	text_release(&message);
}

static void requests_equal_those_of_a_java_client(void **state)
{
	static const char demo[] = "demo:type=Demo,name=\"q,1\"";
	static const char *const nope = "Nope", *const count = "Count";
	static const char *const echo = "echo", *const uptime = "Uptime";
	struct value seven = { .kind = VALUE_INTEGER, .type = "int" };
	struct value text = { .kind = VALUE_STRING, .type = "" };
	const struct value *const arguments[] = { &text, &seven };
	const struct value *const number[] = { &seven };
	static const char *const types[] = { "java.lang.String", "int" };
	static const char *const integer[] = { "java.lang.Integer" };
	struct jmx_request q = {
		.verb = JMX_GET, .object = demo, .names = &nope, .name_count = 1
	};

	(void)state;
	is_call_of(DATA "calls17.c2s", &q, 0);
	q.object = "java.lang:type=Runtime";
	q.names = &uptime;
	is_call_of(DATA "login17.c2s", &q, 0);

	q = (struct jmx_request){ .verb = JMX_SET,
				  .object = demo,
				  .names = &count,
				  .arguments = number,
				  .signature = integer,
				  .argument_count = 1 };
	seven.integer = 42;
	is_call_of(DATA "calls17.c2s", &q, RMI_WHOLE);

	q = (struct jmx_request){ .verb = JMX_INVOKE,
				  .object = demo,
				  .names = &echo,
				  .arguments = arguments,
				  .signature = types,
				  .argument_count = 2 };
	text.text = (struct value_text){ "hi", 2 };
	seven.integer = 3;
	is_call_of(DATA "calls17.c2s", &q, RMI_WHOLE);
}

static void login_equals_that_of_a_java_client(void **state)
{
	static const char *const both[] = { "controlRole", "ctl" };
	struct text message = { 0 };

	(void)state;
	jmx_add_call(&message, &session, JMX_NEW_CLIENT);
	java_write_strings(&message, both, 2, JAVA_OF_RMI);
	assert_int_not_equal(find_call(DATA "login17.c2s", &message),
			     CALLS_MAX);
	text_release(&message);
}

/* The declared length is that of the bytes, whatever the caller passes. */
static void invalid_utf8_becomes_replacement_characters(void **state)
{
	static const struct {
		const char *utf8, *written;
	} texts[] = {
		{ "a\xc3\xa4", "t\0\3a\xc3\xa4" },
		{ "\xf0\x9f\x98\x80", "t\0\6\xed\xa0\xbd\xed\xb8\x80" },
		{ "\xff", "t\0\3\xef\xbf\xbd" },
		{ "\xc3", "t\0\3\xef\xbf\xbd" },
		{ "\xf0\x80\x80\x80", "t\0\14\xef\xbf\xbd\xef\xbf\xbd"
				      "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf5\x80\x80\x80", "t\0\14\xef\xbf\xbd\xef\xbf\xbd"
				      "\xef\xbf\xbd\xef\xbf\xbd" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct text out = { 0 };
		size_t len = 3 + (uint8_t)texts[i].written[2];

		java_write_string(&out, texts[i].utf8, strlen(texts[i].utf8));
		assert_int_equal(out.len, len);
		assert_memory_equal(out.bytes, texts[i].written, len);
		text_release(&out);
	}
}

/* The ids and numbers of a lease differ between clients. */
static void lease_request_equals_that_of_a_java_client(void **state)
{
	struct rmi_lease lease = { 0 };
	struct text message = { 0 }, own = { 0 }, calls[CALLS_MAX];
	size_t count = calls_in(DATA "login17.c2s", calls), like = 0;

	(void)state;
	assert_true(rmi_lease_is_due(&lease, 1));
	rmi_lease_request(&lease, 1, &session, &message);
	assert_false(rmi_lease_is_due(&lease, 1));
	assert_true(rmi_lease_is_due(&lease, 2));
	assert_int_equal(say_stream(&own, message.bytes + 1, message.len - 1),
			 message.len - 1);
	for (size_t i = 0; i < count; i++) {
		const char *a = own.bytes, *b = calls[i].bytes;

		/* Only digits may differ. */
		while (*a && *b) {
			a += strspn(a, "0123456789abcdef-");
			b += strspn(b, "0123456789abcdef-");
			if (*a != *b)
				break;
			a += *a != 0;
			b += *b != 0;
		}
		like += !*a && !*b;
		text_release(&calls[i]);
	}
	/* One for the server's stub and one for the session's. */
	assert_int_equal(like, 2);
	text_release(&own);
	text_release(&message);
}

static void method_hash_is_the_sha1_of_name_and_descriptor(void **state)
{
	(void)state;
	for (int i = 0; i < JMX_METHODS; i++) {
		const struct method *m = &jmx_methods[i];
		struct text utf = { 0 };
		uint8_t sum[EVP_MAX_MD_SIZE];
		uint64_t hash = 0;

		if (m->operation != -1)
			continue;
		java_write_u16(&utf, (uint16_t)(strlen(m->name) +
						strlen(m->descriptor)));
		text_puts(&utf, m->name);
		text_puts(&utf, m->descriptor);
		assert_true(EVP_Digest(utf.bytes, utf.len, sum, NULL,
				       EVP_sha1(), NULL));
		for (int b = 7; b >= 0; b--)
			hash = hash << 8 | sum[b];
		if (hash != m->hash)
			fail_msg("%s%s", m->name, m->descriptor);
		text_release(&utf);
	}
}

/* Writes a value as the type, reads it, and compares its JSON, or the error. */
static void check_value(const struct value *v, const char *type,
			const char *wanted)
{
	struct text out = { 0 }, json = { 0 };
	struct java_stream s = { 0 };
	struct arena a = { 0 };
	struct error err = { 0 };
	const struct java_value *read = NULL;
	struct json j = json_into(&json);
	size_t used;

	java_write_header(&out);
	if (java_write_value(&out, v, type, &err)) {
		assert_string_equal(err.text, wanted);
		assert_int_equal(err.kind, ERROR_MISUSE);
	} else {
		assert_int_equal(
			java_stream_read(&s, out.bytes, out.len, &used, &read),
			JAVA_DONE);
		assert_int_equal(used, out.len);
		value_json(&j, java_to_value(read, &a));
		assert_string_equal(json.bytes, wanted);
	}
	text_release(&out);
	text_release(&json);
	java_stream_release(&s);
	arena_release(&a);
}

static void text_is_converted_to_the_type(void **state)
{
	static const struct {
		const char *type, *text, *json;
	} all[] = {
		{ "int", "12", "12" },
		{ "int", "-2147483648", "-2147483648" },
		{ "int", "2147483648", "'2147483648' is not a valid int" },
		{ "int", "", "'' is not a valid int" },
		{ "int", " 1", "' 1' is not a valid int" },
		{ "int", "1x", "'1x' is not a valid int" },
		{ "java.lang.Integer", "7", "7" },
		{ "long", "9223372036854775807", "9223372036854775807" },
		{ "java.lang.Long", "9223372036854775808",
		  "'9223372036854775808' is not a valid long" },
		{ "byte", "-128", "-128" },
		{ "byte", "128", "'128' is not a valid byte" },
		{ "short", "32767", "32767" },
		{ "char", "x", "\"x\"" },
		{ "char", "\xe2\x82\xac", "\"\xe2\x82\xac\"" },
		{ "char", "xy", "'xy' is not a valid char" },
		{ "boolean", "true", "true" },
		{ "java.lang.Boolean", "false", "false" },
		{ "boolean", "TRUE", "'TRUE' is not a valid boolean" },
		{ "double", "2.5e3", "2500" },
		{ "double", "NaN", "\"NaN\"" },
		{ "float", "0.5", "0.5" },
		{ "double", "2,5", "'2,5' is not a valid double" },
		{ "java.lang.String", "\xf0\x9f\x98\x80",
		  "\"\xf0\x9f\x98\x80\"" },
		{ "java.lang.Object", "12", "\"12\"" },
		{ "javax.management.ObjectName", "a:b=c", "\"a:b=c\"" },
		{ "java.util.Date", "0", "\"1970-01-01T00:00:00.000Z\"" },
		{ "java.math.BigInteger",
		  "-170141183460469231731687303715884105729",
		  "-170141183460469231731687303715884105729" },
		{ "java.math.BigInteger", "0", "0" },
		{ "java.math.BigInteger", "256", "256" },
		{ "java.math.BigInteger", "1.5",
		  "'1.5' is not a valid java.math.BigInteger" },
		{ "java.math.BigDecimal", "-12.50", "-12.50" },
		{ "java.math.BigDecimal", "1e5",
		  "'1e5' is not a valid java.math.BigDecimal" },
		{ "java.io.File", "/",
		  "values of type java.io.File are not supported" },
		{ "[I", "1", "'1' is not a valid [I" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct value v = { .kind = VALUE_STRING, .type = "" };

		v.text.at = all[i].text;
		v.text.len = strlen(all[i].text);
		check_value(&v, all[i].type, all[i].json);
	}
}

static void enum_constants_have_the_requested_class(void **state)
{
	struct value v = { .kind = VALUE_ENUM, .type = "" };

	(void)state;
	v.text.at = "GREEN";
	v.text.len = 5;
	check_value(&v, "com.acme.Color", "\"GREEN\"");
	check_value(&v, "java.lang.Thread$State", "\"GREEN\"");
}

static void lists_become_arrays_of_the_element_type(void **state)
{
	struct value one = { .kind = VALUE_INTEGER, .type = "int" };
	struct value two = { .kind = VALUE_STRING, .type = "" };
	struct value list = { .kind = VALUE_ARRAY, .type = "" };
	struct value nested = { .kind = VALUE_ARRAY, .type = "" };
	const struct value *both[] = { &one, &two };
	const struct value *lists[] = { &list, &value_null, &list };

	(void)state;
	one.integer = 1;
	two.text = (struct value_text){ "2", 1 };
	list.list.at = both;
	list.list.count = 2;
	nested.list.at = lists;
	nested.list.count = 3;
	check_value(&list, "[I", "[1,2]");
	check_value(&list, "[J", "[1,2]");
	check_value(&list, "[D", "[1,2]");
	check_value(&list, "[Ljava.lang.Integer;", "[1,2]");
	check_value(&list, "[Z", "a number is not a valid boolean");
	check_value(&list, "[Ljava.lang.String;",
		    "a number is not a valid java.lang.String");
	check_value(&list, "java.lang.Object",
		    "a list is not a valid java.lang.Object");
	check_value(&list, "java.util.List",
		    "values of type java.util.List are not supported");
	check_value(&nested, "[[I", "[[1,2],null,[1,2]]");
	check_value(&nested, "[I", "a list is not a valid int");
	check_value(&value_null, "[I", "null");
	check_value(&value_null, "java.lang.Long", "null");
	check_value(&value_null, "long", "null is not a valid long");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_equal_those_of_a_java_client),
		cmocka_unit_test(login_equals_that_of_a_java_client),
		cmocka_unit_test(invalid_utf8_becomes_replacement_characters),
		cmocka_unit_test(lease_request_equals_that_of_a_java_client),
		cmocka_unit_test(
			method_hash_is_the_sha1_of_name_and_descriptor),
		cmocka_unit_test(text_is_converted_to_the_type),
		cmocka_unit_test(enum_constants_have_the_requested_class),
		cmocka_unit_test(lists_become_arrays_of_the_element_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
