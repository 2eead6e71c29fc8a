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
	bool is_pattern;         /* the value is */
};

struct object_name {
	char *domain;
	struct object_name_property *properties; /* as written */
	size_t property_count;
	bool domain_is_pattern;
	bool list_is_pattern; /* other properties may stand there, too */

	/* Private: what the others point into. */
	char *storage;
};

/*
 * ERROR_MISUSE, saying what is wrong and where.  text may have any bytes;
 * object_name_release() is due after success.
 */
int object_name_parse(struct object_name *n, const char *text, size_t len,
		      struct error *err);
void object_name_release(struct object_name *n); /* zeroed storage is fine */

bool object_name_is_pattern(const struct object_name *n);

/* True when a name, which is no pattern, is one that the pattern means. */
bool object_name_matches(const struct object_name *pattern,
			 const struct object_name *name);

/* Appends it with its keys in order, as getCanonicalName() does. */
void object_name_canonical(const struct object_name *n, struct text *out);

/* A property's value as written, or NULL. */
const char *object_name_property(const struct object_name *n, const char *key);

#endif
