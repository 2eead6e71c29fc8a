/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/zip.h"

#include "core/base/alloc.h"

#include <libdeflate.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#define STEP ((size_t)1 << 30) /* zlib counts bytes in unsigned int */

bool inflate_is_gzip(const uint8_t *in, size_t len)
{
	return len >= 3 && in[0] == 0x1f && in[1] == 0x8b && in[2] == 8;
}

bool inflated_is_bomb(const struct inflated *out, size_t bomb)
{
	return out->len > bomb && out->len / INFLATE_BOMB_RATIO > out->used;
}

/* Inflates one step into the free space of out; returns zlib's result. */
static int inflate_step(z_stream *z, struct inflated *out, size_t *cap,
			const uint8_t *in, size_t len, size_t max)
{
	size_t in_left = len - out->used;
	size_t room;
	int ret;

	if (out->len == *cap)
		array_reserve(out->bytes, *cap, *cap ? *cap * 2 : 64 << 10);
	room = *cap - out->len;
	if (max && room > max - out->len)
		room = max - out->len;
	z->next_in = (Bytef *)(uintptr_t)(in + out->used);
	z->avail_in = (uInt)(in_left < STEP ? in_left : STEP);
	z->next_out = out->bytes + out->len;
	z->avail_out = (uInt)(room < STEP ? room : STEP);
	ret = inflate(z, Z_NO_FLUSH);
	out->used = (size_t)(z->next_in - in);
	out->len = (size_t)(z->next_out - out->bytes);
	return ret;
}

/* The first guess of the size: recordings shrink to a tenth or less. */
#define INFLATE_GUESS 16

/*
 * Inflates a complete RFC 1950 stream by libdeflate, twice as fast as zlib;
 * false if it is damaged or larger than the guess, which zlib then handles.
 */
static bool inflate_whole(const uint8_t *in, size_t len, size_t max,
			  struct inflated *out)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	size_t cap = len > SIZE_MAX / 2 / INFLATE_GUESS ? len
							: len * INFLATE_GUESS;
	enum libdeflate_result result;

	if (!d)
		return false;
	if (max && cap > max)
		cap = max;
	out->bytes = xmalloc(cap);
	result = libdeflate_zlib_decompress_ex(d, in, len, out->bytes, cap,
					       &out->used, &out->len);
	libdeflate_free_decompressor(d);
	if (result == LIBDEFLATE_SUCCESS)
		return true;
	free(out->bytes);
	*out = (struct inflated){ 0 };
	return false;
}

struct inflated inflate_bytes(enum inflate_kind kind, const uint8_t *in,
			      size_t len, size_t max)
{
	return inflate_watched(kind, in, len, max, INFLATE_BOMB_BYTES);
}

struct inflated inflate_watched(enum inflate_kind kind, const uint8_t *in,
				size_t len, size_t max, size_t bomb)
{
	/* inflateInit2() selects the format by this value. */
	static const int window_bits[] = {
		[INFLATE_ZLIB] = 15,
		[INFLATE_GZIP] = 15 + 16,
		[INFLATE_RAW] = -15,
	};
	struct inflated out = { 0 };
	z_stream z = { 0 };
	size_t cap = 0;
	int ret = Z_OK;

	if (!len) {
		out.damage = "truncated compressed data";
		return out;
	}
	if (kind == INFLATE_ZLIB && inflate_whole(in, len, max, &out))
		return out;
	if (inflateInit2(&z, window_bits[kind]) != Z_OK) {
		out.damage = "zlib cannot be initialized";
		return out;
	}
	while (!out.damage && !(max && out.len == max)) {
		ret = inflate_step(&z, &out, &cap, in, len, max);
		if (inflated_is_bomb(&out, bomb)) {
			/*
			 * The rule applies to the sum of all members, each of
			 * which may be small.
			 */
			out.damage = "compressed data that expands too much; "
				     "reading stopped";
		} else if (ret == Z_STREAM_END) {
			/* Zero bytes after a member are padding. */
			if (kind != INFLATE_GZIP ||
			    !inflate_is_gzip(in + out.used, len - out.used))
				break;
			inflateReset(&z);
		} else if (ret == Z_DATA_ERROR || ret == Z_NEED_DICT) {
			out.damage = "damaged compressed data";
		} else if (ret == Z_MEM_ERROR) {
			alloc_give_up(0);
		} else if (out.used == len && out.len < cap) {
			out.damage = "truncated compressed data";
		}
	}
	inflateEnd(&z);
	return out;
}

