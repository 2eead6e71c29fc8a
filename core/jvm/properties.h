/* SPDX-License-Identifier: Apache-2.0 */
/* properties: parses the output of java.util.Properties.store(). */
#ifndef CORE_JVM_PROPERTIES_H
#define CORE_JVM_PROPERTIES_H

#include "core/base/lines.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* One property; key and value are UTF-8, NUL-terminated, and foreign. */
struct properties {
	struct lines lines;
	struct text key, value;
	struct text logical; /* private: the line with its continuation lines */
};

/*
 * Starts before the first property of len bytes, which are borrowed: ISO
 * 8859-1, one property per line, with the escapes \t \n \r \f \uXXXX and a
 * backslash before other special characters. Lines that begin with # or ! are
 * comments. A backslash at the end of a line continues it.
 */
void properties_init(struct properties *p, const char *text, size_t len);

/* Reads the next property into p->key and p->value; false at the end. */
bool properties_next(struct properties *p);

void properties_release(struct properties *p);

#endif
