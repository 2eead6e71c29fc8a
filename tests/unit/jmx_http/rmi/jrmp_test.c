/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorded replies of JVMs to a greeting and a lookup; then hand-made replies.
 */
#include "core/base/input.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/net/address.h"
#include "jmx_http/rmi/stub.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA           "tests/data/rmi/"

#define BYTES(literal) (literal), (sizeof(literal) - 1)

/* The head of a return; its id is zero. */
#define HEAD(type) "Q\xac\xed\0\5w\17" type "\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

static void first_bytes_identify_the_protocol(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		enum jrmp_answer is;
	} answers[] = {
		{ BYTES(""), JRMP_SHORT },
		{ BYTES("N"), JRMP_SHORT },
		{ BYTES("N\0\1a\0\0\0"), JRMP_SHORT },
		{ BYTES("N\0\1a\0\0\0\1"), JRMP_GREETED },
		{ BYTES("N\1\0a"), JRMP_OTHER },
		{ BYTES("N\0\1\0\0\0\0\1"), JRMP_OTHER },
		{ BYTES("N\0\1a\0\1\0\0"), JRMP_OTHER },
		{ BYTES("O"), JRMP_REFUSED },
		{ BYTES("\x15"), JRMP_SHORT },
		{ BYTES("\x15\3\3\0\2\2P"), JRMP_TLS },
		{ BYTES("\x15\2"), JRMP_OTHER },
		{ BYTES("HTT"), JRMP_SHORT },
		{ BYTES("HTTP/1.1 400"), JRMP_HTTP },
		{ BYTES("SSH-2.0-"), JRMP_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		struct jrmp_greeting greeting;

		assert_int_equal(jrmp_read_answer(answers[i].bytes,
						  answers[i].len, &greeting),
				 answers[i].is);
	}
}

/* Reads the greeting and the return of a recording; returns the stub. */
static struct stub stub_in(const char *path, struct jrmp_return *r)
{
	struct input in;
	struct error err;
	struct jrmp_greeting greeting;
	struct stub stub;
	size_t used;

	if (input_open(&in, path, &err) || input_complete(&in, &err))
		fail_msg("%s", err.text);
	assert_int_equal(jrmp_read_answer(in.bytes, in.len, &greeting),
			 JRMP_GREETED);
	assert_string_equal(greeting.host, "127.0.0.1");
	assert_int_equal(jrmp_return_read(r, in.bytes + greeting.len,
					  in.len - greeting.len, &used),
			 JAVA_DONE);
	assert_int_equal(greeting.len + used, in.len);
	assert_false(r->is_exception);
	if (stub_of(r->value, &stub, &err))
		fail_msg("%s", err.text);
	input_close(&in);
	return stub;
}

static void endpoint_of_a_stub_is_parsed(void **state)
{
	struct jrmp_return r = { 0 };
	struct stub stub = stub_in(DATA "lookup17.s2c", &r);

	(void)state;
	assert_true(java_bytes_are(stub.reference, "UnicastRef"));
	assert_string_equal(stub.host, "127.0.0.1");
	assert_int_equal(stub.port, 0x4a42);
	assert_int_equal(stub.factory.len, 0);
	assert_true(stub.is_result);
	assert_memory_equal(stub.id.bytes, "\x9e\xad\x64\xd0", 4);
	jrmp_return_release(&r);
	stub = stub_in(DATA "lookup_unroutable17.s2c", &r);
	assert_string_equal(stub.host, "10.255.255.1");
	jrmp_return_release(&r);
}

static void tls_factory_of_a_stub_is_parsed(void **state)
{
	struct jrmp_return r = { 0 };
	struct stub stub = stub_in(DATA "lookup_tls17.s2c", &r);

	(void)state;
	assert_true(java_bytes_are(stub.reference, "UnicastRef2"));
	assert_true(java_bytes_are(stub.factory,
				   "javax.rmi.ssl.SslRMIClientSocketFactory"));
	assert_string_equal(stub.host, "127.0.0.1");
	assert_int_not_equal(stub.port, 0);
	jrmp_return_release(&r);
}

/* Reads a return in one piece and byte by byte; returns the status. */
static enum java_status status_of(struct jrmp_return *r, const char *bytes,
				  size_t len)
{
	enum java_status status = JAVA_MORE;
	size_t at = 0, used;

	for (size_t end = 0; end <= len && status == JAVA_MORE; end++) {
		status = jrmp_return_read(r, bytes + at, end - at, &used);
		at += used;
	}
	return status;
}

