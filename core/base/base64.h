/* SPDX-License-Identifier: Apache-2.0 */
/* base64: RFC 4648 section 4, with padding. */
#ifndef CORE_BASE_BASE64_H
#define CORE_BASE_BASE64_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Appends len bytes as base64, on one line. Parts whose lengths are multiples
 * of 3 may be appended one after another.
 */
void base64_add(struct text *out, const void *bytes, size_t len);

/*
 * Decodes len letters and appends the bytes. False, with nothing appended,
 * unless the input is complete groups of four with valid padding.
 */
bool base64_read(struct text *out, const char *letters, size_t len);

#endif
