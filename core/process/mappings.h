/* SPDX-License-Identifier: Apache-2.0 */
/* mappings: the memory mappings of a process, from /proc/PID/maps. */
#ifndef CORE_PROCESS_MAPPINGS_H
#define CORE_PROCESS_MAPPINGS_H

#include "core/base/arena.h"
#include "core/base/error.h"
#include "core/base/lines.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
	uint64_t start, end; /* [start, end) */
	uint64_t offset;     /* of start, in the file */
	uint64_t dev, inode; /* as stat(2) has them; inode 0 = no file */
	bool is_readable, is_writable, is_executable;
	const char *path; /* foreign; "" = none; the end if they have MBs */
};

struct mappings {
	struct mapping *all; /* by address */
	size_t count, cap;
	struct arena paths;
};

/*
 * Reads the current mappings into *m, which loses the old ones, also if that
 * fails; mappings_release() is due.
 */
int mappings_read(struct mappings *m, const struct jvm *jvm, struct error *err);
/* Parses the text of a maps file; skips malformed lines. */
void mappings_parse(struct mappings *m, const char *text, size_t len);
/*
 * Adds a line of a maps file, or of a smaps file.  Returns false if it is no
 * mapping, or not above the last one.
 */
bool mappings_add_line(struct mappings *m, struct line line);
void mappings_release(struct mappings *m); /* zeroed storage is fine */

/* Returns the mapping that holds the address, or NULL. */
const struct mapping *mappings_find(const struct mappings *m, uint64_t address);

#endif
