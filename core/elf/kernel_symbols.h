/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_symbols: the names of the kernel's functions, from /proc/kallsyms. */
#ifndef CORE_ELF_KERNEL_SYMBOLS_H
#define CORE_ELF_KERNEL_SYMBOLS_H

#include "core/base/error.h"

#include <stddef.h>
#include <stdint.h>

struct kernel_symbols;

/*
 * Reads /proc/kallsyms. ERROR_PERMISSION when the kernel hides its addresses
 * (kernel.kptr_restrict); frames are then known to be the kernel's, but have no
 * names.
 */
struct kernel_symbols *kernel_symbols_open(struct error *err);
/* Reads the text of such a file. */
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