static void returns_of_all_kinds_are_parsed(void **state)
{
	struct jrmp_return r = { 0 };

	(void)state;
	assert_int_equal(status_of(&r, BYTES(HEAD("\1") "t\0\1a")), JAVA_DONE);
	assert_true(java_bytes_are(java_string_of(r.value), "a"));
	jrmp_return_release(&r);
	r.is_void = true;
	assert_int_equal(status_of(&r, BYTES("Q\xac\xed\0\5w\20\1"
					     "\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
					     "\7")),
			 JAVA_DONE);
	assert_int_equal(r.primitive.len, 1);
	assert_int_equal(r.primitive.at[0], 7);
	jrmp_return_release(&r);
	/* The same for a void method. */
	r.is_void = true;
	assert_int_equal(
		status_of(&r, BYTES(HEAD("\2") "sr\0\1E\0\0\0\0\0\0\0\1\2\0\0x"
					       "p")),
		JAVA_DONE);
	assert_true(r.is_exception);
	assert_false(r.is_aborted);
	jrmp_return_release(&r);
	assert_int_equal(
		status_of(&r, BYTES(HEAD("\1") "{sr\0\1E\0\0\0\0\0\0\0\1\2\0\0x"
					       "p")),
		JAVA_DONE);
	assert_true(r.is_exception);
	assert_true(r.is_aborted);
	jrmp_return_release(&r);
}

static void invalid_return_is_rejected(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *wrong;
	} returns[] = {
		{ BYTES("S"), "another message in place of a return" },
		{ BYTES("Qabcd"), "not a stream of Java objects" },
		{ BYTES("Q\xac\xed\0\5w\1\1"), "a return without a head" },
		{ BYTES("Q\xac\xed\0\5p"), "a return without a head" },
		{ BYTES(HEAD("\3")), "unknown return type" },
		{ BYTES(HEAD("\1") "w\0"), "block data in place of a value" },
		{ BYTES(HEAD("\2") "p"), "an exception that is no object" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(returns) / sizeof(*returns); i++) {
		struct jrmp_return r = { 0 };

		assert_int_equal(
			status_of(&r, returns[i].bytes, returns[i].len),
			JAVA_WRONG);
		assert_string_equal(r.wrong, returns[i].wrong);
		jrmp_return_release(&r);
	}
}

/* A stub whose class R contains the fields of RemoteObject itself. */
#define STUB(block)                                                            \
	HEAD("\1")                                                             \
	"sr\0\34java.rmi.server.RemoteObject\0\0\0\0\0\0\0\1\3\0\0xp" block "x"
#define ID "\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0\0\0\0\0\3\0\4"

static void unknown_kinds_of_references_are_rejected(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		int status;
	} stubs[] = {
		{ BYTES(STUB("w\52\0\12UnicastRef\0\1h\0\0\0\1" ID "\0")), 0 },
		{ BYTES(STUB("w\54\0\13UnicastRef2\0\0\1h\0\0\0\1" ID "\0")),
		  0 },
		{ BYTES(STUB("w\54\0\13UnicastRef2\2\0\1h\0\0\0\1" ID "\0")),
		  -1 },
		{ BYTES(STUB("w\54\0\13UnicastRef2\1\0\1h\0\0\0\1" ID "\0")),
		  -1 },
		{ BYTES(STUB("w\52\0\12UnicastXxx\0\1h\0\0\0\1" ID "\0")), -1 },
		{ BYTES(STUB("w\52\0\12UnicastRef\0\1h\0\0\0\0" ID "\0")), -1 },
		{ BYTES(STUB("w\52\0\12UnicastRef\0\1h\0\1\0\0" ID "\0")), -1 },
		{ BYTES(STUB("w\52\0\12UnicastRef\0\1\0\0\0\0\1" ID "\0")),
		  -1 },
		{ BYTES(STUB("w\51\0\12UnicastRef\0\0\0\0\0\0" ID "\0")), -1 },
		{ BYTES(STUB("w\51\0\12UnicastRef\0\1h\0\0\0\1" ID)), -1 },
		{ BYTES(STUB("w\53\0\12UnicastRef\0\1h\0\0\0\1" ID "\0x")),
		  -1 },
		{ BYTES(STUB("w\0")), -1 },
		{ BYTES(STUB("")), -1 },
		{ BYTES(HEAD("\1") "t\0\1a"), -1 },
		{ BYTES(HEAD("\1") "p"), -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(stubs) / sizeof(*stubs); i++) {
		struct jrmp_return r = { 0 };
		struct stub stub;
		struct error err;

		assert_int_equal(status_of(&r, stubs[i].bytes, stubs[i].len),
				 JAVA_DONE);
		if (stub_of(r.value, &stub, &err) != stubs[i].status)
			fail_msg("the stub %zu", i);
		if (stubs[i].status == 0)
			assert_string_equal(stub.host, "h");
		jrmp_return_release(&r);
	}
}

