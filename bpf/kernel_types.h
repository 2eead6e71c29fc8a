/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_types: of the kernel's types (BTF), those that programs read.
 *
 * To have programs fit the kernel, libbpf takes in all of its 100,000 types and
 * goes through them for each that a program names: 20 ms of CPU.  Given a BTF
 * of a few dozen types, it does the same in no time.
 */
#ifndef BPF_KERNEL_TYPES_H
#define BPF_KERNEL_TYPES_H

#include <bpf/btf.h>
#include <stddef.h>

/*
 * Of all types, those that programs (their own BTF) have names of: structs with
 * the members and enums with the values that are named there, and what
 * these are made of.  Layouts stay what they are, other members are left out.
 * NULL when all is not what Documentation/bpf/btf.rst says.
 */
struct btf *kernel_types_of(const void *all, size_t len,
			    const struct btf *programs);

/* Writes those of the running kernel to a file; -1 when there are none. */
int kernel_types_write(int fd, const struct btf *programs);

#endif
