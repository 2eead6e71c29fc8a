/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load: loads BPF programs and explains why the kernel refuses them.
 */
#ifndef BPF_LOAD_H
#define BPF_LOAD_H

#include "core/base/error.h"

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Keeps libbpf's messages instead of printing them.  Call it before libbpf.
 * Fails with ERROR_REFUSED after load_forbid().
 */
int load_quietly(struct error *err);

/* Loads nothing from now on; why is a constant: "--quick uses no eBPF". */
void load_forbid(const char *why);

/*
 * Fails with the reason for a refusal; sys is its errno.  ERROR_PERMISSION or
 * ERROR_UNAVAILABLE, with a fix if a condition is known to fail.  Returns -1.
 */
int load_refused(const char *what, int sys, struct error *err);

/*
 * Checks the rights for uprobes in a library of a process of that user. Linux
 * requires CAP_SYS_ADMIN, and for other users CAP_DAC_READ_SEARCH; CAP_BPF and
 * CAP_PERFMON, which suffice for samples, do not (tried with Linux 6.18). Fails
 * with ERROR_PERMISSION and a fix.
 */
int load_check_uprobes(uid_t uid, struct error *err);

/* Like load_refused() for such a uprobe. */
int load_refused_uprobe(uid_t uid, int sys, struct error *err);

/*
 * Blocks the signals that end a process, while uprobes are added or removed:
 * Linux 6.18 leaves breakpoints in the other process if a signal ends this one
 * meanwhile ("failed to unregister, leaking uprobe").  Stores the mask before.
 */
void load_block_signals(sigset_t *before);

/* The PID namespace of this process; inode 0 = the initial one. */
struct load_pid_ns {
	uint64_t dev; /* as the kernel numbers it */
	uint32_t inode;
};

struct load_pid_ns load_own_pid_ns(void);

#endif
