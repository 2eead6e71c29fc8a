/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_names: names of kernel functions, looked up one by one by a BPF
 * program or read from /proc/kallsyms.
 *
 * A session needs a few dozen names; reading all of /proc/kallsyms takes about
 * 50 ms of CPU and CAP_SYSLOG.  The BPF program requires Linux 5.14.
 */
#ifndef BPF_KERNEL_NAMES_H
#define BPF_KERNEL_NAMES_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
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
bool kernel_names_find(struct kernel_names *n, uint64_t address,
		       const char **name);

/*
 * ---- all names, from /proc/kallsyms ----
 *
 * For kernels that do not have the BPF program.
 */
struct kernel_symbols;

/*
 * Reads /proc/kallsyms.  ERROR_PERMISSION when the kernel hides its addresses
 * (kernel.kptr_restrict).  Kernel frames then have no names.
 */
struct kernel_symbols *kernel_symbols_open(struct error *err);
/* Parses text in the format of /proc/kallsyms. */
struct kernel_symbols *kernel_symbols_of(const char *text, size_t len,
					 struct error *err);
void kernel_symbols_close(struct kernel_symbols *k); /* NULL is fine */

/*
 * Returns the function that holds the address: "vfs_read" or, in a module,
 * "nft_do_chain [nf_tables]"; or NULL. The name lives as long as k.
 */
const char *kernel_symbols_function(const struct kernel_symbols *k,
				    uint64_t address);

#endif
