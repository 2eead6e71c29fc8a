/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64: bytes as letters, RFC 4648 section 4, with padding.
 */
#ifndef CORE_BASE_BASE64_H
#define CORE_BASE_BASE64_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Appends len bytes as base64, on one line.  Pieces of a multiple of 3 bytes,
 * added one after another, read as one.
 */
void base64_add(struct text *out, const void *bytes, size_t len);

/*
 * Appends the bytes that len letters stand for.  False, and nothing appended,
 * unless they are groups of four, the last one padded, and nothing else.
 */
bool base64_read(struct text *out, const char *letters, size_t len);

#endif
