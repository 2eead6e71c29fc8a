/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_files: what a process has mapped, opened to be read.
 *
 * A file system that another process or machine serves (FUSE, NFS) may never
 * answer, and holds whoever reads there, or only looks a path up that leads
 * there.  So what is not certain to be of the kernel's own file systems is
 * opened by a child, which hands over the file if it is of those, and else
 * copies it into memory of ours.  What has not come within seconds is given up,
 * and that file system is not asked again.  The child is killed, but may not
 * end before it gets its answer: it has nothing open that is ours.
 */
#ifndef CORE_ELF_TARGET_FILES_H
#define CORE_ELF_TARGET_FILES_H

#include "core/base/error.h"
#include "core/elf/elf_file.h"
#include "core/jvm/jvm.h"
#include "core/process/mappings.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { TARGET_FILES_STALLED = 16 };

struct target_files {
	const struct jvm *jvm;
	uint64_t stalled[TARGET_FILES_STALLED]; /* devices; 0: found by path */
	size_t stalled_count;
	pid_t stuck[TARGET_FILES_STALLED]; /* children that have not ended */
	size_t stuck_count;
	int64_t waited_ns; /* for all children, of which there is an end, too */
	uint64_t missed;   /* files that did not come, or were not asked for */
};

void target_files_init(struct target_files *t, const struct jvm *jvm);
void target_files_release(struct target_files *t); /* waits for nobody */

/*
 * The file of a mapping: an fd, the caller's, or -1.  By /proc/PID/map_files it
 * is the very file; else, without the right to that, by its path below the
 * process's root.
 */
int target_files_open(struct target_files *t, const struct mapping *m,
		      struct error *err);

/* The debug file of one that has the path (elf_debug_open), or -1. */
int target_files_open_debug(struct target_files *t, const char *path,
			    const struct elf_file *f);

#endif
