/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deflate: raw compression (RFC 1951), as browsers undo it with
 * DecompressionStream("deflate-raw").
 */
#ifndef CORE_BASE_DEFLATE_H
#define CORE_BASE_DEFLATE_H

#include "core/base/text.h"

#include <stddef.h>

/*
 * Appends len bytes compressed.  The more there is, the less trouble is taken:
 * what a page of a few megabytes saves is not worth the wait for it.
 */
void deflate_raw(struct text *out, const void *bytes, size_t len);

#endif
