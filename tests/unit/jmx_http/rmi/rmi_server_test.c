/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/rmi_server.h"

#include "jmx_http/java/java_to_value.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/rmi/request.h"
#include "tests/fuzz/rmi_server_client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MBEAN "a:type=B"

/* A server with one session. */
struct served {
	struct client_mbeans mbeans;
	struct rmi_server_options options;
	struct jrmp_id session, server;
	struct text sent, heard;
	size_t at; /* of the next reply */
};

static void setup(struct served *s)
{
	static const struct rmi_credentials login;

	*s = (struct served){
		.mbeans.kind = ERROR_REFUSED,
		.options = { .open = client_open, .takes_login = true },
		.server = { "sjkcRMIS" },
	};
	s->options.self = &s->mbeans;
	s->options.sessions = rmi_sessions_new();
	s->session = rmi_sessions_add(s->options.sessions, &login);
}

static void cleanup(struct served *s)
{
	rmi_sessions_free(s->options.sessions);
	text_release(&s->sent);
	text_release(&s->heard);
}

/* Makes the calls in s->sent. */
static void talk(struct served *s)
{
	text_clear(&s->heard);
	s->at = 0;
	client_talk(&s->options, &s->sent, &s->heard);
	text_clear(&s->sent);
}

/* Reads the next reply; the caller releases it. */
static struct jrmp_return next(struct served *s, bool has_object)
{
	struct jrmp_return r = { .is_void = !has_object };
	size_t used;

	assert_int_equal(jrmp_return_read(&r, s->heard.bytes + s->at,
					  s->heard.len - s->at, &used),
			 JAVA_DONE);
	s->at += used;
	return r;
}

static void expect_exception(struct served *s, const char *class)
{
	struct jrmp_return r = next(s, true);

	assert_true(r.is_exception);
	assert_true(java_bytes_are(java_class_name_of(r.value), class));
	jrmp_return_release(&r);
}

/* Calls with an MBean, a text, and no delegation subject. */
static void add_call(struct served *s, enum jmx_method method, const char *text)
{
	jmx_add_call(&s->sent, &s->session, method);
	java_write_object_name(&s->sent, MBEAN, JAVA_OF_RMI);
	if (text)
		java_write_text(&s->sent, text);
	java_write_null(&s->sent);
}

static void add_login(struct served *s, const char *const *login, size_t count)
{
	jmx_add_call(&s->sent, &s->server, JMX_NEW_CLIENT);
	if (login)
		java_write_strings(&s->sent, login, count, JAVA_OF_RMI);
	else
		java_write_null(&s->sent);
}

static void lookup_returns_a_stub_of_jmxrmi_alone(void **state)
{
	static const char *const names[] = { "jmxrmi", "other" };
	struct served s;
	struct jrmp_return r;

	(void)state;
	setup(&s);
	for (size_t i = 0; i < 2; i++) {
		jmx_add_call(&s.sent, &jrmp_registry, JMX_LOOKUP);
		java_write_text(&s.sent, names[i]);
	}
	talk(&s);
	r = next(&s, true);
	assert_true(java_is(r.value,
			    "javax.management.remote.rmi.RMIServerImpl_Stub"));
	jrmp_return_release(&r);
	expect_exception(&s, "java.rmi.NotBoundException");
	assert_int_equal(s.at, s.heard.len);
	cleanup(&s);
}

static void login_reaches_the_carrier(void **state)
{
	static const char *const login[] = { "control", "s\xc3\xa9"
							"cret" };
	struct served s;
	struct jrmp_return r;

	(void)state;
	setup(&s);
	add_login(&s, login, 2);
	talk(&s);
	r = next(&s, true);
	assert_false(r.is_exception);
	jrmp_return_release(&r);
	assert_true(s.mbeans.had_login);
	assert_string_equal(s.mbeans.user, login[0]);
	assert_string_equal(s.mbeans.password, login[1]);
	s.options.takes_login = false;
	add_login(&s, login, 2);
	talk(&s);
	assert_false(s.mbeans.had_login);
	cleanup(&s);
}

