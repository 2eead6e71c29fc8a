/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpack: decompresses whole files of gzip, zstd, LZ4 and xz.
 *
 * Each format allows several frames (members, streams) one after the other, and
 * zero bytes behind them.
 */
#ifndef CORE_BASE_UNPACK_H
#define CORE_BASE_UNPACK_H

#include "core/base/zip.h"

#include <stddef.h>
#include <stdint.h>

enum unpack_kind {
	UNPACK_NONE, /* not compressed, or in an unknown format */
	UNPACK_GZIP, /* RFC 1952 */
	UNPACK_ZSTD, /* RFC 8878 */
	UNPACK_LZ4,  /* the frame format of LZ4 */
	UNPACK_XZ,
};

/*
 * Returns the format by the first bytes. Skippable frames, with which files of
 * zstd and LZ4 may begin, are skipped.
 */
enum unpack_kind unpack_kind(const uint8_t *in, size_t len);

/*
 * Decompresses up to max bytes (0: no limit except the bomb rule of zip.h).
 * Damaged input yields the bytes before the damage, and its description. Bytes
 * behind the last frame are damage unless they are zero. kind is not
 * UNPACK_NONE.
 */
struct inflated unpack_bytes(enum unpack_kind kind, const uint8_t *in,
			     size_t len, size_t max);

/* The same, but the bomb rule applies from `bomb` bytes of output on. */
struct inflated unpack_watched(enum unpack_kind kind, const uint8_t *in,
			       size_t len, size_t max, size_t bomb);

#endif
