/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/zip.h"

#include "core/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

/* Inflates with zlib, which shares no code with the compressor. */
static void check_round_trip(const char *bytes, size_t len)
{
	struct text packed = { 0 };
	char *back = xmalloc(len);
	z_stream z = { 0 };

	text_puts(&packed, "before");
	deflate_raw(&packed, bytes, len);
	z.next_in = (void *)(packed.bytes + 6);
	z.avail_in = (uInt)(packed.len - 6);
	z.next_out = (void *)back;
	z.avail_out = (uInt)len;
	assert_int_equal(inflateInit2(&z, -15), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(z.total_out, len);
	assert_memory_equal(back, bytes, len);
	inflateEnd(&z);
	free(back);
	text_release(&packed);
}

static void deflate_round_trip_keeps_all_bytes(void **state)
{
	size_t sizes[] = { 1, 2, 1000, 65536, 300000, 5000000 };
	char *bytes = xmalloc(5000000);
	uint32_t random = 1;

	(void)state;
	for (size_t i = 0; i < 5000000; i++) {
		random = random * 1664525 + 1013904223;
		/* Some parts repeat, others do not. */
		bytes[i] = (char)(i / 1000 % 3 ? i % 7 : random >> 24);
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		check_round_trip(bytes, sizes[i]);
	free(bytes);
}

static void deflate_of_empty_input_is_valid(void **state)
{
	(void)state;
	check_round_trip("", 0);
}

static void deflate_shrinks_repetitive_input(void **state)
{
	char *bytes = xcalloc(8000000, 1);
	struct text packed = { 0 };

	(void)state;
	deflate_raw(&packed, bytes, 8000000);
	assert_true(packed.len < 100000);
	text_release(&packed);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deflate_round_trip_keeps_all_bytes),
		cmocka_unit_test(deflate_of_empty_input_is_valid),
		cmocka_unit_test(deflate_shrinks_repetitive_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