static void stub_without_a_host_leads_to_loopback(void **state)
{
	static const char bytes[] = STUB("w\51\0\12UnicastRef\0\0\0\0\0\1" ID
					 "\0");
	struct jrmp_return r = { 0 };
	struct stub stub;
	struct error err;

	(void)state;
	assert_int_equal(status_of(&r, bytes, sizeof(bytes) - 1), JAVA_DONE);
	assert_int_equal(stub_of(r.value, &stub, &err), 0);
	assert_true(stub.names_no_host);
	assert_string_equal(stub.host, STUB_LOOPBACK);
	assert_int_equal(stub.port, 1);
	jrmp_return_release(&r);
}

static void call_equals_that_of_a_java_client(void **state)
{
	struct text call = { 0 };

	(void)state;
	jrmp_add_hello(&call);
	assert_int_equal(call.len, 7);
	assert_memory_equal(call.bytes, "JRMI\0\2K", 7);
	text_clear(&call);
	jrmp_add_call(&call, &jrmp_registry, 2, 0x44154dc9d4e63bdfu);
	java_write_string(&call, "jmxrmi", 6);
	assert_int_equal(call.len, 50);
	assert_memory_equal(call.bytes, "P\xac\xed\0\5w\x22\0\0\0", 10);
	assert_memory_equal(call.bytes + 29,
			    "\0\0\0\2\x44\x15\x4d\xc9\xd4\xe6\x3b\xdf"
			    "t\0\6jmxrmi",
			    21);
	text_release(&call);
}

static void strings_are_written_as_modified_utf8(void **state)
{
	struct text out = { 0 }, large = { 0 };

	(void)state;
	java_write_string(&out, BYTES("a\0\xf0\x9f\x98\x80\xc3\xa4"));
	assert_int_equal(out.len, 14);
	assert_memory_equal(out.bytes,
			    "t\0\13a\xc0\x80\xed\xa0\xbd\xed\xb8\x80\xc3\xa4",
			    14);
	for (int i = 0; i < 65536; i++)
		text_putc(&large, 'x');
	text_clear(&out);
	java_write_string(&out, large.bytes, large.len);
	assert_int_equal(out.len, 9 + 65536);
	assert_memory_equal(out.bytes, "|\0\0\0\0\0\1\0\0x", 10);
	text_release(&out);
	text_release(&large);
}

static void addresses_are_parsed(void **state)
{
	static const char *const bad[] = {
		"",           "host",  "host:", ":1",      "host:0",
		"host:65536", "::1:2", "[]:1",  "host:1x", "host:-1"
	};
	struct net_address a;
	struct error err;

	(void)state;
	assert_int_equal(net_address_parse(&a, "host.example:9010", &err), 0);
	assert_string_equal(a.host, "host.example");
	assert_int_equal(a.port, 9010);
	assert_int_equal(net_address_parse(&a, "[::1]:9010", &err), 0);
	assert_string_equal(a.host, "::1");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (!net_address_parse(&a, bad[i], &err))
			fail_msg("'%s' is one", bad[i]);
		assert_int_equal(err.kind, ERROR_MISUSE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_bytes_identify_the_protocol),
		cmocka_unit_test(endpoint_of_a_stub_is_parsed),
		cmocka_unit_test(tls_factory_of_a_stub_is_parsed),
		cmocka_unit_test(stub_without_a_host_leads_to_loopback),
		cmocka_unit_test(returns_of_all_kinds_are_parsed),
		cmocka_unit_test(invalid_return_is_rejected),
		cmocka_unit_test(unknown_kinds_of_references_are_rejected),
		cmocka_unit_test(call_equals_that_of_a_java_client),
		cmocka_unit_test(strings_are_written_as_modified_utf8),
		cmocka_unit_test(addresses_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
