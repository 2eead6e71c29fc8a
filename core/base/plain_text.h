/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain_text: the bytes of an input as readers of text expect them.
 *
 * Editors write a byte order mark, PowerShell's ">" writes UTF-16, and a log
 * that logrotate truncates while a process writes to it (copytruncate) begins
 * with NUL bytes. Binary formats begin with none of these.
 */
#ifndef CORE_BASE_PLAIN_TEXT_H
#define CORE_BASE_PLAIN_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Skips a byte order mark and NUL bytes before text: changes *bytes and *len.
 * Returns NULL, or the text decoded from UTF-16, which *bytes then points to
 * and the caller frees.
 */
uint8_t *plain_text(const uint8_t **bytes, size_t *len);

#endif
