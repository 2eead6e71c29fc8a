/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_names: looks up names of kernel functions one by one, by a BPF
 * program.
 *
 * A session needs a few dozen names; reading all of /proc/kallsyms takes about
 * 50 ms of CPU and CAP_SYSLOG.  Requires Linux 5.14.
 */
#ifndef BPF_KERNEL_NAMES_H
#define BPF_KERNEL_NAMES_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_names;

/* Fails as sampler_open() does, and on older kernels. */
struct kernel_names *kernel_names_open(struct error *err);
void kernel_names_close(struct kernel_names *n); /* NULL is fine */

/*
 * Sets *name to the function that contains the address: "vfs_read" or, in a
 * module, "nft_do_chain [nf_tables]".  Valid until the next call; NULL = none.
 * Returns false if the lookup fails.
 */
bool kernel_names_ask(struct kernel_names *n, uint64_t address,
		      const char **name);

#endif
