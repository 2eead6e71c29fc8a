/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/unpack.h"

#include "core/base/alloc.h"

#include <lz4frame.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Memory for a decoder. `xz -9` needs 65 MiB, zstd by default 128 MiB. */
#define UNPACK_MEMORY    ((uint64_t)256 << 20)

#define SKIPPABLE_MAGIC  0x184d2a50u /* and the next 15 numbers */
#define SKIPPABLE_HEADER 8           /* the magic number and the size */

enum unpack_step {
	STEP_MORE,    /* the output is full, or the input used up */
	STEP_END,     /* a frame is complete */
	STEP_DAMAGED, /* the reason is known */
};

/* A decoder of one frame after the other. */
struct unpacker {
	const struct unpack_codec *codec;
	union {
		ZSTD_DStream *zstd;
		LZ4F_dctx *lz4;
		lzma_stream xz;
	};
	/*
	 * The bytes up to the next block, as the libraries report them. On an
	 * error they do not report what a call wrote, so a call gets one block.
	 */
	size_t wanted;
	const char *damage; /* with STEP_DAMAGED */
};

struct unpack_codec {
	/* Prepares for the first frame. */
	void (*open)(struct unpacker *u);
	/*
	 * Decodes; *in_len and *out_len are the available bytes, and become
	 * those that were used. Prepares for the next frame after STEP_END.
	 */
	enum unpack_step (*step)(struct unpacker *u, const uint8_t *in,
				 size_t *in_len, uint8_t *out, size_t *out_len);
	void (*close)(struct unpacker *u);
};

static const char unpack_damaged[] = "damaged compressed data";

static size_t unpack_piece(const struct unpacker *u, size_t len)
{
	return len < u->wanted ? len : u->wanted;
}

static void zstd_open(struct unpacker *u)
{
	u->zstd = ZSTD_createDStream();
	if (!u->zstd)
		alloc_give_up(0);
	u->wanted = ZSTD_initDStream(u->zstd);
}

static enum unpack_step zstd_fail(struct unpacker *u, size_t code)
{
	u->damage = unpack_damaged;
	switch (ZSTD_getErrorCode(code)) {
	case ZSTD_error_memory_allocation:
		alloc_give_up(0);
	case ZSTD_error_frameParameter_windowTooLarge:
		u->damage = "data compressed with a window above 128 MiB "
			    "(zstd --long); recompress it without --long";
		break;
	case ZSTD_error_dictionary_wrong:
		u->damage = "data compressed with a dictionary";
		break;
	default:
		break;
	}
	return STEP_DAMAGED;
}

static enum unpack_step zstd_step(struct unpacker *u, const uint8_t *in,
				  size_t *in_len, uint8_t *out, size_t *out_len)
{
	ZSTD_inBuffer from = { .src = in, .size = unpack_piece(u, *in_len) };
	ZSTD_outBuffer to = { .dst = out, .size = *out_len };
	size_t left = ZSTD_decompressStream(u->zstd, &to, &from);

	*in_len = from.pos;
	*out_len = to.pos;
	if (ZSTD_isError(left))
		return zstd_fail(u, left);
	u->wanted = left ? left : ZSTD_initDStream(u->zstd);
	return left ? STEP_MORE : STEP_END;
}

static void zstd_close(struct unpacker *u) { ZSTD_freeDStream(u->zstd); }

static void lz4_open(struct unpacker *u)
{
	if (LZ4F_isError(
		    LZ4F_createDecompressionContext(&u->lz4, LZ4F_VERSION)))
		alloc_give_up(0);
	u->wanted = LZ4F_HEADER_SIZE_MAX;
}

static enum unpack_step lz4_step(struct unpacker *u, const uint8_t *in,
				 size_t *in_len, uint8_t *out, size_t *out_len)
{
	size_t left;

	*in_len = unpack_piece(u, *in_len);
	left = LZ4F_decompress(u->lz4, out, out_len, in, in_len, NULL);
	if (LZ4F_isError(left)) {
		*in_len = 0;
		*out_len = 0;
		u->damage = unpack_damaged;
		return STEP_DAMAGED;
	}
	u->wanted = left ? left : LZ4F_HEADER_SIZE_MAX;
	return left ? STEP_MORE : STEP_END;
}

static void lz4_close(struct unpacker *u)
{
	LZ4F_freeDecompressionContext(u->lz4);
}

static void xz_start(struct unpacker *u)
{
	if (lzma_stream_decoder(&u->xz, UNPACK_MEMORY, 0) != LZMA_OK)
		alloc_give_up(0);
}

static void xz_open(struct unpacker *u)
{
	u->xz = (lzma_stream)LZMA_STREAM_INIT;
	xz_start(u);
}

static enum unpack_step xz_step(struct unpacker *u, const uint8_t *in,
				size_t *in_len, uint8_t *out, size_t *out_len)
{
	lzma_ret ret;

	u->xz.next_in = in;
	u->xz.avail_in = *in_len;
	u->xz.next_out = out;
	u->xz.avail_out = *out_len;
	ret = lzma_code(&u->xz, LZMA_RUN);
	*in_len -= u->xz.avail_in;
	*out_len -= u->xz.avail_out;
	switch (ret) {
	case LZMA_OK:
	case LZMA_BUF_ERROR: /* no progress; the caller notices */
		return STEP_MORE;
	case LZMA_STREAM_END:
		xz_start(u);
		return STEP_END;
	case LZMA_MEM_ERROR:
		alloc_give_up(0);
	case LZMA_MEMLIMIT_ERROR:
		u->damage = "data that takes more than 256 MiB to decompress";
		return STEP_DAMAGED;
	default:
		u->damage = unpack_damaged;
		return STEP_DAMAGED;
	}
}

