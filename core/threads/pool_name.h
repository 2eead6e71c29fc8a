/* SPDX-License-Identifier: Apache-2.0 */
/* pool_name: the common name of threads whose names differ only in numbers. */
#ifndef CORE_THREADS_POOL_NAME_H
#define CORE_THREADS_POOL_NAME_H

#include "core/base/text.h"

/*
 * Appends a thread name with "*" for each number and UUID: "pool-*-thread-*"
 * for "pool-3-thread-12".
 */
void pool_name(struct text *out, const char *name);

#endif
