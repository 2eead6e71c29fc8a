/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_to_value: converts the Java objects that RMI carries to values.
 *
 * Open types, collections and boxes become values of corresponding kinds.  An
 * object of an unknown class becomes its class name and its fields.
 */
#ifndef JMX_HTTP_JAVA_JAVA_TO_VALUE_H
#define JMX_HTTP_JAVA_JAVA_TO_VALUE_H

#include "jmx_http/java/java_value.h"
#include "jmx_http/jmx.h"
#include "jmx_http/value/value.h"

/* Returns a value in the arena, never NULL; copies texts.  v may be NULL. */
const struct value *java_to_value(const struct java_value *v, struct arena *a);

/* Converts a javax.management.MBeanInfo; NULL for other values. */
const struct jmx_info *java_to_info(const struct java_value *v,
				    struct arena *a);

/*
 * Converts modified UTF-8 to NUL-terminated UTF-8.  Unpaired surrogates become
 * U+FFFD.
 */
struct value_text java_to_text(struct java_bytes bytes, struct arena *a);

#endif
