/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zip: compression and decompression (RFC 1950 to 1952).
 *
 * Foreign input is decompressed within limits. zlib handles streams; libdeflate
 * is faster for input that is complete in memory.
 */
#ifndef CORE_BASE_ZIP_H
#define CORE_BASE_ZIP_H

#include "core/base/error.h"
#include "core/base/output.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Input is a bomb if it yields more than INFLATE_BOMB_BYTES and more than
 * INFLATE_BOMB_RATIO times its size. Deflate reaches at most about 1000;
 * recordings and dumps that repeat one stack trace stay below 100.
 */
#define INFLATE_BOMB_BYTES ((size_t)256 << 20)
#define INFLATE_BOMB_RATIO 200

enum inflate_kind {
	INFLATE_ZLIB, /* RFC 1950 */
	INFLATE_GZIP, /* RFC 1952; several members, like gzip(1) */
	INFLATE_RAW,  /* RFC 1951, as in zip files */
};

/* The decompressed bytes, and why decompression stopped early, if it did. */
struct inflated {
	uint8_t *bytes; /* owned by the caller */
	size_t len;
	size_t used;        /* bytes of input that were consumed */
	const char *damage; /* NULL, or the reason: "truncated", … */
};

/* True if the output so far is a bomb; the first `bomb` bytes never are. */
bool inflated_is_bomb(const struct inflated *out, size_t bomb);

/*
 * Decompresses up to max bytes (0: no limit except the bomb rule). Damaged
 * input yields the bytes before the damage, and its description. Reaching max
 * is not damage.
 */
struct inflated inflate_bytes(enum inflate_kind kind, const uint8_t *in,
			      size_t len, size_t max);

/* The same, but the bomb rule applies from `bomb` bytes of output on. */
struct inflated inflate_watched(enum inflate_kind kind, const uint8_t *in,
				size_t len, size_t max, size_t bomb);

/* True if the bytes begin with a gzip header. */
bool inflate_is_gzip(const uint8_t *in, size_t len);

/* Compresses output while it is written (RFC 1952, one member). */
struct gzip {
	struct output *out; /* borrowed */
	struct z_stream_s *stream;
	uint8_t *buffer;
};

/* Appends len bytes compressed (RFC 1952, one member). */
void gzip_bytes(struct text *out, const void *bytes, size_t len);

/* Starts compressing to out; gzip_close() must follow. */
void gzip_open(struct gzip *g, struct output *out);

void gzip_write(struct gzip *g, const void *bytes, size_t len);

/* Writes the end of the stream. output_commit() reports write failures. */
void gzip_close(struct gzip *g);

/*
 * Appends len bytes compressed without a header (RFC 1951), for a browser's
 * DecompressionStream("deflate-raw"). Large input uses a lower level: a smaller
 * page is not worth the wait.
 */
void deflate_raw(struct text *out, const void *bytes, size_t len);

#endif
