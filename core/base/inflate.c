/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/inflate.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <zlib.h>

#define STEP ((size_t)1 << 30) /* zlib counts in unsigned int */

bool inflate_is_gzip(const uint8_t *in, size_t len)
{
	return len >= 3 && in[0] == 0x1f && in[1] == 0x8b && in[2] == 8;
}

static bool is_bomb(const struct inflated *out, size_t bomb)
{
	return out->len > bomb && out->len / INFLATE_BOMB_RATIO > out->used;
}

/* Inflates once into what is free of out; returns zlib's word. */
static int step(z_stream *z, struct inflated *out, size_t *cap,
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

struct inflated inflate_bytes(enum inflate_kind kind, const uint8_t *in,
			      size_t len, size_t max)
{
	return inflate_watched(kind, in, len, max, INFLATE_BOMB_BYTES);
}

struct inflated inflate_watched(enum inflate_kind kind, const uint8_t *in,
				size_t len, size_t max, size_t bomb)
{
	struct inflated out = { 0 };
	z_stream z = { 0 };
	size_t cap = 0;
	int ret = Z_OK;

	if (!len) {
		out.damage = "truncated compressed data";
		return out;
	}
	if (inflateInit2(&z, kind == INFLATE_GZIP ? 15 + 16 : 15) != Z_OK) {
		out.damage = "zlib cannot start";
		return out;
	}
	while (!out.damage && !(max && out.len == max)) {
		ret = step(&z, &out, &cap, in, len, max);
		if (is_bomb(&out, bomb)) {
			/* Of many members each may end within a step. */
			out.damage = "expands without end, stopped";
		} else if (ret == Z_STREAM_END) {
			/* Zero padding after a member is not a member. */
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
