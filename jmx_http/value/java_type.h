/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_type: names of the types of attributes and arguments.
 *
 * MBeans use "int", "java.lang.String", and for arrays Class.getName(): "[J",
 * "[Ljava.lang.String;" (javax.management.MBeanParameterInfo.getType()).
 */
#ifndef JMX_HTTP_VALUE_JAVA_TYPE_H
#define JMX_HTTP_VALUE_JAVA_TYPE_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A primitive type and its box (JVMS 4.3.2). */
struct java_primitive {
	char letter; /* in field descriptors: 'Z' */
	const char *name, *box;
	uint8_t size;        /* bytes in a field or an array */
	int64_t least, most; /* of integer types; else 0 */
};

/* NULL if no primitive type has the letter. */
const struct java_primitive *java_primitive_of(char letter);

/* Finds a primitive type by its name or the name of its box; or NULL. */
const struct java_primitive *java_primitive_named(const char *name, size_t len);

/* Appends the type as SJK prints it: "long[]", "java.util.Date"; foreign. */
void java_type_add(struct text *out, const char *type);

/*
 * True if `given` is a spelling of the type: the MBean's, the spelling of
 * java_type_add(), or the name without its package: "[J", "long[]", "Date".
 */
bool java_type_is(const char *type, const char *given, size_t len);

/* Appends the element type of an array type; false for other types. */
bool java_type_element(const char *type, struct text *out);

#endif
