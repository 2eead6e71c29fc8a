/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_files: how many files this process may have open at a time.
 *
 * The soft limit, often 1024, is for programs that use select(2); who needs
 * more may go up to the hard one.
 */
#ifndef CMD_OPEN_FILES_H
#define CMD_OPEN_FILES_H

#include <stdint.h>

/* Raises the limit to `wanted` if it may be; gives what it is then. */
uint64_t open_files_raise(uint64_t wanted);

/* In a child that becomes another program: the limit as it was. */
void open_files_restore(void);

#endif
