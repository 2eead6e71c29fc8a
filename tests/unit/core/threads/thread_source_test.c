/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the names in recordings and JSON documents. */
#include "core/threads/thread_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void each_counter_kind_and_state_has_a_name(void **state)
{
	static const char *const counters[] = {
		"cpu",       "user",      "sys",         "alloc",
		"runq",      "voluntary", "involuntary", "waits",
		"wait_time", "blocks",    "block_time",
	};
	static const char *const kinds[] = { "unknown", "java", "vm",
					     "gc",      "jit",  "native" };
	static const char *const states[] = {
		"UNKNOWN", "NEW",      "RUNNABLE",      "IN_NATIVE",
		"BLOCKED", "WAITING",  "TIMED_WAITING", "TERMINATED",
		"ON_CPU",  "SLEEPING", "DISK",          "STOPPED",
	};

	(void)state;
	assert_int_equal(sizeof(counters) / sizeof(*counters), THREAD_COUNTERS);
	for (int i = 0; i < THREAD_COUNTERS; i++)
		assert_string_equal(thread_counter_name((enum thread_counter)i),
				    counters[i]);
	for (int i = 0; i <= THREAD_NATIVE; i++)
		assert_string_equal(thread_kind_name((enum thread_kind)i),
				    kinds[i]);
	for (int i = 0; i <= RUN_STOPPED; i++)
		assert_string_equal(
			thread_run_state_name((enum thread_run_state)i),
			states[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_counter_kind_and_state_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
