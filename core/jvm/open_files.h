/* SPDX-License-Identifier: Apache-2.0 */
/* open_files: counts the descriptors of a process by their kind. */
#ifndef CORE_JVM_OPEN_FILES_H
#define CORE_JVM_OPEN_FILES_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct open_files {
	size_t sockets, files, pipes, others; /* others: epoll, timers, … */
	int64_t limit; /* RLIMIT_NOFILE, soft; -1 = unlimited or unknown */
};

/* Reads /proc/PID/fd, which requires the rights to inspect the process. */
int open_files_read(struct open_files *o, pid_t pid, struct error *err);

/* "312 of 1,024: 200 sockets, 100 files, 10 pipes, 2 others" */
void open_files_add(struct text *out, const struct open_files *o);

/* The soft limit in the text of /proc/PID/limits; -1 = none. */
int64_t open_files_parse_limit(const char *limits);

#endif