static void rejected_and_invalid_logins_are_security_exceptions(void **state)
{
	static const char *const wrong[] = { "control", "wrong", "more" };
	char longer[RMI_LOGIN_MAX + 1];
	const char *const too_long[] = { longer, "p" };
	struct served s;

	(void)state;
	setup(&s);
	memset(longer, 'u', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	add_login(&s, wrong, 2);
	add_login(&s, wrong, 3);
	add_login(&s, wrong, 1);
	add_login(&s, too_long, 2);
	talk(&s);
	for (size_t i = 0; i < 4; i++)
		expect_exception(&s, "java.lang.SecurityException");
	assert_int_equal(s.at, s.heard.len);
	assert_int_equal(s.mbeans.opens, 1);
	cleanup(&s);
}

static void ended_and_guessed_sessions_do_not_exist(void **state)
{
	struct served s;
	struct jrmp_return r;

	(void)state;
	setup(&s);
	jmx_add_call(&s.sent, &s.session, JMX_CLOSE);
	add_call(&s, JMX_GET_ATTRIBUTE, "AA");
	s.session.bytes[0] ^= 1;
	add_call(&s, JMX_GET_ATTRIBUTE, "AA");
	talk(&s);
	r = next(&s, false);
	assert_false(r.is_exception);
	jrmp_return_release(&r);
	expect_exception(&s, "java.rmi.NoSuchObjectException");
	expect_exception(&s, "java.rmi.NoSuchObjectException");
	assert_int_equal(s.mbeans.requests, 0);
	cleanup(&s);
}

static struct java_bytes class_of(const struct java_value *v)
{
	static const char string[] = "java.lang.String";

	if (v->kind == JAVA_STRING)
		return (struct java_bytes){ string, sizeof(string) - 1 };
	return v->kind == JAVA_ARRAY ? v->array.class->name
				     : java_class_name_of(v);
}

/* The class of the object, and its value as text. */
static void expect_attribute(const char *attribute, const char *json,
			     const char *class, const char *text)
{
	struct served s;
	struct jrmp_return r;
	struct arena a = { 0 };
	struct text shown = { 0 };

	setup(&s);
	s.mbeans.json = json;
	s.mbeans.json_len = strlen(json);
	add_call(&s, JMX_GET_ATTRIBUTE, attribute);
	talk(&s);
	r = next(&s, true);
	assert_int_equal(s.at, s.heard.len);
	assert_false(r.is_exception);
	assert_true(java_bytes_are(class_of(r.value), class));
	text_puts(&shown, "");
	value_cell(&shown, java_to_value(r.value, &a));
	assert_string_equal(shown.bytes, text);
	text_release(&shown);
	arena_release(&a);
	jrmp_return_release(&r);
	cleanup(&s);
}

static const char *attribute_of(const char *type)
{
	static char name[3] = "A";

	for (size_t i = 0; i < CLIENT_TYPES; i++)
		if (strcmp(client_types[i], type) == 0)
			name[1] = (char)('A' + i);
	return name;
}

#define OPEN "javax.management.openmbean."

static void declared_type_decides_the_class(void **state)
{
	/* clang-format off */
	static const struct {
		const char *type, *json, *class, *text;
	} cases[] = {
		{ "int", "-2147483648", "java.lang.Integer", "-2147483648" },
		{ "long", "9223372036854775807", "java.lang.Long",
		  "9223372036854775807" },
		{ "short", "7", "java.lang.Short", "7" },
		{ "byte", "-128", "java.lang.Byte", "-128" },
		{ "double", "3", "java.lang.Double", "3" },
		{ "float", "0.5", "java.lang.Float", "0.5" },
		/* Jolokia 1.x writes null for NaN. */
		{ "double", "null", "java.lang.Double", "NaN" },
		{ "float", "null", "java.lang.Float", "NaN" },
		{ "boolean", "true", "java.lang.Boolean", "true" },
		{ "java.lang.Integer", "5", "java.lang.Integer", "5" },
		{ "java.lang.String", "\"x\"", "java.lang.String", "x" },
		{ "java.math.BigInteger", "123456789012345678901",
		  "java.math.BigInteger", "123456789012345678901" },
		{ "java.math.BigDecimal", "0.10", "java.math.BigDecimal",
		  "0.10" },
		{ "javax.management.ObjectName",
		  "{\"objectName\":\"a:b=c\"}", "javax.management.ObjectName",
		  "a:b=c" },
		{ "[J", "[1,-2]", "[J", "[1, -2]" },
		{ "[D", "[0.5,null]", "[D", "[0.5, NaN]" },
		{ "[[I", "[[1],[]]", "[[I", "[[1], []]" },
		{ "[Ljava.lang.String;", "[\"a\",null]",
		  "[Ljava.lang.String;", "[a, null]" },
		{ "java.util.List", "[\"a\",1]", "java.util.ArrayList",
		  "[a, 1]" },
		{ "java.util.Set", "[\"a\"]", "java.util.HashSet", "[a]" },
		{ "java.util.Map", "{\"a\":1}", "java.util.LinkedHashMap",
		  "{a=1}" },
		{ OPEN "CompositeData", "{\"a\":1}",
		  OPEN "CompositeDataSupport", "{a=1}" },
		{ "[L" OPEN "CompositeData;", "[{\"a\":1},null]",
		  "[L" OPEN "CompositeData;", "[{a=1}, null]" },
		/* A value that does not have the declared type. */
		{ "int", "\"text\"", "java.lang.String", "text" },
		{ "int", "2147483648", "java.lang.Long", "2147483648" },
		{ "unknown.Type", "1", "java.lang.Long", "1" },
		{ "unknown.Type", "{\"a\":1}", OPEN "CompositeDataSupport",
		  "{a=1}" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect_attribute(attribute_of(cases[i].type), cases[i].json,
				 cases[i].class, cases[i].text);
}

/* The name of the type of a CompositeData. */
static struct java_bytes composite_type(const struct java_value *v)
{
	return java_string_of(
		java_field_of(java_field_of(v, "compositeType"), "typeName"));
}

static void composites_of_the_jdk_have_their_types(void **state)
{
	static const char json[] = "{\"init\":1,\"used\":2,\"committed\":3,"
				   "\"max\":-1}";
	struct served s;
	struct jrmp_return r;

	(void)state;
	setup(&s);
	s.mbeans.json = json;
	s.mbeans.json_len = strlen(json);
	add_call(&s, JMX_GET_ATTRIBUTE, attribute_of(OPEN "CompositeData"));
	talk(&s);
	r = next(&s, true);
	assert_true(java_bytes_are(composite_type(r.value),
				   "java.lang.management.MemoryUsage"));
	jrmp_return_release(&r);
	cleanup(&s);
}

/* A member that is null in the first composite has the type of the others. */
static void similar_composites_share_a_type(void **state)
{
	static const char json[] = "[{\"a\":null,\"b\":1},{\"a\":2,\"b\":1}]";
	const struct java_value *types[2];
	struct served s;
	struct jrmp_return r;

	(void)state;
	setup(&s);
	s.mbeans.json = json;
	s.mbeans.json_len = strlen(json);
	add_call(&s, JMX_GET_ATTRIBUTE,
		 attribute_of("[L" OPEN "CompositeData;"));
	talk(&s);
	r = next(&s, true);
	assert_int_equal(r.value->array.elements.count, 2);
	for (size_t i = 0; i < 2; i++)
		types[i] = java_field_of(r.value->array.elements.at[i],
					 "compositeType");
	assert_ptr_equal(types[0], types[1]);
	jrmp_return_release(&r);
	cleanup(&s);
}

static void failures_become_the_exceptions_of_an_mbean_server(void **state)
{
	/* clang-format off */
	static const struct {
		const char *failure, *class;
	} cases[] = {
		{ "javax.management.InstanceNotFoundException: a:b=c",
		  "javax.management.InstanceNotFoundException" },
		{ "javax.management.AttributeNotFoundException: x",
		  "javax.management.AttributeNotFoundException" },
		{ "java.lang.IllegalStateException: x",
		  "javax.management.RuntimeMBeanException" },
		{ "javax.management.RuntimeErrorException: x",
		  "javax.management.RuntimeErrorException" },
		{ "java.lang.NoSuchMethodException: x",
		  "javax.management.ReflectionException" },
		{ "com.example.OwnException: x",
		  "javax.management.MBeanException" },
		{ "", "javax.management.MBeanException" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct served s;

		setup(&s);
		s.mbeans.failure = cases[i].failure;
		add_call(&s, JMX_GET_ATTRIBUTE, "AA");
		talk(&s);
		expect_exception(&s, cases[i].class);
		cleanup(&s);
	}
}

/* The next call connects again. */
static void lost_connection_is_an_io_exception(void **state)
{
	struct served s;

	(void)state;
	setup(&s);
	s.mbeans.lost = "cut";
	add_call(&s, JMX_GET_ATTRIBUTE, "AA");
	add_call(&s, JMX_GET_MBEAN_INFO, NULL);
	s.mbeans.kind = ERROR_REFUSED;
	talk(&s);
	expect_exception(&s, "java.io.IOException");
	expect_exception(&s, "java.io.IOException");
	s.mbeans.kind = ERROR_PERMISSION;
	add_call(&s, JMX_GET_ATTRIBUTE, "AA");
	talk(&s);
	expect_exception(&s, "java.lang.SecurityException");
	cleanup(&s);
}

static void unsupported_methods_throw(void **state)
{
	struct served s;

	(void)state;
	setup(&s);
	add_call(&s, JMX_UNREGISTER, NULL);
	jmx_add_call(&s.sent, &jrmp_registry, JMX_UNBIND);
	java_write_text(&s.sent, "jmxrmi");
	talk(&s);
	expect_exception(&s, "java.lang.UnsupportedOperationException");
	expect_exception(&s, "java.lang.UnsupportedOperationException");
	assert_int_equal(s.at, s.heard.len);
	cleanup(&s);
}

/* A stranger may not make the server allocate much. */
static void only_sessions_may_send_long_messages(void **state)
{
	struct text name = { 0 };
	struct served s;
	struct jrmp_return r;

	(void)state;
	setup(&s);
	/* The limit applies after each read. */
	for (size_t i = 0; i < 2 * REQUEST_EARLY_BYTES_MAX; i++)
		text_putc(&name, 'x');
	jmx_add_call(&s.sent, &jrmp_registry, JMX_LOOKUP);
	java_write_text(&s.sent, name.bytes);
	talk(&s);
	assert_int_equal(s.heard.len, 0);
	add_call(&s, JMX_GET_ATTRIBUTE, name.bytes);
	talk(&s);
	r = next(&s, true);
	jrmp_return_release(&r);
	s.session.bytes[0] ^= 1;
	add_call(&s, JMX_GET_ATTRIBUTE, name.bytes);
	talk(&s);
	assert_int_equal(s.heard.len, 0);
	text_release(&name);
	cleanup(&s);
}

/* The first call may be cut at any byte. */
static void cut_calls_are_not_made(void **state)
{
	struct served s;
	struct text whole = { 0 };

	(void)state;
	setup(&s);
	add_call(&s, JMX_GET_ATTRIBUTE, "AA");
	text_add(&whole, s.sent.bytes, s.sent.len);
	for (size_t len = 0; len < whole.len; len++) {
		text_clear(&s.sent);
		text_add(&s.sent, whole.bytes, len);
		talk(&s);
		assert_int_equal(s.heard.len, 0);
	}
	assert_int_equal(s.mbeans.requests, 0);
	text_release(&whole);
	cleanup(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lookup_returns_a_stub_of_jmxrmi_alone),
		cmocka_unit_test(login_reaches_the_carrier),
		cmocka_unit_test(
			rejected_and_invalid_logins_are_security_exceptions),
		cmocka_unit_test(ended_and_guessed_sessions_do_not_exist),
		cmocka_unit_test(declared_type_decides_the_class),
		cmocka_unit_test(composites_of_the_jdk_have_their_types),
		cmocka_unit_test(similar_composites_share_a_type),
		cmocka_unit_test(
			failures_become_the_exceptions_of_an_mbean_server),
		cmocka_unit_test(lost_connection_is_an_io_exception),
		cmocka_unit_test(unsupported_methods_throw),
		cmocka_unit_test(only_sessions_may_send_long_messages),
		cmocka_unit_test(cut_calls_are_not_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
