/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/zip.h"

#include "core/base/alloc.h"
#include "core/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

/* Appends a gzip member, or a zlib stream, of len bytes. */
static void add_zipped(struct text *out, enum inflate_kind kind,
		       const void *bytes, size_t len)
{
	z_stream z = { 0 };
	uint8_t *buffer;
	uLong bound;

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED,
				      kind == INFLATE_GZIP ? 15 + 16 : 15, 9,
				      Z_DEFAULT_STRATEGY),
			 Z_OK);
	bound = deflateBound(&z, len);
	buffer = xmalloc(bound);
	z.next_in = (Bytef *)(uintptr_t)bytes;
	z.avail_in = (uInt)len;
	z.next_out = buffer;
	z.avail_out = (uInt)bound;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	text_add(out, buffer, z.total_out);
	deflateEnd(&z);
	free(buffer);
}

static void fill(uint8_t *bytes, size_t len)
{
	unsigned seed = 1;

	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(rand_r(&seed) >> 4);
}

static void expect(enum inflate_kind kind, const struct text *in, size_t max,
		   const void *bytes, size_t len, const char *damage)
{
	/*
	 * An exact allocation, so that a sanitizer detects reads beyond the
	 * end.
	 */
	uint8_t *exact = memcpy(xmalloc(in->len), in->bytes, in->len);
	struct inflated out = inflate_bytes(kind, exact, in->len, max);

	assert_int_equal(out.len, len);
	if (len)
		assert_memory_equal(out.bytes, bytes, len);
	if (damage)
		assert_non_null(strstr(out.damage, damage));
	else
		assert_null(out.damage);
	free(out.bytes);
	free(exact);
}

static void inflate_round_trip_keeps_all_bytes(void **state)
{
	/* Sizes around that of the first buffer, and larger ones. */
	static const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 1000000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint8_t *bytes = xmalloc(sizes[i]);
		struct text gzip = { 0 }, zlib = { 0 };

		fill(bytes, sizes[i]);
		add_zipped(&gzip, INFLATE_GZIP, bytes, sizes[i]);
		add_zipped(&zlib, INFLATE_ZLIB, bytes, sizes[i]);
		expect(INFLATE_GZIP, &gzip, 0, bytes, sizes[i], NULL);
		expect(INFLATE_ZLIB, &zlib, 0, bytes, sizes[i], NULL);
		text_release(&gzip);
		text_release(&zlib);
		free(bytes);
	}
}

static void members_one_after_the_other_are_one(void **state)
{
	struct text in = { 0 };

	(void)state;
	add_zipped(&in, INFLATE_GZIP, "one ", 4);
	add_zipped(&in, INFLATE_GZIP, "", 0);
	add_zipped(&in, INFLATE_GZIP, "two", 3);
	expect(INFLATE_GZIP, &in, 0, "one two", 7, NULL);
	/*
	 * Like gzip(1), ignores trailing bytes that are not a member, such as
	 * padding.
	 */
	text_add(&in, "\0\0\0\0", 4);
	expect(INFLATE_GZIP, &in, 0, "one two", 7, NULL);
	text_release(&in);
}

static void zlib_stream_ends_before_trailing_bytes(void **state)
{
	struct text in = { 0 };
	struct inflated out;
	size_t len;

	(void)state;
	add_zipped(&in, INFLATE_ZLIB, "abc", 3);
	len = in.len;
	text_puts(&in, "and more");
	out = inflate_bytes(INFLATE_ZLIB, (uint8_t *)in.bytes, in.len, 0);
	assert_int_equal(out.used, len);
	assert_int_equal(out.len, 3);
	assert_null(out.damage);
	free(out.bytes);
	text_release(&in);
}

static void cut_anywhere_the_start_is_kept_and_the_cut_named(void **state)
{
	uint8_t bytes[500];
	struct text in = { 0 };
	size_t before = 0;

	(void)state;
	fill(bytes, sizeof(bytes));
	add_zipped(&in, INFLATE_GZIP, bytes, sizeof(bytes));
	for (size_t len = 0; len < in.len; len++) {
		uint8_t *cut = memcpy(xmalloc(len), in.bytes, len);
		struct inflated out = inflate_bytes(INFLATE_GZIP, cut, len, 0);

		assert_string_equal(out.damage, "truncated compressed data");
		assert_true(out.len >= before && out.len <= sizeof(bytes));
		if (out.len)
			assert_memory_equal(out.bytes, bytes, out.len);
		before = out.len;
		free(out.bytes);
		free(cut);
	}
	assert_int_equal(before, sizeof(bytes));
	/* A member followed by a truncated one. */
	add_zipped(&in, INFLATE_GZIP, bytes, sizeof(bytes));
	in.len -= 9;
	expect(INFLATE_GZIP, &in, 500, bytes, 500, NULL);
	{
		struct inflated out = inflate_bytes(
			INFLATE_GZIP, (uint8_t *)in.bytes, in.len, 0);

		assert_true(out.len > 900);
		assert_string_equal(out.damage, "truncated compressed data");
		free(out.bytes);
	}
	text_release(&in);
}

