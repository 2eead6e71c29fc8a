/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign_file: names the files that a JVM leaves behind and sjkc does not
 * read: fatal error logs, core files, minidumps and heap dumps.
 */
#ifndef CORE_BASE_FOREIGN_FILE_H
#define CORE_BASE_FOREIGN_FILE_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Appends "a heap dump; open it with …" and the like for a file that begins
 * with these bytes; false, and nothing appended, for another file. Foreign
 * text is made safe for a terminal.
 */
bool foreign_file_name(struct text *out, const void *bytes, size_t len);

#endif
