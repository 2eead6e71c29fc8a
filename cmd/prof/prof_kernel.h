/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_kernel: the names of the kernel's functions, from whoever knows them:
 * the kernel itself, or /proc/kallsyms.
 */
#ifndef CMD_PROF_PROF_KERNEL_H
#define CMD_PROF_PROF_KERNEL_H

#include <stdint.h>

/* Nothing is looked for before a name is wanted. */
struct prof_kernel;

struct prof_kernel *prof_kernel_new(void);
void prof_kernel_free(struct prof_kernel *k); /* NULL is fine */

/*
 * The function that holds the address, valid until the next call; NULL = not
 * known.  That no names can be had is said once.
 */
const char *prof_kernel_function(struct prof_kernel *k, uint64_t address);

#endif
