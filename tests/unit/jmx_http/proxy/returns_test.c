/* SPDX-License-Identifier: Apache-2.0 */
/* Rewriting recorded stubs so that they refer to the proxy. */
#include "core/base/input.h"
#include "jmx_http/proxy/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA "tests/data/rmi/"

static struct stub_target to(const char *host, uint16_t port, bool is_tls)
{
	struct stub_target t = { .port = port, .is_tls = is_tls };

	memcpy(t.host, host, strlen(host));
	return t;
}

/* A recorded return, which follows the greeting, and its stub. */
struct captured {
	struct input in;
	struct jrmp_return r;
	struct stub stub;
	const char *bytes;
	size_t len;
};

static void capture(struct captured *c, const char *path)
{
	struct jrmp_greeting greeting;
	struct error err;
	size_t used;

	memset(c, 0, sizeof(*c));
	if (input_open(&c->in, path, &err) || input_complete(&c->in, &err))
		fail_msg("%s", err.text);
	assert_int_equal(jrmp_read_answer(c->in.bytes, c->in.len, &greeting),
			 JRMP_GREETED);
	c->bytes = (const char *)c->in.bytes + greeting.len;
	c->len = c->in.len - greeting.len;
	assert_int_equal(jrmp_return_read(&c->r, c->bytes, c->len, &used),
			 JAVA_DONE);
	assert_int_equal(used, c->len);
	assert_int_equal(stub_of(c->r.value, &c->stub, &err), 0);
}

static void release(struct captured *c)
{
	jrmp_return_release(&c->r);
	input_close(&c->in);
}

/* Reads a rewritten return and checks its stub. */
static void check_stub(const struct text *out, const char *host, uint16_t port,
		       const char *reference, bool has_factory,
		       const struct stub *was)
{
	struct jrmp_return r = { 0 };
	struct stub stub;
	struct error err;
	size_t used;

	assert_int_equal(jrmp_return_read(&r, out->bytes, out->len, &used),
			 JAVA_DONE);
	assert_int_equal(used, out->len);
	if (stub_of(r.value, &stub, &err))
		fail_msg("%s", err.text);
	assert_string_equal(stub.host, host);
	assert_int_equal(stub.port, port);
	assert_true(java_bytes_are(stub.reference, reference));
	assert_int_equal(stub.factory.len > 0, has_factory);
	assert_memory_equal(&stub.id, &was->id, sizeof(stub.id));
	assert_int_equal(stub.is_result, was->is_result);
	jrmp_return_release(&r);
}

static void rewriting_changes_only_the_endpoint(void **state)
{
	struct captured c;
	struct text out = { 0 };
	struct stub_target target;
	/*
	 * The reference starts with its kind, after the 2 bytes of the block's
	 * head.
	 */
	size_t before, after;

	(void)state;
	capture(&c, DATA "lookup_unroutable17.s2c");
	target = to("localhost", 7777, false);
	returns_rewrite(&out, c.bytes, c.len, &c.stub, &target);
	check_stub(&out, "localhost", 7777, "UnicastRef", false, &c.stub);
	before = 1 + c.stub.begin;
	after = JRMP_ID_LEN + 1 + (c.len - 1 - c.stub.end);
	assert_memory_equal(out.bytes, c.bytes, before + 1);
	assert_memory_equal(out.bytes + before + 2, c.bytes + before + 2, 12);
	assert_memory_equal(out.bytes + out.len - after,
			    c.bytes + c.len - after, after);
	assert_int_equal(out.len + strlen("10.255.255.1"),
			 c.len + strlen("localhost"));
	text_release(&out);
	release(&c);
}

static void stub_rewritten_to_its_own_endpoint_is_unchanged(void **state)
{
	static const char *const paths[] = { DATA "lookup17.s2c",
					     DATA "lookup_tls17.s2c",
					     DATA "lookup_unroutable17.s2c" };

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct captured c;
		struct text out = { 0 };
		struct stub_target target;

		capture(&c, paths[i]);
		target = to(c.stub.host, c.stub.port, c.stub.factory.len > 0);
		returns_rewrite(&out, c.bytes, c.len, &c.stub, &target);
		assert_int_equal(out.len, c.len);
		assert_memory_equal(out.bytes, c.bytes, c.len);
		text_release(&out);
		release(&c);
	}
}

