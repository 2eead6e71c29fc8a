/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_name: what the program that names addresses and its caller share.
 */
#ifndef BPF_KERNEL_KERNEL_NAME_H
#define BPF_KERNEL_KERNEL_NAME_H

/* KSYM_SYMBOL_LEN of include/linux/kallsyms.h is less, at most 627. */
#define KERNEL_NAME_BYTES 640

#endif
