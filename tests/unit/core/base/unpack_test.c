/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/unpack.h"

#include "core/base/alloc.h"
#include "core/base/text.h"
#include "tests/unit/sanitizers.h"

#include <lz4frame.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

/* Skippable frames of zstd and LZ4: a magic number, the size, the bytes. */
#define SKIPPED "\x5a\x2a\x4d\x18\3\0\0\0abc"

static const enum unpack_kind kinds[] = { UNPACK_GZIP, UNPACK_ZSTD, UNPACK_LZ4,
					  UNPACK_XZ };

#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* Appends a frame of len bytes. */
static void add_packed(struct text *out, enum unpack_kind kind,
		       const void *bytes, size_t len)
{
	size_t cap = len * 2 + 1000, made = 0;
	uint8_t *buffer = xmalloc(cap);

	if (kind == UNPACK_GZIP) {
		gzip_bytes(out, bytes, len);
	} else if (kind == UNPACK_ZSTD) {
		made = ZSTD_compress(buffer, cap, bytes, len, 3);
		assert_false(ZSTD_isError(made));
	} else if (kind == UNPACK_LZ4) {
		LZ4F_preferences_t checked = {
			.frameInfo.contentChecksumFlag =
				LZ4F_contentChecksumEnabled,
		};

		made = LZ4F_compressFrame(buffer, cap, bytes, len, &checked);
		assert_false(LZ4F_isError(made));
	} else {
		assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32,
							 NULL, bytes, len,
							 buffer, &made, cap),
				 LZMA_OK);
	}
	text_add(out, buffer, made);
	free(buffer);
}

static uint8_t *random_bytes(size_t len)
{
	uint8_t *bytes = xmalloc(len);
	unsigned seed = 1;

	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(rand_r(&seed) >> 4);
	return bytes;
}

/* Unpacks a copy, so that a sanitizer detects reads beyond the end. */
static struct inflated unpack(enum unpack_kind kind, const void *in, size_t len,
			      size_t max)
{
	uint8_t *exact = xmalloc(len);
	struct inflated out;

	if (len)
		memcpy(exact, in, len);
	out = unpack_bytes(kind, exact, len, max);
	assert_true(out.used <= len);
	free(exact);
	return out;
}

static void expect(enum unpack_kind kind, const struct text *in, size_t max,
		   const void *bytes, size_t len, const char *damage)
{
	struct inflated out = unpack(kind, in->bytes, in->len, max);

	assert_int_equal(out.len, len);
	if (len)
		assert_memory_equal(out.bytes, bytes, len);
	if (damage)
		assert_non_null(strstr(out.damage, damage));
	else
		assert_null(out.damage);
	free(out.bytes);
}

static void unpack_round_trip_keeps_all_bytes(void **state)
{
	/* Sizes around those of the first buffer and of blocks. */
	static const size_t sizes[] = { 0,     1,      65535,  65536,
					65537, 131072, 131073, 1000000 };
	uint8_t *bytes = random_bytes(1000000);

	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
			struct text in = { 0 };

			add_packed(&in, kinds[i], bytes, sizes[k]);
			assert_int_equal(
				unpack_kind((uint8_t *)in.bytes, in.len),
				kinds[i]);
			expect(kinds[i], &in, 0, bytes, sizes[k], NULL);
			text_release(&in);
		}
	}
	free(bytes);
}

static void frames_one_after_the_other_are_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		struct text in = { 0 };

		add_packed(&in, kinds[i], "one ", 4);
		add_packed(&in, kinds[i], "", 0);
		add_packed(&in, kinds[i], "two", 3);
		expect(kinds[i], &in, 0, "one two", 7, NULL);
		text_add(&in, "\0\0\0\0\0", 5);
		expect(kinds[i], &in, 0, "one two", 7, NULL);
		text_release(&in);
	}
}

/* xz allows zero bytes between streams. */
static void padding_between_frames_is_skipped(void **state)
{
	struct text in = { 0 };

	(void)state;
	add_packed(&in, UNPACK_XZ, "one ", 4);
	text_add(&in, "\0\0\0\0", 4);
	add_packed(&in, UNPACK_XZ, "two", 3);
	expect(UNPACK_XZ, &in, 0, "one two", 7, NULL);
	text_release(&in);
}