static void inflate_of_empty_input_is_truncated(void **state)
{
	struct inflated out = inflate_bytes(INFLATE_ZLIB, NULL, 0, 0);

	(void)state;
	assert_int_equal(out.len, 0);
	assert_non_null(out.damage);
	free(out.bytes);
}

static void damage_is_named_and_what_was_before_is_kept(void **state)
{
	uint8_t *bytes = xmalloc(300000);
	struct text in = { 0 };
	struct inflated out;

	(void)state;
	fill(bytes, 300000);
	add_zipped(&in, INFLATE_GZIP, bytes, 300000);
	memset(in.bytes + in.len / 2, 0, 2000);
	out = inflate_bytes(INFLATE_GZIP, (uint8_t *)in.bytes, in.len, 0);
	assert_string_equal(out.damage, "damaged compressed data");
	assert_true(out.len > 100000);
	assert_memory_equal(out.bytes, bytes, 100000);
	free(out.bytes);
	text_clear(&in);
	text_puts(&in, "this is no zlib stream");
	expect(INFLATE_ZLIB, &in, 0, NULL, 0, "damaged");
	expect(INFLATE_GZIP, &in, 0, NULL, 0, "damaged");
	text_release(&in);
	free(bytes);
}

static void inflate_stops_exactly_at_the_limit(void **state)
{
	static const size_t limits[] = { 1, 9999, 10000, 10001, 65536 };
	uint8_t bytes[10000];
	struct text in = { 0 };

	(void)state;
	fill(bytes, sizeof(bytes));
	add_zipped(&in, INFLATE_GZIP, bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		size_t len = limits[i] < 10000 ? limits[i] : 10000;

		expect(INFLATE_GZIP, &in, limits[i], bytes, len, NULL);
	}
	text_release(&in);
}

static void bomb_of_any_number_of_members_is_stopped(void **state)
{
	/*
	 * Members of 4 MiB fit into one step each; a member of 64 MiB does not.
	 */
	static const size_t members[] = { 4 << 20, 64 << 20 };
	const size_t total = 64 << 20, bomb = 12 << 20;

	(void)state;
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		uint8_t *zeros = xcalloc(members[i], 1);
		struct text one = { 0 }, in = { 0 };
		struct inflated out;

		add_zipped(&one, INFLATE_GZIP, zeros, members[i]);
		free(zeros);
		assert_true(members[i] / one.len > INFLATE_BOMB_RATIO);
		for (size_t k = 0; k < total / members[i]; k++)
			text_add(&in, one.bytes, one.len);
		out = inflate_watched(INFLATE_GZIP, (uint8_t *)in.bytes, in.len,
				      0, bomb);
		assert_string_equal(out.damage, "compressed data that expands "
						"too much; reading stopped");
		assert_in_range(out.len, bomb, 2 * bomb);
		free(out.bytes);
		/* Below the limit, any expansion is allowed. */
		out = inflate_bytes(INFLATE_GZIP, (uint8_t *)in.bytes, in.len,
				    0);
		assert_null(out.damage);
		assert_int_equal(out.len, total);
		free(out.bytes);
		text_release(&one);
		text_release(&in);
	}
}

static void gzip_is_detected_by_three_bytes(void **state)
{
	static const uint8_t head[] = { 0x1f, 0x8b, 8 };
	static const uint8_t other[] = { 0x1f, 0x8b, 9 };

	(void)state;
	assert_true(inflate_is_gzip(head, 3));
	assert_false(inflate_is_gzip(head, 2));
	assert_false(inflate_is_gzip(other, 3));
	assert_false(inflate_is_gzip(NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inflate_round_trip_keeps_all_bytes),
		cmocka_unit_test(members_one_after_the_other_are_one),
		cmocka_unit_test(zlib_stream_ends_before_trailing_bytes),
		cmocka_unit_test(
			cut_anywhere_the_start_is_kept_and_the_cut_named),
		cmocka_unit_test(inflate_of_empty_input_is_truncated),
		cmocka_unit_test(damage_is_named_and_what_was_before_is_kept),
		cmocka_unit_test(inflate_stops_exactly_at_the_limit),
		cmocka_unit_test(bomb_of_any_number_of_members_is_stopped),
		cmocka_unit_test(gzip_is_detected_by_three_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
