/* SPDX-License-Identifier: Apache-2.0 */
/* Destinations of calls, and clients that may connect. */
#include "jmx_http/net/cidr.h"
#include "jmx_http/proxy/session.h"
#include "jmx_http/proxy/upstream.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define LONG_NAME   "::ffffffffffffffffffffffffffffffffffffffffffffffffffff"

#define SSL_FACTORY "javax.rmi.ssl.SslRMIClientSocketFactory"

static struct stub stub_at(uint16_t port, uint8_t id, const char *factory)
{
	struct stub stub = {
		.host = "169.254.169.254",
		.port = port,
		.factory = { factory, strlen(factory) },
	};

	stub.id.bytes[0] = id;
	return stub;
}

static void check(struct upstream *p, uint8_t id, uint16_t port,
		  enum endpoint_tls tls)
{
	struct jrmp_id object = { { id } };
	struct endpoint e = upstream_route(p, &object);

	assert_int_equal(e.port, port);
	assert_int_equal(e.tls, tls);
}

static void unknown_objects_are_at_the_registry_first(void **state)
{
	struct upstream p = { .registry = { 9010, ENDPOINT_LOOK } };

	(void)state;
	check(&p, 0, 9010, ENDPOINT_LOOK);
	check(&p, 7, 9010, ENDPOINT_LOOK);
	upstream_learn_tls(&p, 9010, ENDPOINT_PLAIN);
	check(&p, 7, 9010, ENDPOINT_PLAIN);
}

/* The object id of a session identifies a client that has logged in. */
static void recently_used_sessions_are_remembered(void **state)
{
	static struct upstream p;
	struct stub session = stub_at(9011, 2, SSL_FACTORY);
	const struct jrmp_id first = { { 2 } }, none = { { 3 } };
	struct jrmp_id id = first;

	(void)state;
	p = (struct upstream){ .registry = { 9010, ENDPOINT_PLAIN } };
	assert_false(upstream_has_session(&p, &first));
	upstream_learn_session(&p, &session);
	assert_true(upstream_has_session(&p, &first));
	assert_false(upstream_has_session(&p, &none));
	for (unsigned i = 0; i < 2 * UPSTREAM_SESSIONS_MAX; i++) {
		session.id.bytes[20] = (uint8_t)((i >> 8) + 1);
		session.id.bytes[21] = (uint8_t)i;
		upstream_learn_session(&p, &session);
		/* The session stays in use. */
		assert_true(upstream_has_session(&p, &first));
		assert_true(upstream_has_session(&p, &session.id));
	}
	id.bytes[20] = 1;
	assert_false(upstream_has_session(&p, &id));
}

static void unknown_objects_are_at_the_server(void **state)
{
	struct upstream p = { .registry = { 9010, ENDPOINT_PLAIN } };
	struct stub server = stub_at(9011, 1, SSL_FACTORY);
	struct stub session = stub_at(9011, 2, SSL_FACTORY);

	(void)state;
	upstream_learn_server(&p, &server, false);
	upstream_learn_session(&p, &session);
	check(&p, 0, 9010, ENDPOINT_PLAIN);
	check(&p, 1, 9011, ENDPOINT_TLS);
	check(&p, 2, 9011, ENDPOINT_TLS);
	check(&p, 99, 9011, ENDPOINT_TLS);
	/* After a restart, the server may have another port. */
	server = stub_at(9012, 3, "");
	upstream_learn_server(&p, &server, false);
	check(&p, 2, 9012, ENDPOINT_PLAIN);
}

/* Lookups of "jmxrmi" do not lead to that server. */
static void lookup_of_another_name_does_not_move_the_server(void **state)
{
	struct upstream p = { .registry = { 9010, ENDPOINT_PLAIN } };
	struct stub server = stub_at(9011, 1, "");
	struct stub other = stub_at(9020, 3, "");

	(void)state;
	/* If the registry has only this object, it is the server. */
	upstream_learn_other(&p, &other, false);
	check(&p, 99, 9020, ENDPOINT_PLAIN);
	upstream_learn_server(&p, &server, false);
	upstream_learn_other(&p, &other, false);
	check(&p, 1, 9011, ENDPOINT_PLAIN);
	check(&p, 99, 9011, ENDPOINT_PLAIN);
	check(&p, 3, 9020, ENDPOINT_PLAIN);
	other = stub_at(9010, 4, "");
	upstream_learn_other(&p, &other, true);
	check(&p, 99, 9011, ENDPOINT_PLAIN);
	check(&p, 4, 9010, ENDPOINT_PLAIN);
}

static void one_port_serves_all_objects(void **state)
{
	struct upstream p = { .registry = { 17010, ENDPOINT_TLS } };
	struct stub server = stub_at(9010, 1, SSL_FACTORY);
	struct stub session = stub_at(9010, 2, SSL_FACTORY);

	(void)state;
	upstream_learn_server(&p, &server, true);
	upstream_learn_session(&p, &session);
	check(&p, 1, 17010, ENDPOINT_TLS);
	check(&p, 2, 17010, ENDPOINT_TLS);
}

