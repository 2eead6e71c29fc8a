/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Makes the kernel write the name of one of its addresses, as in its messages.
 * bpf(BPF_PROG_TEST_RUN) runs the program; no event does.
 */
#include <linux/bpf.h>
#include <linux/types.h>

#include <bpf/bpf_helpers.h>

/* KSYM_SYMBOL_LEN of include/linux/kallsyms.h is smaller, at most 627. */
#define NAME_BYTES 640

/* The caller writes address before a run and reads name after it. */
__u64 address;
char name[NAME_BYTES];

SEC("syscall")
int on_request(void *ctx)
{
	static const char as_symbol[] = "%ps";
	__u64 value = address;

	(void)ctx;
	return (int)bpf_snprintf(name, sizeof(name), as_symbol, &value,
				 sizeof(value));
}

/* Helpers that reveal kernel addresses require this license. */
char LICENSE[] SEC("license") = "GPL";
