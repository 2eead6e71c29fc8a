/* SPDX-License-Identifier: Apache-2.0 */
/* Tests native methods in which threads wait, and similar names. */
#include "core/profile/idle_method.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void idle_method_is_found_by_class_and_name(void **state)
{
	static const struct {
		const char *class_name, *method;
		bool idle;
	} methods[] = {
		{ "java.net.PlainSocketImpl", "socketAccept", true },
		{ "java.net.PlainSocketImpl", "socketAvailable", false },
		{ "sun.nio.ch.EPollArrayWrapper", "epollWait", true },
		{ "java.lang.VirtualThread", "takeVirtualThreadListToUnblock",
		  true },
		{ "sun.nio.ch.KQueueArrayWrapper", "kevent0", true },
		{ "java.lang.UNIXProcess", "waitForProcessExit", true },
		{ "java.lang.ProcessHandleImpl", "waitForProcessExit0", true },
		{ "java.lang.ProcessHandleImpl", "waitForProcess", false },
		{ "jdk.internal.misc.Unsafe", "park", true },
		{ "io.netty.channel.epoll.Native", "epollWait", true },
		{ "io.grpc.netty.shaded.io.netty.channel.epoll.Native",
		  "epollWait0", true },
		{ "io.netty.channel.epoll.Native", "epollBusyWait0", false },
		{ "com.acme.Shop", "accept", false },
		{ "com.acme.sun.nio.ch.Net", "accept", false },
		{ "sun.nio.ch.Net", "", false },
		{ "", "accept", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
		struct profile *p = profile_new();
		const char *class_name = methods[i].class_name;
		const char *method = methods[i].method;
		struct frame f = {
			.class_name = profile_string(p, class_name,
						     strlen(class_name)),
			.method = profile_string(p, method, strlen(method)),
		};

		assert_int_equal(idle_method_is(p, &f), methods[i].idle);
		profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_method_is_found_by_class_and_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
