/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load: hands programs to the kernel, and says why it does not take them.
 */
#ifndef BPF_LOAD_H
#define BPF_LOAD_H

#include "core/base/error.h"

/* Has what libbpf says kept instead of printed; before any other call of it. */
void load_quietly(void);

/*
 * Why the kernel refused, sys being what errno was: ERROR_PERMISSION or
 * ERROR_UNAVAILABLE with the remedy where something is known to be missing.
 * Always -1.
 */
int load_refused(const char *what, int sys, struct error *err);

#endif
