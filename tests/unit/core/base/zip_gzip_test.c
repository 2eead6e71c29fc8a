/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/zip.h"

#include "core/base/alloc.h"
#include "core/base/protobuf.h"
#include "tests/unit/sampled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct pieces {
	const char *bytes;
	size_t len;
	size_t piece; /* number of bytes per write */
};

static void write_pieces(struct output *out, void *self)
{
	const struct pieces *p = self;
	struct gzip g;

	gzip_open(&g, out);
	for (size_t at = 0; at < p->len; at += p->piece) {
		size_t left = p->len - at;

		gzip_write(&g, p->bytes + at,
			   left < p->piece ? left : p->piece);
	}
	gzip_close(&g);
}

static void check(const char *bytes, size_t len, size_t piece)
{
	struct pieces p = { bytes, len, piece };
	struct text file = sampled_written(write_pieces, &p);
	struct inflated back = inflate_bytes(
		INFLATE_GZIP, (const uint8_t *)file.bytes, file.len, 0);

	assert_null(back.damage);
	assert_int_equal(back.used, file.len);
	assert_int_equal(back.len, len);
	if (len)
		assert_memory_equal(back.bytes, bytes, len);
	free(back.bytes);
	text_release(&file);
}

static void gzip_round_trip_is_independent_of_write_sizes(void **state)
{
	const size_t len = 1000000;
	char *bytes = xmalloc(len);
	unsigned seed = 1;

	(void)state;
	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)(i / 1000 % 3 ? (int)(i % 7)
					       : rand_r(&seed) >> 4);
	check(bytes, len, len);
	check(bytes, len, 65536);
	check(bytes, len, 4099);
	check(bytes, 1, 1);
	check("", 0, 1);
	free(bytes);
}

static void equal_bytes_make_equal_gzip_files(void **state)
{
	struct pieces p = { "the same", 8, 3 };
	struct text a = sampled_written(write_pieces, &p);
	struct text b = sampled_written(write_pieces, &p);

	(void)state;
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.bytes, b.bytes, a.len);
	text_release(&a);
	text_release(&b);
}

/* Examples of the protocol buffers documentation. */
static void messages_are_encoded_as_it_is_described(void **state)
{
	struct text out = { 0 }, message = { 0 };

	(void)state;
	protobuf_uint(&out, 1, 150);
	assert_int_equal(out.len, 3);
	assert_memory_equal(out.bytes, "\x08\x96\x01", 3);
	text_clear(&out);
	protobuf_bytes(&out, 2, "testing", 7);
	assert_int_equal(out.len, 9);
	assert_memory_equal(out.bytes, "\x12\x07testing", 9);
	text_clear(&out);
	protobuf_uint(&message, 1, 150);
	protobuf_message(&out, 3, &message);
	assert_int_equal(out.len, 5);
	assert_memory_equal(out.bytes, "\x1a\x03\x08\x96\x01", 5);
	assert_int_equal(message.len, 0);
	text_clear(&out);
	protobuf_uint(&out, 1, 0);
	assert_int_equal(out.len, 0);
	protobuf_uint(&out, 16, (uint64_t)-2);
	assert_int_equal(out.len, 12);
	assert_memory_equal(out.bytes,
			    "\x80\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",
			    12);
	text_release(&out);
	text_release(&message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gzip_round_trip_is_independent_of_write_sizes),
		cmocka_unit_test(equal_bytes_make_equal_gzip_files),
		cmocka_unit_test(messages_are_encoded_as_it_is_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
