/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling_kernel: the names of the kernel's functions, from whoever knows
 * them: the kernel itself, or /proc/kallsyms.
 */
#ifndef BPF_SAMPLING_SAMPLING_KERNEL_H
#define BPF_SAMPLING_SAMPLING_KERNEL_H

#include "bpf/sampling/sampling_options.h"

#include <stdint.h>

/* Nothing is looked for before a name is wanted. */
struct sampling_kernel;

/* The options are borrowed: they say whom to tell. */
struct sampling_kernel *sampling_kernel_new(const struct sampling_options *o);
void sampling_kernel_free(struct sampling_kernel *k); /* NULL is fine */

/*
 * The function that holds the address, valid until the next call; NULL = not
 * known.  That no names can be had is said once.
 */
const char *sampling_kernel_function(struct sampling_kernel *k,
				     uint64_t address);

#endif