static void xz_close(struct unpacker *u) { lzma_end(&u->xz); }

static const struct unpack_codec unpack_codecs[] = {
	[UNPACK_ZSTD] = { zstd_open, zstd_step, zstd_close },
	[UNPACK_LZ4] = { lz4_open, lz4_step, lz4_close },
	[UNPACK_XZ] = { xz_open, xz_step, xz_close },
};

static uint32_t unpack_number(const uint8_t *at)
{
	return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[1] << 8 | at[0];
}

enum unpack_kind unpack_kind(const uint8_t *in, size_t len)
{
	static const struct {
		const char *magic;
		size_t len;
		enum unpack_kind kind;
	} kinds[] = {
		{ "\x1f\x8b\x08", 3, UNPACK_GZIP },
		{ "\x28\xb5\x2f\xfd", 4, UNPACK_ZSTD },
		{ "\x04\x22\x4d\x18", 4, UNPACK_LZ4 },
		{ "\xfd\x37zXZ", 6, UNPACK_XZ },
	};

	while (len >= SKIPPABLE_HEADER &&
	       (unpack_number(in) & ~15u) == SKIPPABLE_MAGIC) {
		size_t size = unpack_number(in + 4);

		if (size > len - SKIPPABLE_HEADER)
			return UNPACK_NONE;
		in += SKIPPABLE_HEADER + size;
		len -= SKIPPABLE_HEADER + size;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (len >= kinds[i].len &&
		    memcmp(in, kinds[i].magic, kinds[i].len) == 0)
			return kinds[i].kind;
	}
	return UNPACK_NONE;
}

/* True if a frame follows: at a magic number, or at a skippable frame. */
static bool unpack_goes_on(enum unpack_kind kind, const uint8_t *in, size_t len)
{
	if (unpack_kind(in, len) == kind)
		return true;
	return (kind == UNPACK_ZSTD || kind == UNPACK_LZ4) && len >= 4 &&
	       (unpack_number(in) & ~15u) == SKIPPABLE_MAGIC;
}

/*
 * Ends the output, or finds the next frame behind zero bytes. True if there is
 * one.
 */
static bool unpack_next_frame(enum unpack_kind kind, const uint8_t *in,
			      size_t len, struct inflated *out)
{
	size_t at = out->used;

	while (at < len && !in[at])
		at++;
	if (at == len)
		return false;
	if (kind == UNPACK_GZIP || !unpack_goes_on(kind, in + at, len - at)) {
		out->damage = "unknown bytes after the compressed data";
		return false;
	}
	out->used = at;
	return true;
}

/* Decodes into the free space of out, which grows. */
static enum unpack_step unpack_step(struct unpacker *u, struct inflated *out,
				    size_t *cap, const uint8_t *in, size_t len,
				    size_t max)
{
	size_t used = len - out->used;
	enum unpack_step step;
	bool idle;
	size_t room;

	if (out->len == *cap)
		array_reserve(out->bytes, *cap, *cap ? *cap * 2 : 64 << 10);
	room = *cap - out->len;
	if (max && room > max - out->len)
		room = max - out->len;
	step = u->codec->step(u, in + out->used, &used, out->bytes + out->len,
			      &room);
	out->used += used;
	out->len += room;
	idle = !used && !room && out->used < len;
	if (step == STEP_MORE && idle) { /* a loop without progress */
		u->damage = unpack_damaged;
		return STEP_DAMAGED;
	}
	return step;
}

static struct inflated unpack_frames(enum unpack_kind kind, const uint8_t *in,
				     size_t len, size_t max, size_t bomb)
{
	struct unpacker u = { .codec = &unpack_codecs[kind] };
	struct inflated out = { 0 };
	size_t cap = 0;

	u.codec->open(&u);
	while (!out.damage) {
		enum unpack_step step = unpack_step(&u, &out, &cap, in, len,
						    max);

		if (inflated_is_bomb(&out, bomb))
			out.damage = "compressed data that expands too much; "
				     "reading stopped";
		else if (max && out.len == max)
			break;
		else if (step == STEP_DAMAGED)
			out.damage = u.damage;
		else if (step == STEP_END &&
			 !unpack_next_frame(kind, in, len, &out))
			break;
		else if (step == STEP_MORE && out.used == len && out.len < cap)
			out.damage = "truncated compressed data";
	}
	u.codec->close(&u);
	return out;
}

struct inflated unpack_bytes(enum unpack_kind kind, const uint8_t *in,
			     size_t len, size_t max)
{
	return unpack_watched(kind, in, len, max, INFLATE_BOMB_BYTES);
}

struct inflated unpack_watched(enum unpack_kind kind, const uint8_t *in,
			       size_t len, size_t max, size_t bomb)
{
	struct inflated out;

	if (kind != UNPACK_GZIP)
		return unpack_frames(kind, in, len, max, bomb);
	out = inflate_watched(INFLATE_GZIP, in, len, max, bomb);
	if (!out.damage && !(max && out.len == max))
		unpack_next_frame(kind, in, len, &out);
	return out;
}