static void long_host_name_needs_a_long_block(void **state)
{
	struct captured c;
	struct text out = { 0 };
	struct stub_target target;
	char name[JRMP_HOST_MAX + 1];

	(void)state;
	capture(&c, DATA "lookup17.s2c");
	for (size_t len = 1; len <= JRMP_HOST_MAX; len++) {
		memset(name, 'n', len);
		name[len] = '\0';
		text_clear(&out);
		target = to(name, 1, false);
		returns_rewrite(&out, c.bytes, c.len, &c.stub, &target);
		check_stub(&out, name, 1, "UnicastRef", false, &c.stub);
		text_clear(&out);
		target = to(name, 65535, true);
		returns_rewrite(&out, c.bytes, c.len, &c.stub, &target);
		check_stub(&out, name, 65535, "UnicastRef2", true, &c.stub);
	}
	text_release(&out);
	release(&c);
}

static void tls_factory_is_added_or_removed(void **state)
{
	struct captured plain, tls;
	struct text out = { 0 };
	struct stub_target target;

	(void)state;
	capture(&plain, DATA "lookup17.s2c");
	capture(&tls, DATA "lookup_tls17.s2c");
	target = to("::1", 7777, false);
	returns_rewrite(&out, tls.bytes, tls.len, &tls.stub, &target);
	check_stub(&out, "::1", 7777, "UnicastRef", false, &tls.stub);
	text_clear(&out);
	target = to("h", 7777, true);
	returns_rewrite(&out, plain.bytes, plain.len, &plain.stub, &target);
	check_stub(&out, "h", 7777, "UnicastRef2", true, &plain.stub);
	text_release(&out);
	release(&plain);
	release(&tls);
}

/* Stubs of the local JMX connector have a UnicastRef2 and no socket factory. */
static void reference_without_factory_keeps_its_kind(void **state)
{
	static const char bytes[] =
		"Q\xac\xed\0\5w\17\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
		"sr\0\34java.rmi.server.RemoteObject\0\0\0\0\0\0\0\1\3\0\0xp"
		"w\54\0\13UnicastRef2\0\0\1h\0\0\0\1"
		"\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0\0\0\0\0\3\0\4\0"
		"x";
	struct jrmp_return r = { 0 };
	struct stub stub;
	struct error err;
	struct text out = { 0 };
	struct stub_target target;
	size_t used;

	(void)state;
	assert_int_equal(jrmp_return_read(&r, bytes, sizeof(bytes) - 1, &used),
			 JAVA_DONE);
	assert_int_equal(stub_of(r.value, &stub, &err), 0);
	target = to("other", 2, false);
	returns_rewrite(&out, bytes, sizeof(bytes) - 1, &stub, &target);
	check_stub(&out, "other", 2, "UnicastRef2", false, &stub);
	text_release(&out);
	jrmp_return_release(&r);
}

static void missing_registry_lists_only_jmxrmi(void **state)
{
	static const char lookup[] = "P\xac\xed\0\5w\42\0\0\0\0\0\0\0\0\0\0\0\0"
				     "\0\0\0\0\0\0\0\0\0\0\0\0\0\2"
				     "\x44\x15\x4d\xc9\xd4\xe6\x3b\xdf"
				     "t\0\6jmxrmi";
	struct captured c;
	struct request r = { 0 };
	struct text out = { 0 };
	struct stub_target target;
	struct jrmp_return answer = { 0 };
	size_t used;

	(void)state;
	capture(&c, DATA "lookup17.s2c");
	assert_int_equal(request_read(&r, lookup, sizeof(lookup) - 1, &used),
			 REQUEST_WHOLE);
	target = to(c.stub.host, c.stub.port, false);
	returns_add_lookup(&out, &r, &c.stub, &target);
	/* Equal to the JVM's return except for the id. */
	assert_int_equal(out.len, c.len);
	assert_memory_equal(out.bytes, c.bytes, 8);
	assert_memory_equal(out.bytes + 22, c.bytes + 22, c.len - 22);
	((char *)r.arguments[0]->bytes.at)[0] = 'x';
	text_clear(&out);
	target = to("h", 1, false);
	returns_add_lookup(&out, &r, &c.stub, &target);
	assert_int_equal(jrmp_return_read(&answer, out.bytes, out.len, &used),
			 JAVA_DONE);
	assert_true(answer.is_exception);
	assert_true(java_is(answer.value, "java.rmi.NotBoundException"));
	jrmp_return_release(&answer);
	request_release(&r);
	text_release(&out);
	release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rewriting_changes_only_the_endpoint),
		cmocka_unit_test(
			stub_rewritten_to_its_own_endpoint_is_unchanged),
		cmocka_unit_test(long_host_name_needs_a_long_block),
		cmocka_unit_test(tls_factory_is_added_or_removed),
		cmocka_unit_test(reference_without_factory_keeps_its_kind),
		cmocka_unit_test(missing_registry_lists_only_jmxrmi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
