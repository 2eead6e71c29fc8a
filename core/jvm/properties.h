/* SPDX-License-Identifier: Apache-2.0 */
/*
 * properties: reads what java.util.Properties.store() wrote.
 */
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
	struct text
		logical; /* private: the line, with those that continue it */
};

/*
 * Before the first of len bytes, which are borrowed: ISO 8859-1, a property a
 * line, with the escapes \t \n \r \f \uXXXX and a backslash before what else
 * would have a meaning; lines that begin with # or ! are comments; a backslash
 * at the end of a line continues it.
 */
void properties_init(struct properties *p, const char *text, size_t len);

/* The next one in p->key and p->value; false at the end. */
bool properties_next(struct properties *p);

void properties_release(struct properties *p);

#endif
