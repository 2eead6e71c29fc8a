/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load: loads BPF programs and explains why the kernel refuses them.
 */
#ifndef BPF_LOAD_H
#define BPF_LOAD_H

#include "core/base/error.h"

/* Keeps libbpf's messages instead of printing them.  Call it before libbpf. */
void load_quietly(void);

/*
 * Fails with the reason for a refusal; sys is its errno.  ERROR_PERMISSION or
 * ERROR_UNAVAILABLE, with a fix if a condition is known to fail.  Returns -1.
 */
int load_refused(const char *what, int sys, struct error *err);

#endif
