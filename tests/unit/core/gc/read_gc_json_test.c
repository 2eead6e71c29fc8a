/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gc/gc_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
	"{\"schema\":\"sjkc.gc/1\",\"source\":\"7 Main\",\"pid\":7,"
	"\"time\":\"2026-11-29T10:00:01.000250Z\",\"uptime_ns\":1500000000,"
	"\"number\":null,\"kind\":\"young\",\"operation\":\"G1Collect\","
	"\"cause\":\"Allocation Failure\",\"collector\":\"G1\",\"count\":2,"
	"\"collections\":2,\"stopped_ns\":700,\"sync_ns\":100,\"gc_ns\":-5,"
	"\"cpu_ns\":1e300,\"heap_before_bytes\":20,\"heap_after_bytes\":10,"
	"\"heap_committed_bytes\":40,\"last_thread\":\"a \\\"b\\\"\","
	"\"phases\":[{\"name\":\"Pause\",\"level\":1,\"start_ns\":5,"
	"\"ns\":6,\"concurrent\":true}]}\n"
	"{\"kind\":\"unknown\"}\n"
	"\n"
	"{\"schema\":\"sjkc.gc/1\",\"kind\":\"safepoint\"}\n";

static struct gc_source *open_bytes(const char *bytes, size_t len)
{
	return gc_json_open((const uint8_t *)bytes, len);
}

static void records_are_read_as_printed(void **state)
{
	struct gc_source *s = open_bytes(text, strlen(text));
	struct gc_pause p;
	struct gc_lost lost;
	struct error err;

	(void)state;
	assert_true(gc_json_sniff((const uint8_t *)text, strlen(text)));
	assert_int_equal(gc_source_next(s, &p, &err), GC_NEXT_RECORD);
	assert_int_equal(p.kind, GC_YOUNG);
	assert_int_equal(p.end_ns, INT64_C(1795946401000250000));
	assert_int_equal(p.uptime_ns, 1500000000);
	assert_int_equal(p.number, GC_ABSENT);
	assert_string_equal(p.cause, "Allocation Failure");
	assert_int_equal(p.count, 2);
	assert_int_equal(p.collections, 2);
	assert_int_equal(p.stopped_ns, 700);
	assert_int_equal(p.gc_ns, GC_ABSENT);
	assert_int_equal(p.cpu_ns, GC_ABSENT);
	assert_int_equal(p.committed, 40);
	assert_string_equal(p.last_thread, "a \"b\"");
	assert_int_equal(p.phase_count, 1);
	assert_string_equal(p.phases[0].name, "Pause");
	assert_true(p.phases[0].is_concurrent);
	assert_int_equal(gc_source_next(s, &p, &err), GC_NEXT_RECORD);
	assert_int_equal(p.kind, GC_OTHER);
	assert_int_equal(p.stopped_ns, GC_ABSENT);
	assert_int_equal(gc_source_next(s, &p, &err), GC_NEXT_END);
	gc_source_lost(s, &lost);
	assert_int_equal(lost.lines, 1);
	gc_source_close(s);
}

static void records_cut_at_any_byte_are_counted(void **state)
{
	size_t first = (size_t)(strchr(text, '\n') - text);

	(void)state;
	for (size_t len = 0; len <= first; len++) {
		struct gc_source *s = open_bytes(text, len);
		struct gc_lost lost;
		struct gc_pause p;
		struct error err;
		enum gc_next next = gc_source_next(s, &p, &err);

		assert_int_equal(next,
				 len < first ? GC_NEXT_END : GC_NEXT_RECORD);
		gc_source_lost(s, &lost);
		assert_int_equal(lost.lines, len && len < first);
		gc_source_close(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_read_as_printed),
		cmocka_unit_test(records_cut_at_any_byte_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
