/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_name: the name of an MBean, or a pattern of such names.
 *
 * "domain:key=value,…", javax.management.ObjectName of JDK 17: values may be
 * quoted ("…" with \" \\ \? \* \n in it); * and ? in a domain or value, and a
 * ",*" at the end, make it a pattern.
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
	bool list_is_pattern; /* other properties may follow */

	/* Private: the memory of the strings above. */
	char *storage;
};

/*
 * Fails with ERROR_MISUSE, naming the fault and its position.  text may contain
 * any bytes; object_name_release() is due after success.
 */
int object_name_parse(struct object_name *n, const char *text, size_t len,
		      struct error *err);
void object_name_release(struct object_name *n); /* zeroed storage is fine */

bool object_name_is_pattern(const struct object_name *n);

/* True when a name that is not a pattern matches the pattern. */
bool object_name_matches(const struct object_name *pattern,
			 const struct object_name *name);

/* Appends the name with sorted keys, as getCanonicalName() does. */
void object_name_canonical(const struct object_name *n, struct text *out);

/* A property's value as written, or NULL. */
const char *object_name_property(const struct object_name *n, const char *key);

#endif
