/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_files: the limit of open files of this process.
 *
 * The soft limit, often 1024, protects programs that use select(2). sjkc may
 * raise it up to the hard limit.
 */
#ifndef CMD_SHARED_OPEN_FILES_H
#define CMD_SHARED_OPEN_FILES_H

#include <stdint.h>

/* Raises the limit to `wanted` if possible. Returns the limit in force. */
uint64_t open_files_raise(uint64_t wanted);

/* Restores the limit, in a child that executes another program. */
void open_files_restore(void);

#endif
