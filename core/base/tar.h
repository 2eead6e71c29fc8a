/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar: writes and reads archives in the ustar format (POSIX.1-1988, pax(1)).
 *
 * The reader also accepts the archives of GNU tar. It returns only regular
 * files; their long names, which GNU tar and pax store in members of their own,
 * are cut off.
 */
#ifndef CORE_BASE_TAR_H
#define CORE_BASE_TAR_H

#include "core/base/cursor.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum length of a name: "prefix/name", a '/' between both. */
enum { TAR_PREFIX = 155, TAR_NAME = 100, TAR_BLOCK = 512 };

/*
 * Appends a regular file with mode 0600. A name without a '/' at a place that
 * splits it into the two parts is cut off. time_s is since the epoch.
 */
void tar_add(struct text *out, const char *name, const void *bytes, size_t len,
	     int64_t time_s);

/* Appends the end of an archive. */
void tar_end(struct text *out);

/* True if the bytes begin with the header of a member. */
bool tar_is(const uint8_t *bytes, size_t len);

struct tar {
	struct cursor next; /* private */
	bool is_cut;        /* the archive ends early, or is damaged */
};

struct tar_member {
	char name[TAR_PREFIX + 1 + TAR_NAME + 1]; /* foreign */
	const uint8_t *bytes; /* borrowed; fewer than declared if is_cut */
	size_t len;
};

/* The bytes are borrowed; there is nothing to close. */
void tar_open(struct tar *t, const uint8_t *bytes, size_t len);

/* Finds the next regular file; false after the last. */
bool tar_next(struct tar *t, struct tar_member *m);

#endif