static void sessions_at_other_ports_are_routed(void **state)
{
	struct upstream p = { .registry = { 9010, ENDPOINT_PLAIN } };
	struct stub server = stub_at(9011, 1, "");
	struct stub session;

	(void)state;
	upstream_learn_server(&p, &server, false);
	for (unsigned i = 0; i < 200; i++) {
		session = stub_at((uint16_t)(20000 + i), (uint8_t)i, "Custom");
		upstream_learn_session(&p, &session);
		check(&p, (uint8_t)i, (uint16_t)(20000 + i), ENDPOINT_LOOK);
	}
	/* The number of routes is limited, and duplicates are stored once. */
	assert_int_equal(p.route_count, UPSTREAM_ROUTES_MAX);
	upstream_learn_session(&p, &session);
	upstream_learn_tls(&p, session.port, ENDPOINT_TLS);
	check(&p, 199, 20199, ENDPOINT_TLS);
	check(&p, 198, 20198, ENDPOINT_LOOK);
	check(&p, 3, 9011, ENDPOINT_PLAIN);
}

static struct sockaddr_storage address(const char *text)
{
	struct sockaddr_storage a = { .ss_family = AF_INET };

	if (inet_pton(AF_INET, text, &((struct sockaddr_in *)&a)->sin_addr))
		return a;
	a.ss_family = AF_INET6;
	assert_int_equal(inet_pton(AF_INET6, text,
				   &((struct sockaddr_in6 *)&a)->sin6_addr),
			 1);
	return a;
}

static void network_matches_only_its_addresses(void **state)
{
	static const struct {
		const char *network, *address;
		bool has;
	} cases[] = {
		{ "10.0.0.0/8", "10.255.1.2", true },
		{ "10.0.0.0/8", "11.0.0.0", false },
		{ "10.0.0.0/8", "::ffff:10.1.2.3", true },
		{ "10.64.0.0/10", "10.127.255.255", true },
		{ "10.64.0.0/10", "10.128.0.0", false },
		{ "192.0.2.7", "192.0.2.7", true },
		{ "192.0.2.7", "192.0.2.6", false },
		{ "192.0.2.6/31", "192.0.2.7", true },
		{ "0.0.0.0/0", "1.2.3.4", true },
		{ "0.0.0.0/0", "fd00::1", false },
		{ "::/0", "fd00::1", true },
		{ "fd00::/8", "fdff::1", true },
		{ "fd00::/8", "fe00::1", false },
		{ "fd00::1", "fd00::1", true },
		{ "fd00::1/128", "fd00::2", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sockaddr_storage a = address(cases[i].address);
		struct cidr c;
		struct error err;

		if (cidr_parse(&c, cases[i].network, &err))
			fail_msg("%s", err.text);
		if (cidr_has(&c, &a) != cases[i].has)
			fail_msg("%s in %s", cases[i].address,
				 cases[i].network);
	}
}

static void invalid_network_is_rejected(void **state)
{
	static const char *const bad[] = {
		"",           "x",           "10.0.0.0/33",
		"10.0.0.0/",  "10.0.0.1/8",  "10.0.0.0/-1",
		"fd00::/129", "fd00::1/64",  "10.0.0.0/8x",
		"10.0.0/8",   "/8",          "10.0.0.1/31",
		"::ffff:x/8", "10.0.0.0 /8", LONG_NAME "/8",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct cidr c;
		struct error err;

		if (!cidr_parse(&c, bad[i], &err))
			fail_msg("'%s' is one", bad[i]);
		assert_int_equal(err.kind, ERROR_MISUSE);
	}
}

static void loopback_addresses_are_recognized(void **state)
{
	static const char *const here[] = { "127.0.0.1", "127.1.2.3", "::1",
					    "::ffff:127.0.0.1" };
	static const char *const elsewhere[] = { "0.0.0.0", "128.0.0.1",
						 "::", "10.0.0.1", "::2" };

	(void)state;
	for (size_t i = 0; i < sizeof(here) / sizeof(*here); i++) {
		struct sockaddr_storage a = address(here[i]);

		assert_true(cidr_is_loopback(&a));
	}
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++) {
		struct sockaddr_storage a = address(elsewhere[i]);

		assert_false(cidr_is_loopback(&a));
	}
}

/* The type is the eighth byte of a return, also if that arrives in pieces. */
static void log_tells_exceptions_from_values(void **state)
{
	static const char thrown[] = "Q\xac\xed\0\5w\17\2more";

	(void)state;
	for (size_t cut = 0; cut < sizeof(thrown) - 1; cut++) {
		const struct policy_call closing = { .method = "close" };
		struct call_log l = { 0 };

		call_log_begin(&l, &closing, 10);
		assert_false(call_log_is_over(&l, INT64_MAX));
		rmi_call_log_return(&l, thrown, cut);
		rmi_call_log_return(&l, thrown + cut, sizeof(thrown) - 1 - cut);
		assert_true(l.is_exception);
		assert_int_equal(l.len, sizeof(thrown) - 1);
		assert_true(call_log_is_over(&l, INT64_MAX));
		assert_false(call_log_is_over(&l, 0));
		call_log_release(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recently_used_sessions_are_remembered),
		cmocka_unit_test(unknown_objects_are_at_the_registry_first),
		cmocka_unit_test(unknown_objects_are_at_the_server),
		cmocka_unit_test(
			lookup_of_another_name_does_not_move_the_server),
		cmocka_unit_test(one_port_serves_all_objects),
		cmocka_unit_test(sessions_at_other_ports_are_routed),
		cmocka_unit_test(network_matches_only_its_addresses),
		cmocka_unit_test(invalid_network_is_rejected),
		cmocka_unit_test(loopback_addresses_are_recognized),
		cmocka_unit_test(log_tells_exceptions_from_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
