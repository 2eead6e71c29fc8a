/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zip: compression and decompression (RFC 1950 to 1952).
 *
 * Foreign input is decompressed within bounds.  zlib reads and writes streams;
 * libdeflate is faster for what is there as a whole.
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
 * More than this much output from less than 1/200 of it is a bomb.  Deflate
 * ends at about 1/1000; recordings and dumps of one stack trace over and over
 * stay below 1/100.
 */
#define INFLATE_BOMB_BYTES ((size_t)256 << 20)
#define INFLATE_BOMB_RATIO 200

enum inflate_kind {
	INFLATE_ZLIB, /* RFC 1950 */
	INFLATE_GZIP, /* RFC 1952, several members as gzip(1) reads them */
};

/* What came out, and why it stopped short if it did. */
struct inflated {
	uint8_t *bytes; /* the caller frees */
	size_t len;
	size_t used;        /* bytes of input that were read */
	const char *damage; /* NULL, or what is wrong: "truncated", … */
};

/*
 * Decompresses up to max bytes (0: no limit but the bomb rule).  Damaged input
 * gives what came out before the damage, which is named; reaching max is no
 * damage.
 */
struct inflated inflate_bytes(enum inflate_kind kind, const uint8_t *in,
			      size_t len, size_t max);

/* The same, looking for bombs from that many bytes of output on. */
struct inflated inflate_watched(enum inflate_kind kind, const uint8_t *in,
				size_t len, size_t max, size_t bomb);

/* True for the first bytes of a gzip member. */
bool inflate_is_gzip(const uint8_t *in, size_t len);

/* An output that is compressed as it is written (RFC 1952, one member). */
struct gzip {
	struct output *out; /* borrowed */
	struct z_stream_s *stream;
	uint8_t *buffer;
};

/* What follows goes compressed to out; gzip_close() is due. */
void gzip_open(struct gzip *g, struct output *out);

void gzip_write(struct gzip *g, const void *bytes, size_t len);

/* Writes the end of it.  That writing failed, output_commit() says. */
void gzip_close(struct gzip *g);

/*
 * Appends len bytes compressed without a header (RFC 1951), for a browser's
 * DecompressionStream("deflate-raw").  Larger input is compressed faster and
 * less: a smaller page is not worth the wait.
 */
void deflate_raw(struct text *out, const void *bytes, size_t len);

#endif
