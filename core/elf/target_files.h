/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_files: opens the files that a process has mapped, through the opener
 * (core/jvm/opener.h), because their file systems may not respond.
 */
#ifndef CORE_ELF_TARGET_FILES_H
#define CORE_ELF_TARGET_FILES_H

#include "core/base/error.h"
#include "core/elf/elf_file.h"
#include "core/jvm/jvm.h"
#include "core/process/mappings.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct target_files {
	const struct jvm *jvm;
	struct budget *budget; /* pays for tables of the files; may be NULL */
	uint64_t missed;       /* files that stalled, or were skipped */
};

/*
 * Opens the file of a mapping and returns a descriptor, the caller's, or -1.
 * /proc/PID/map_files gives the very file; without the right to that, the path
 * below the process's root does. The descriptor is a copy if the file system
 * may stall.
 */
int target_files_open(struct target_files *t, const struct mapping *m,
		      struct error *err);

/*
 * Reads the cached attributes of the file of a mapping, without waiting for its
 * file system.  Returns false without the right to open /proc/PID/map_files.
 */
bool target_files_stat(const struct target_files *t, const struct mapping *m,
		       struct statx *st);

/* Opens the debug file of the file f at a path (elf_debug_open); or -1. */
int target_files_open_debug(struct target_files *t, const char *path,
			    const struct elf_file *f);

/*
 * Copy an ELF file to an empty one, in which other parts are holes: only the
 * tables that an elf_image is read from, or all but debug information.  Fail
 * with ERROR_PARTIAL if that is more than max bytes; add to *copied.
 */
int target_files_copy_tables(int from, int to, size_t max, size_t *copied,
			     struct error *err);
int target_files_copy_elf(int from, int to, size_t max, size_t *copied,
			  struct error *err);

#endif
