/* SPDX-License-Identifier: Apache-2.0 */
/* Requests made for OpenTelemetry collectors are in tests/data/otlp. */
#include "core/base/protobuf.h"
#include "core/formats/otlp_fields.h"
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
	foreign_expect(p, "cpu: com.acme.Main.run:42|[main]|7 7\n");
	assert_string_equal(profile_setting(p, "cpu", "period"), "52631578 ns");
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

/* Appends the fields of a message in the Collector's order, by falling number.
 */
static void add_reversed(struct text *out, struct cursor message, bool is_deep)
{
	struct protobuf_field f;

	for (uint32_t number = TABLE_STACK; number > 0; number--) {
		struct cursor c = message;

		while (protobuf_next(&c, &f)) {
			struct text part = { 0 };

			if (f.number != number)
				continue;
			assert_int_equal(f.type, PROTOBUF_BYTES);
			if (is_deep)
				add_reversed(&part, f.bytes, false);
			else
				text_add(&part, f.bytes.at,
					 cursor_left(&f.bytes));
			protobuf_message(out, number, &part);
			text_release(&part);
		}
	}
}

static void dictionary_may_precede_the_resources(void **state)
{
	struct text file = foreign_file("tests/data/otlp/load-timestamps.pb");
	struct text reversed = { 0 }, one = { 0 };
	struct profile *p, *same;

	(void)state;
	add_reversed(&reversed, cursor_over(file.bytes, file.len), true);
	assert_int_equal(reversed.bytes[0], 0x12);
	assert_true(otlp_reader.sniff((uint8_t *)reversed.bytes, READER_HEAD));
	assert_true(otlp_reader.sniff((uint8_t *)reversed.bytes, reversed.len));
	assert_false(
		pprof_reader.sniff((uint8_t *)reversed.bytes, READER_HEAD));
	p = foreign_read(&otlp_reader, reversed.bytes, reversed.len);
	same = foreign_read(&otlp_reader, file.bytes, file.len);
	assert_int_equal(p->stack_count, same->stack_count);
	assert_int_equal(p->events[0].samples, same->events[0].samples);
	profile_free(p);
	profile_free(same);
	/* The head ends in the second resource, after a small dictionary. */
	text_add(&one, "\x12\x04\x2a\x02-1\x0a\x04\x12\x02\x12\x00", 12);
	add_reversed(&one, cursor_over(file.bytes, file.len), true);
	assert_true(otlp_reader.sniff((uint8_t *)one.bytes, READER_HEAD));
	assert_false(otlp_reader.sniff((uint8_t *)one.bytes, 100));
	text_release(&one);
	text_release(&reversed);
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

/* Adds entries of a dictionary, each a message with these bytes. */
static void add_entries(struct text *out, uint32_t table, const void *bytes,
			size_t len, size_t count)
{
	while (count--)
		protobuf_bytes(out, table, bytes, len);
}

/*
 * Makes a request of one sample, whose stack trace refers `depth` times to a
 * location of 64 lines and a megabyte of other fields.
 */
static struct text large_location(size_t depth)
{
	struct text all = { 0 }, dictionary = { 0 }, location = { 0 };
	struct text inner = { 0 }, message = { 0 };

	protobuf_bytes(&message, 1, "\x08\x01\x10\x02", 4);
	protobuf_bytes(&message, 2, "\x08\x01\x22\x01\x07", 5);
	protobuf_message(&inner, 2, &message);
	protobuf_message(&message, 2, &inner);
	protobuf_message(&all, 1, &message);
	add_entries(&location, 3, "\x08\x01", 2, 64);
	for (size_t i = 0; i < 1000000; i++)
		text_puts(&location, "\x48\x01");
	add_entries(&dictionary, 2, "", 0, 1);
	protobuf_message(&dictionary, 2, &location);
	add_entries(&dictionary, 3, "", 0, 1);
	add_entries(&dictionary, 3, "\x08\x03", 2, 1);
	add_entries(&dictionary, 5, "", 0, 1);
	add_entries(&dictionary, 5, "samples", 7, 1);
	add_entries(&dictionary, 5, "count", 5, 1);
	add_entries(&dictionary, 5, "main", 4, 1);
	add_entries(&dictionary, 7, "", 0, 1);
	for (size_t i = 0; i < depth; i++)
		text_putc(&inner, 1);
	protobuf_message(&message, 1, &inner);
	protobuf_message(&dictionary, 7, &message);
	protobuf_message(&all, 2, &dictionary);
	text_release(&dictionary);
	text_release(&location);
	text_release(&inner);
	text_release(&message);
	return all;
}

/* Parsing the location each time would read 10^10 bytes. */
static void large_location_is_parsed_once(void **state)
{
	struct text file = large_location(10000);
	struct profile *p = foreign_read(&otlp_reader, file.bytes, file.len);

	(void)state;
	assert_int_equal(p->stack_count, 1 + 64 * 10000);
	assert_int_equal(p->events[0].samples, 7);
	assert_int_equal(p->remark_count, 0);
	profile_free(p);
	text_release(&file);
}

static void stack_traces_have_a_maximum_depth(void **state)
{
	struct text file = large_location(1000000);
	struct profile *p = foreign_read(&otlp_reader, file.bytes, file.len);

	(void)state;
	assert_int_equal(p->stack_count, 1 + (1 << 20));
	assert_int_equal(p->events[0].samples, 7);
	assert_string_equal(p->remarks[0].what, "truncated stack traces");
	assert_true(profile_is_partial(p));
	profile_free(p);
	text_release(&file);
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
		cmocka_unit_test(dictionary_may_precede_the_resources),
		cmocka_unit_test(requests_may_be_truncated_anywhere),
		cmocka_unit_test(large_location_is_parsed_once),
		cmocka_unit_test(stack_traces_have_a_maximum_depth),
		cmocka_unit_test(other_bytes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