static void skippable_frames_are_skipped(void **state)
{
	static const enum unpack_kind with[] = { UNPACK_ZSTD, UNPACK_LZ4 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct text in = { 0 };

		text_add(&in, SKIPPED, 11);
		add_packed(&in, with[i], "one ", 4);
		text_add(&in, SKIPPED, 11);
		add_packed(&in, with[i], "two", 3);
		text_add(&in, SKIPPED, 11);
		assert_int_equal(unpack_kind((uint8_t *)in.bytes, in.len),
				 with[i]);
		expect(with[i], &in, 0, "one two", 7, NULL);
		in.len--; /* a truncated skippable frame */
		expect(with[i], &in, 0, "one two", 7, "truncated");
		text_release(&in);
	}
	assert_int_equal(unpack_kind((const uint8_t *)SKIPPED, 11),
			 UNPACK_NONE);
	assert_int_equal(unpack_kind((const uint8_t *)SKIPPED, 10),
			 UNPACK_NONE);
	assert_int_equal(
		unpack_kind((const uint8_t *)"\x50\x2a\x4d\x18\xff\xff\xff\xff",
			    8),
		UNPACK_NONE);
}

static void bytes_after_the_last_frame_are_damage(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		struct text in = { 0 };

		add_packed(&in, kinds[i], "bytes", 5);
		text_puts(&in, "and more");
		expect(kinds[i], &in, 0, "bytes", 5, "unknown bytes after");
		/* The limit is reached before. */
		expect(kinds[i], &in, 5, "bytes", 5, NULL);
		text_release(&in);
	}
}

static void cut_anywhere_the_start_is_kept_and_the_cut_named(void **state)
{
	uint8_t *bytes = random_bytes(3000);

	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		struct text in = { 0 };
		size_t before = 0, whole;

		add_packed(&in, kinds[i], bytes, 2000);
		whole = in.len;
		add_packed(&in, kinds[i], bytes + 2000, 1000);
		for (size_t len = 1; len < in.len;
		     len += IS_SANITIZED ? 7 : 1) {
			struct inflated out = unpack(kinds[i], in.bytes, len,
						     0);

			if (len != whole)
				assert_non_null(out.damage);
			else
				assert_null(out.damage);
			assert_true(out.len >= before && out.len <= 3000);
			assert_true(len < whole || out.len >= 2000);
			if (out.len)
				assert_memory_equal(out.bytes, bytes, out.len);
			before = out.len;
			free(out.bytes);
		}
		text_release(&in);
	}
	free(bytes);
}

static void damage_is_named_and_what_was_before_is_kept(void **state)
{
	const size_t len = 1000000;
	uint8_t *bytes = random_bytes(len);

	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		struct text in = { 0 };
		struct inflated out;

		add_packed(&in, kinds[i], bytes, len);
		memset(in.bytes + in.len / 2, 0xff, 200000);
		out = unpack(kinds[i], in.bytes, in.len, 0);
		assert_string_equal(out.damage, "damaged compressed data");
		assert_true(out.len >= len / 3);
		assert_memory_equal(out.bytes, bytes, len / 3);
		free(out.bytes);
		text_release(&in);
	}
	free(bytes);
}

/* Each byte of a small file is changed in turn: no read beyond, no hang. */
static void damage_anywhere_yields_at_most_a_little_more(void **state)
{
	uint8_t *bytes = random_bytes(300);

	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		struct text in = { 0 };

		add_packed(&in, kinds[i], bytes, 300);
		for (size_t at = 0; at < in.len; at += IS_SANITIZED ? 3 : 1) {
			struct inflated out;

			in.bytes[at] = (char)~in.bytes[at];
			out = unpack(kinds[i], in.bytes, in.len, 1 << 20);
			free(out.bytes);
			in.bytes[at] = (char)~in.bytes[at];
		}
		text_release(&in);
	}
	free(bytes);
}

static void unpack_stops_exactly_at_the_limit(void **state)
{
	static const size_t limits[] = { 1, 9999, 10000, 10001, 65536 };
	uint8_t *bytes = random_bytes(10000);

	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		struct text in = { 0 };

		add_packed(&in, kinds[i], bytes, 10000);
		for (size_t k = 0; k < sizeof(limits) / sizeof(*limits); k++)
			expect(kinds[i], &in, limits[k], bytes,
			       limits[k] < 10000 ? limits[k] : 10000, NULL);
		text_release(&in);
	}
	free(bytes);
}

static void bomb_of_any_number_of_frames_is_stopped(void **state)
{
	/* As one frame, and as several of 4 MiB. */
	const size_t total = IS_SANITIZED ? 16 << 20 : 64 << 20,
		     bomb = 12 << 20;
	uint8_t *zeros = xcalloc(total, 1);

	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		for (size_t part = 4 << 20; part <= total;
		     part *= total / (4 << 20)) {
			struct text one = { 0 }, in = { 0 };
			struct inflated out;

			add_packed(&one, kinds[i], zeros, part);
			assert_true(part / one.len > INFLATE_BOMB_RATIO);
			for (size_t k = 0; k < total / part; k++)
				text_add(&in, one.bytes, one.len);
			out = unpack_watched(kinds[i], (uint8_t *)in.bytes,
					     in.len, 0, bomb);
			assert_string_equal(out.damage,
					    "compressed data that expands too "
					    "much; reading stopped");
			assert_in_range(out.len, bomb, 2 * bomb);
			free(out.bytes);
			text_release(&one);
			text_release(&in);
		}
	}
	free(zeros);
}

