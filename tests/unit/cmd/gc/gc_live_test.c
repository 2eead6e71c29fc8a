/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/gc/gc_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* JVMs are opened one after another, which takes time. */
static void time_of_each_jvm_begins_when_it_is_opened(void **state)
{
	struct gc_source sources[] = { { .begin_ns = 1000 },
				       { .begin_ns = 4000 },
				       { .begin_ns = 5000 } };
	struct gc_stream running = { .source = &sources[0] };
	struct gc_stream ended = { .source = &sources[1], .end_ns = 4500 };
	struct gc_stream last = { .source = &sources[2] };
	struct gc_stream *all[] = { &running, &ended, &last };
	struct gc_streams streams = { .all = all, .count = 3 };

	(void)state;
	assert_int_equal(gc_streams_observed_ns(&streams, 6000),
			 5000 + 500 + 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_of_each_jvm_begins_when_it_is_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
