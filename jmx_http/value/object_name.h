/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_name: the name of an MBean, or a pattern of such names.
 *
 * "domain:key=value,…", as javax.management.ObjectName of JDK 17.  Values may
 * be quoted, with the escape sequences \" \\ \? \* \n.  A name with * or ? in
 * its domain or in a value, or with ",*" at its end, is a pattern.
 */
#ifndef JMX_HTTP_VALUE_OBJECT_NAME_H
#define JMX_HTTP_VALUE_OBJECT_NAME_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct object_name_property {
	const char *key, *value; /* as written, quotes and all */
	bool is_pattern;         /* the value is a pattern */
};

struct object_name {
	char *domain;
	struct object_name_property *properties; /* as written */
	size_t property_count;
	bool domain_is_pattern;
	bool list_is_pattern; /* ends with "*": may have more properties */

	/* Private: the memory of the strings above. */
	char *storage;
};

/*
 * Parses any bytes.  -1 and ERROR_MISUSE, with the fault and its position, for
 * an invalid name.  After success, the caller calls object_name_release().
 */
int object_name_parse(struct object_name *n, const char *text, size_t len,
		      struct error *err);
void object_name_release(struct object_name *n); /* zeroed storage is fine */

/*
 * Returns 0 for a valid name and sets *is_pattern, unless that is NULL; else -1
 * and the error of object_name_parse().
 */
int object_name_check(const char *text, bool *is_pattern, struct error *err);

bool object_name_is_pattern(const struct object_name *n);

/* Appends the name with sorted keys, as getCanonicalName() does. */
void object_name_canonical(const struct object_name *n, struct text *out);

/* A property's value as written, or NULL. */
const char *object_name_property(const struct object_name *n, const char *key);

#endif
