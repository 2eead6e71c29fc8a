/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_types: the kernel types (BTF) that the BPF programs name.
 *
 * To fit programs to the kernel, libbpf reads all 100,000 types of the kernel
 * and searches them for each type that a program names: 13 ms of CPU at each
 * start of prof.  A BTF of a few dozen types takes less than 1 ms.
 */
#ifndef BPF_KERNEL_TYPES_H
#define BPF_KERNEL_TYPES_H

#include <bpf/btf.h>
#include <stddef.h>

/*
 * Returns the types that programs (a BTF) name: structs with the named members,
 * enums with the named values, and the types of these members.  Layouts are
 * unchanged.  The caller frees the result.  NULL when the input violates
 * Documentation/bpf/btf.rst.
 */
struct btf *kernel_types_of(const void *all, size_t len,
			    const struct btf *programs);

/*
 * Writes the types of the running kernel that programs name to the descriptor
 * fd; returns -1 when the kernel has no BTF.
 */
int kernel_types_write(int fd, const struct btf *programs);

#endif
