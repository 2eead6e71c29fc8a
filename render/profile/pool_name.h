/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool_name: what threads have in common whose names differ in numbers only.
 */
#ifndef RENDER_PROFILE_POOL_NAME_H
#define RENDER_PROFILE_POOL_NAME_H

#include "core/base/text.h"

/*
 * Appends the name with numbers and UUIDs as "*": "pool-3-thread-12" is
 * "pool-*-thread-*".
 */
void pool_name(struct text *out, const char *name);

#endif
