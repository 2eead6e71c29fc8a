/* SPDX-License-Identifier: Apache-2.0 */
/* Requests made for OpenTelemetry collectors are in tests/data/otlp. */
#include "core/formats/reader.h"
#include "tests/unit/foreign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void smallest_request_is_one_sample(void **state)
{
	struct text file = foreign_file("tests/data/otlp/one.pb");
	struct profile *p = foreign_read(&otlp_reader, file.bytes, file.len);

	(void)state;
	assert_true(otlp_reader.sniff((uint8_t *)file.bytes, file.len));
	assert_false(pprof_reader.sniff((uint8_t *)file.bytes, file.len));
	foreign_expect(p, "samples: com.acme.Main.run:42|[main]|7 7\n");
	assert_string_equal(profile_setting(p, "samples", "period"),
			    "52631578 ns");
	assert_int_equal(p->remark_count, 0);
	profile_free(p);
	text_release(&file);
}

static void stack_traces_threads_and_times_are_read(void **state)
{
	struct text file = foreign_file("tests/data/otlp/load-timestamps.pb");
	struct profile *p = foreign_read(&otlp_reader, file.bytes, file.len);

	(void)state;
	assert_true(otlp_reader.sniff((uint8_t *)file.bytes, READER_HEAD));
	assert_true(p->earliest_ns > 1700000000000000000);
	assert_true(p->thread_count > 1);
	assert_true(p->stack_count > 100);
	assert_int_equal(p->remark_count, 0);
	profile_free(p);
	text_release(&file);
}

static void requests_may_be_truncated_anywhere(void **state)
{
	static const char *const names[] = {
		"tests/data/otlp/one.pb",
		"tests/data/otlp/load-timestamps.pb",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct text file = foreign_file(names[i]);

		foreign_cut_everywhere(&otlp_reader, file.bytes, file.len,
				       true);
		text_release(&file);
	}
}

static void other_bytes_are_refused(void **state)
{
	static const char request[] = "\x0a\x00\x12\x02\x2a\x00";

	(void)state;
	foreign_refuse(&otlp_reader, "", 0,
		       "no dictionary: not an OTLP profile, or truncated");
	foreign_refuse(&otlp_reader, request, 6,
		       "the profiles have no samples");
	assert_false(otlp_reader.sniff((const uint8_t *)"\n\nhello", 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smallest_request_is_one_sample),
		cmocka_unit_test(stack_traces_threads_and_times_are_read),
		cmocka_unit_test(requests_may_be_truncated_anywhere),
		cmocka_unit_test(other_bytes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