/* A frame of zstd that declares more or less than it has (RFC 8878, 3.1.1). */
static void wrong_content_size_is_damage(void **state)
{
	struct text in = { 0 };
	struct inflated out;

	(void)state;
	add_packed(&in, UNPACK_ZSTD, "some bytes of text", 18);
	assert_int_equal(in.bytes[5], 18); /* the declared size */
	for (int size = 0; size < 256; size++) {
		in.bytes[5] = (char)size;
		out = unpack(UNPACK_ZSTD, in.bytes, in.len, 0);
		assert_true(out.len <= 18);
		if (size == 18)
			assert_null(out.damage);
		else
			assert_non_null(out.damage);
		free(out.bytes);
	}
	text_release(&in);
}

static void memory_for_a_window_is_limited(void **state)
{
	/* A frame of zstd with a window of 2 GiB, and an empty last block. */
	static const uint8_t wide[] = { 0x28,    0xb5, 0x2f, 0xfd, 0,
					21 << 3, 1,    0,    0 };
	struct inflated out = unpack(UNPACK_ZSTD, wide, sizeof(wide), 0);

	(void)state;
	assert_non_null(strstr(out.damage, "--long"));
	free(out.bytes);
}

static void large_dictionary_of_xz_is_rejected(void **state)
{
	lzma_options_lzma options;
	lzma_filter filters[] = {
		{ .id = LZMA_FILTER_LZMA2, .options = &options },
		{ .id = LZMA_VLI_UNKNOWN },
	};
	uint8_t buffer[1000];
	struct inflated out;
	size_t made = 0;

	(void)state;
	lzma_lzma_preset(&options, 0);
	/* One byte of the header has the size; the data is not affected. */
	options.dict_size = 1 << 20;
	assert_int_equal(lzma_stream_buffer_encode(filters, LZMA_CHECK_NONE,
						   NULL, (const uint8_t *)"x",
						   1, buffer, &made, 1000),
			 LZMA_OK);
	out = unpack(UNPACK_XZ, buffer, made, 0);
	assert_null(out.damage);
	free(out.bytes);
	/*
	 * Block header: its size, flags, two sizes, the filter's id, 1, the
	 * dictionary, padding, CRC.
	 */
	assert_int_equal(buffer[16], LZMA_FILTER_LZMA2);
	buffer[18] = 36; /* 1 GiB */
	{
		uint32_t crc = lzma_crc32(buffer + 12, 8, 0);

		for (int i = 0; i < 4; i++)
			buffer[20 + i] = (uint8_t)(crc >> 8 * i);
	}
	out = unpack(UNPACK_XZ, buffer, made, 0);
	assert_string_equal(out.damage, "data that takes more than 256 MiB to "
					"decompress");
	free(out.bytes);
}

static void other_bytes_are_not_compressed(void **state)
{
	static const char *const others[] = { "",           "x",
					      "\x1f\x8b",   "\x28\xb5\x2f",
					      "\xfd\x37zX", "FLR" };

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_int_equal(unpack_kind((const uint8_t *)others[i],
					     strlen(others[i])),
				 UNPACK_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unpack_round_trip_keeps_all_bytes),
		cmocka_unit_test(frames_one_after_the_other_are_one),
		cmocka_unit_test(padding_between_frames_is_skipped),
		cmocka_unit_test(skippable_frames_are_skipped),
		cmocka_unit_test(bytes_after_the_last_frame_are_damage),
		cmocka_unit_test(
			cut_anywhere_the_start_is_kept_and_the_cut_named),
		cmocka_unit_test(damage_is_named_and_what_was_before_is_kept),
		cmocka_unit_test(damage_anywhere_yields_at_most_a_little_more),
		cmocka_unit_test(unpack_stops_exactly_at_the_limit),
		cmocka_unit_test(bomb_of_any_number_of_frames_is_stopped),
		cmocka_unit_test(wrong_content_size_is_damage),
		cmocka_unit_test(memory_for_a_window_is_limited),
		cmocka_unit_test(large_dictionary_of_xz_is_rejected),
		cmocka_unit_test(other_bytes_are_not_compressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
