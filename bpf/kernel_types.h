/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_types: the types of the kernel (BTF) that our programs name.
 *
 * To fit programs to the kernel, libbpf reads all of its 100,000 types and
 * searches them for each type that a program names: 13 ms of CPU at each start
 * of prof. A BTF of a few dozen types takes less than 1 ms.
 */
#ifndef BPF_KERNEL_TYPES_H
#define BPF_KERNEL_TYPES_H

#include <bpf/btf.h>
#include <stddef.h>

/*
 * Returns the types of all that programs (their own BTF) name: structs with the
 * members, and enums with the values, that are named there, and the types of
 * these members. Layouts are unchanged. The caller frees the result; NULL when
 * all does not follow Documentation/bpf/btf.rst.
 */
struct btf *kernel_types_of(const void *all, size_t len,
			    const struct btf *programs);

/*
 * Writes the types of the running kernel that programs name to the file fd;
 * returns -1 when the kernel has no BTF.
 */
int kernel_types_write(int fd, const struct btf *programs);

#endif