#define GZIP_BUFFER ((size_t)64 << 10)
#define GZIP_LEVEL  1
#define GZIP_WINDOW                                                            \
	(15 + 16) /* deflateInit2() selects the gzip format by this value */

void gzip_open(struct gzip *g, struct output *out)
{
	*g = (struct gzip){ .out = out };
	g->buffer = xmalloc(GZIP_BUFFER);
	g->stream = xcalloc(1, sizeof(*g->stream));
	if (deflateInit2(g->stream, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		alloc_give_up(GZIP_BUFFER);
}

/* Compresses the input and writes the result until no output is left. */
static void gzip_deflate(struct gzip *g, int flush)
{
	z_stream *z = g->stream;

	do {
		z->next_out = g->buffer;
		z->avail_out = GZIP_BUFFER;
		deflate(z, flush);
		output_write(g->out, g->buffer, GZIP_BUFFER - z->avail_out);
	} while (z->avail_out == 0);
}

void gzip_write(struct gzip *g, const void *bytes, size_t len)
{
	const Bytef *in = bytes;

	while (len) {
		size_t piece = len < STEP ? len : STEP;

		g->stream->next_in = (Bytef *)(uintptr_t)in;
		g->stream->avail_in = (uInt)piece;
		gzip_deflate(g, Z_NO_FLUSH);
		in += piece;
		len -= piece;
	}
}

void gzip_close(struct gzip *g)
{
	gzip_deflate(g, Z_FINISH);
	deflateEnd(g->stream);
	free(g->stream);
	free(g->buffer);
	*g = (struct gzip){ 0 };
}

/*
 * Columns of flame graph pages shrink to a third or a half at any level. Level
 * 6 takes three times as long as level 1 for a page that is 5 % smaller.
 */
static int deflate_level(size_t len)
{
	static const struct {
		size_t up_to;
		int level;
	} levels[] = {
		{ (size_t)512 << 10, 6 },
		{ (size_t)4 << 20, 4 },
		{ SIZE_MAX, 1 },
	};
	size_t i = 0;

	while (len > levels[i].up_to)
		i++;
	return levels[i].level;
}

void gzip_bytes(struct text *out, const void *bytes, size_t len)
{
	struct libdeflate_compressor *c;
	size_t bound;

	c = libdeflate_alloc_compressor(deflate_level(len));
	if (!c)
		alloc_give_up(len);
	bound = libdeflate_gzip_compress_bound(c, len);
	array_reserve(out->bytes, out->cap, out->len + bound + 1);
	out->len += libdeflate_gzip_compress(c, bytes, len,
					     out->bytes + out->len, bound);
	out->bytes[out->len] = '\0';
	libdeflate_free_compressor(c);
}

void deflate_raw(struct text *out, const void *bytes, size_t len)
{
	struct libdeflate_compressor *c;
	size_t bound;

	c = libdeflate_alloc_compressor(deflate_level(len));
	if (!c)
		alloc_give_up(len);
	bound = libdeflate_deflate_compress_bound(c, len);
	array_reserve(out->bytes, out->cap, out->len + bound + 1);
	out->len += libdeflate_deflate_compress(c, bytes, len,
						out->bytes + out->len, bound);
	out->bytes[out->len] = '\0';
	libdeflate_free_compressor(c);
}
