/* SPDX-License-Identifier: Apache-2.0 */
/*
 * argument: converts a word of the command line to the type that an MBean
 * requires.
 *
 * The syntax is SJK's: "<null>" is a null String; an empty word is a null
 * Integer, Long, … or array; "[]" is an empty array, and "a,b" an array of two
 * elements ("\," is a literal comma).
 */
#ifndef JMX_HTTP_VALUE_ARGUMENT_H
#define JMX_HTTP_VALUE_ARGUMENT_H

#include "core/base/error.h"
#include "jmx_http/value/value.h"

/*
 * Supports primitive types and their boxes, String, ObjectName, BigInteger,
 * BigDecimal, Date (ISO 8601 or milliseconds since 1970), Object (a String),
 * and one-dimensional arrays of these types.  For any other class, an
 * identifier is an enum constant.  NULL and ERROR_MISUSE for unsupported types
 * and for text that is invalid for the type.  The value is in the arena.
 */
const struct value *argument_parse(const char *type, const char *text,
				   struct arena *a, struct error *err);

/*
 * How far the type is from the type of the text as a Java literal: for "3", int
 * has 0, long more, String most.  Valid only if argument_parse() accepts the
 * type and the text.
 */
unsigned argument_distance(const char *type, const char *text);

#endif
