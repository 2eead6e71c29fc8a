/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_to_value: converts the Java objects that RMI carries to values.
 *
 * Open types, collections and boxes become values of their own kind; an object
 * of an unknown class becomes its class name and its fields.
 */
#ifndef JMX_HTTP_JAVA_JAVA_TO_VALUE_H
#define JMX_HTTP_JAVA_JAVA_TO_VALUE_H

#include "jmx_http/java/java_value.h"
#include "jmx_http/jmx.h"
#include "jmx_http/value/value.h"

/* Into the arena, texts copied; never NULL.  v may be NULL. */
const struct value *java_to_value(const struct java_value *v, struct arena *a);

/* Converts a javax.management.MBeanInfo; NULL for any other value. */
const struct jmx_info *java_to_info(const struct java_value *v,
				    struct arena *a);

/* UTF-8 from modified UTF-8, NUL-terminated; half surrogates are U+FFFD. */
struct value_text java_to_text(struct java_bytes bytes, struct arena *a);

#endif
