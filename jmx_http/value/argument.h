/* SPDX-License-Identifier: Apache-2.0 */
/*
 * argument: parses a word from the command line by the type that an MBean
 * requires.
 *
 * The syntax is SJK's: "<null>" is a null String; an empty word is a null
 * Integer, Long, … or array; "a,b" is an array of two ("\," is a literal
 * comma).
 */
#ifndef JMX_HTTP_VALUE_ARGUMENT_H
#define JMX_HTTP_VALUE_ARGUMENT_H

#include "core/base/error.h"
#include "jmx_http/value/value.h"

/*
 * Supports primitive types and their boxes, String, ObjectName, BigInteger,
 * BigDecimal, Date (ISO 8601 or milliseconds since 1970), Object (a String),
 * and one-dimensional arrays of them.  For any other class an identifier is an
 * enum constant.  NULL and ERROR_MISUSE for other types, and for a text that
 * does not have the type.
 */
const struct value *argument_parse(const char *type, const char *text,
				   struct arena *a, struct error *err);

/*
 * How far the type is from the type that Java itself would give the text: for
 * "3", int has 0, long more, String most.  Only for a type and a text that
 * argument_parse() accepts.
 */
unsigned argument_distance(const char *type, const char *text);

#endif
