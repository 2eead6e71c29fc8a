/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Has the kernel write the name of an address of its own, as it does in its
 * messages.  No event runs it, but bpf(BPF_PROG_TEST_RUN).
 */
#include <linux/bpf.h>
#include <linux/types.h>

#include <bpf/bpf_helpers.h>

#include "bpf/kernel/kernel_name.h"

/* Written before a run, and read after it. */
__u64 address;
char name[KERNEL_NAME_BYTES];

SEC("syscall")
int on_request(void *ctx)
{
	static const char as_symbol[] = "%ps";
	__u64 value = address;

	(void)ctx;
	return (int)bpf_snprintf(name, sizeof(name), as_symbol, &value,
				 sizeof(value));
}

/* Helpers that say what is where in the kernel are for such programs only. */
char LICENSE[] SEC("license") = "GPL";
