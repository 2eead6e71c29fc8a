/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/login.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void addresses_and_urls_are_parsed(void **state)
{
	static const struct {
		const char *target, *host;
		uint16_t port;
		const char *entry, *stub;
	} targets[] = {
		{ "10.0.0.7:9010", "10.0.0.7", 9010, "jmxrmi", NULL },
		{ "[::1]:9010", "::1", 9010, "jmxrmi", NULL },
		{ "service:jmx:rmi:///jndi/rmi://h:9010/jmxrmi", "h", 9010,
		  "jmxrmi", NULL },
		{ "service:jmx:rmi:///jndi/rmi://[::1]:9010/jmxrmi", "::1",
		  9010, "jmxrmi", NULL },
		/*
		 * Tomcat's URLs also have the server's address, which clients
		 * do not need.
		 */
		{ "service:jmx:rmi://a:10002/jndi/rmi://b:10001/jmxrmi", "b",
		  10001, "jmxrmi", NULL },
		{ "service:jmx:rmi:///jndi/rmi://h/a/b", "h", 1099, "a/b",
		  NULL },
		{ "SERVICE:JMX:RMI:///jndi/rmi:///x", "localhost", 1099, "x",
		  NULL },
		{ "service:jmx:rmi:///jndi/rmi://[::1]/x", "::1", 1099, "x",
		  NULL },
		{ "service:jmx:rmi://127.0.0.1/stub/rO0ABQ==", "", 0, "",
		  "\xac\xed\0\5" },
		{ "service:jmx:rmi://127.0.0.1/stub/rO0ABQ==;a=b", "", 0, "",
		  "\xac\xed\0\5" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		struct rmi_target t;
		struct error err;

		if (rmi_target_parse(&t, targets[i].target, &err))
			fail_msg("%s", err.text);
		assert_string_equal(t.address.host, targets[i].host);
		assert_int_equal(t.address.port, targets[i].port);
		if (t.entry.len)
			assert_string_equal(t.entry.bytes, targets[i].entry);
		else
			assert_string_equal("", targets[i].entry);
		assert_int_equal(t.stub.len, targets[i].stub ? 4 : 0);
		if (targets[i].stub)
			assert_memory_equal(t.stub.bytes, targets[i].stub, 4);
		rmi_target_release(&t);
	}
}

static void invalid_targets_are_misuse(void **state)
{
	static const char *const targets[] = {
		"",
		"host",
		"host:0",
		"host:65536",
		"::1:9010",
		"service:jmx:rmi",
		"service:jmx:rmi://",
		"service:jmx:jmxmp://host:1",
		"service:jmx:rmi:///jndi/ldap://h:1/x",
		"service:jmx:rmi:///jndi/rmi://h:1",
		"service:jmx:rmi:///jndi/rmi://h:1/",
		"service:jmx:rmi:///jndi/rmi://h:x/jmxrmi",
		"service:jmx:rmi:///jndi/rmi:h:1/jmxrmi",
		"service:jmx:rmi://h/stub/",
		"service:jmx:rmi://h/stub/rO0",
		"service:jmx:rmi://h/stub/!!!!",
		"service:jmx:rmi://h/ior/IOR:00",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		struct rmi_target t;
		struct error err = { 0 };

		assert_int_equal(rmi_target_parse(&t, targets[i], &err), -1);
		assert_int_equal(err.kind, ERROR_MISUSE);
		assert_null(t.entry.bytes);
		assert_null(t.stub.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_and_urls_are_parsed),
		cmocka_unit_test(invalid_targets_are_misuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
