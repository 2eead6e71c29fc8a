/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_name: shared by the program that names addresses and its caller. */
#ifndef BPF_KERNEL_KERNEL_NAME_H
#define BPF_KERNEL_KERNEL_NAME_H

/* KSYM_SYMBOL_LEN of include/linux/kallsyms.h is smaller, at most 627. */
#define KERNEL_NAME_BYTES 640

#endif
