/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load: loads BPF programs and explains why the kernel refuses them.
 */
#ifndef BPF_LOAD_H
#define BPF_LOAD_H

#include "core/base/error.h"

#include <stdint.h>

/* Keeps libbpf's messages instead of printing them.  Call it before libbpf. */
void load_quietly(void);

/*
 * Fails with the reason for a refusal; sys is its errno.  ERROR_PERMISSION or
 * ERROR_UNAVAILABLE, with a fix if a condition is known to fail.  Returns -1.
 */
int load_refused(const char *what, int sys, struct error *err);

/* The PID namespace of this process; inode 0 = the initial one. */
struct load_pid_ns {
	uint64_t dev; /* as the kernel numbers it */
	uint32_t inode;
};

struct load_pid_ns load_own_pid_ns(void);

#endif
