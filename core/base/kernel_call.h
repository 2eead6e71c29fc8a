/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_call: explains why the kernel lacks or refuses a system call. The
 * filters (seccomp) of containers answer calls that they do not know with EPERM
 * or ENOSYS, as an old kernel does.
 */
#ifndef CORE_BASE_KERNEL_CALL_H
#define CORE_BASE_KERNEL_CALL_H

#include "core/base/error.h"

struct kernel_call {
	const char *name;
	int major, minor; /* of the first Linux that has it */
};

/*
 * Sets *err for a call that fails with sys though the process has the rights:
 * ERROR_PERMISSION for a filter, with the fix, ERROR_UNAVAILABLE for an old
 * kernel. Returns -1.
 */
int kernel_call_fail(const struct kernel_call *call, int sys,
		     struct error *err);

#endif
