/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_files: opens the files that a process has mapped.
 *
 * A file system that another process or machine serves (FUSE, NFS) may never
 * reply, and then blocks each process that reads a file there or looks up a
 * path that leads there.  So only mapped files on local disks are opened
 * directly.  A child process opens the others.  It hands over a file that
 * cannot block and copies any other file into memory.  A child that makes no
 * progress for a second is killed, and its file system is not tried again.  A
 * blocked child may not end until it gets its reply, so it holds no other
 * descriptor of sjkc.
 */
#ifndef CORE_ELF_TARGET_FILES_H
#define CORE_ELF_TARGET_FILES_H

#include "core/base/error.h"
#include "core/elf/elf_file.h"
#include "core/jvm/jvm.h"
#include "core/process/mappings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { TARGET_FILES_STALLED = 16 };

struct target_files {
	const struct jvm *jvm;
	struct budget *budget; /* pays for tables of the files; may be NULL */
	dev_t own_root, own_program; /* file systems that we run from */
	uint64_t stalled[TARGET_FILES_STALLED]; /* devices; 0: debug files */
	size_t stalled_count;
	pid_t stuck[TARGET_FILES_STALLED]; /* file systems that sjkc runs from
					    */
	size_t stuck_count;
	int64_t waited_ns; /* for all children; limited, too */
	uint64_t missed;   /* files that stalled, or were skipped */
};

void target_files_init(struct target_files *t, const struct jvm *jvm);
void target_files_release(
	struct target_files *t); /* does not wait for children */

/*
 * Opens the file of a mapping and returns a descriptor, the caller's, or -1.
 * /proc/PID/map_files gives the very file; without the right to that, the path
 * below the process's root does.
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

#endif
