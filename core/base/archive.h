/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive: the members of ZIP files. Source: PKWARE's APPNOTE 4.3 to 4.5.
 *
 * Members are listed by the directory at the end of the file, because local
 * headers may lack the sizes. In a truncated file, which has no directory,
 * members are found by their local headers.
 */
#ifndef CORE_BASE_ARCHIVE_H
#define CORE_BASE_ARCHIVE_H

#include "core/base/cursor.h"
#include "core/base/zip.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that a local header has before the member's name. */
#define ARCHIVE_LOCAL_SIZE 30

struct archive {
	const uint8_t *bytes; /* borrowed */
	size_t len;
	bool is_cut;     /* there is no directory */
	bool is_damaged; /* the directory ends early */

	/* Private from here on. */
	struct cursor next; /* in the directory, or in the file */
	size_t used;        /* compressed bytes of all members so far */
};

struct archive_member {
	const char *name; /* borrowed, not NUL-terminated, hostile */
	size_t name_len;
	const uint8_t *bytes; /* size bytes, or NULL: not in the file */
	size_t size;          /* compressed */
	unsigned method;
	bool is_encrypted;
	bool has_crc;
	uint32_t crc;
};

/* True if the bytes begin with the local header of a member. */
bool archive_is_zip(const uint8_t *in, size_t len);

/* True for the archive without members. */
bool archive_is_empty(const uint8_t *in, size_t len);

/* The bytes are borrowed; there is nothing to close. */
void archive_open(struct archive *a, const uint8_t *bytes, size_t len);

/* Finds the next member; false after the last. */
bool archive_next(struct archive *a, struct archive_member *m);

/* True unless the member is a directory or metadata that macOS adds. */
bool archive_is_file(const struct archive_member *m);

/*
 * Decompresses up to max bytes of a member (0: no limit except the bomb rule
 * of zip.h, which applies from `bomb` bytes of output on).
 */
struct inflated archive_unpack(const struct archive_member *m, size_t max,
			       size_t bomb);

#endif
