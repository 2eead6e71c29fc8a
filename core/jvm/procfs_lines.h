/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procfs_lines: reads files of /proc/PID that may be long, in parts.
 */
#ifndef CORE_JVM_PROCFS_LINES_H
#define CORE_JVM_PROCFS_LINES_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Calls take() with whole lines of /proc/PID/<name>, at most 256 KB at once,
 * until it returns false or limit bytes were read.  Errors are those of
 * procfs_read().
 */
int procfs_lines(pid_t pid, const char *name, size_t limit,
		 bool (*take)(void *to, const char *text, size_t len), void *to,
		 struct error *err);

#endif
