/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_names: the names of the kernel's functions, asked of the kernel one by
 * one.
 *
 * /proc/kallsyms is all of them at once, some 50 ms of CPU, and hidden from
 * who lacks CAP_SYSLOG; a sampling meets a few dozen.  From Linux 5.14 on.
 */
#ifndef BPF_KERNEL_NAMES_H
#define BPF_KERNEL_NAMES_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_names;

/* Fails as sampler_open() does, and where the kernel is older. */
struct kernel_names *kernel_names_open(struct error *err);
void kernel_names_close(struct kernel_names *n); /* NULL is fine */

/*
 * Sets *name to the function that holds the address, "vfs_read" or, of a
 * module, "nft_do_chain [nf_tables]", valid until the next call; NULL = none.
 * False when the kernel does not answer.
 */
bool kernel_names_ask(struct kernel_names *n, uint64_t address,
		      const char **name);

#endif
