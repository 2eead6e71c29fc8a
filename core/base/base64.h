/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64: bytes as letters, RFC 4648 section 4, with padding.
 */
#ifndef CORE_BASE_BASE64_H
#define CORE_BASE_BASE64_H

#include "core/base/text.h"

#include <stddef.h>

/*
 * Appends len bytes as base64, on one line.  Pieces of a multiple of 3 bytes,
 * added one after another, read as one.
 */
void base64_add(struct text *out, const void *bytes, size_t len);

#endif
