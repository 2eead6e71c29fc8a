/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_type: types of attributes and arguments, as MBeans name them.
 *
 * "int", "java.lang.String", and Class.getName() of arrays: "[J",
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
	char letter; /* of field descriptors: 'Z' */
	const char *name, *box;
	uint8_t size;        /* bytes in a field or an array */
	int64_t least, most; /* of integers; else 0 */
};

/* NULL when the letter is not that of a primitive type. */
const struct java_primitive *java_primitive_of(char letter);

/* The same by the name of the type, or of its box. */
const struct java_primitive *java_primitive_named(const char *name, size_t len);

/* Appends the type as SJK prints it: "long[]", "java.util.Date"; foreign. */
void java_type_add(struct text *out, const char *type);

/*
 * True when given is a spelling of the type: as MBeans name it, as
 * java_type_add() prints it, or without its package: "[J", "long[]", "Date".
 */
bool java_type_is(const char *type, const char *given, size_t len);

/* Appends the element type of an array; false when type is not an array. */
bool java_type_element(const char *type, struct text *out);

#endif
