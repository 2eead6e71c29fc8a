/* SPDX-License-Identifier: Apache-2.0 */
/*
 * argument: a value out of what a person has typed, by the type that an MBean
 * wants.
 *
 * Words mean what they mean to SJK: "<null>" is no String, an empty word no
 * Integer, Long, … and no array, "a,b" an array of two ("\," is a comma within
 * one).
 */
#ifndef JMX_HTTP_VALUE_ARGUMENT_H
#define JMX_HTTP_VALUE_ARGUMENT_H

#include "core/base/error.h"
#include "jmx_http/value/value.h"

/*
 * Primitives and what they are boxed as, String, ObjectName, BigInteger,
 * BigDecimal, Date (ISO 8601 or milliseconds since 1970), Object (a String),
 * and arrays of those, all but arrays of arrays.  An identifier for a class
 * that is not known is a constant of an enum.  NULL and ERROR_MISUSE for
 * another type, or when the text is none of that type.
 */
const struct value *argument_parse(const char *type, const char *text,
				   struct arena *a, struct error *err);

/*
 * How far from what Java itself would take the text for the type is: of "3",
 * int is 0, long 1, String more.  Only for a type and a text that
 * argument_parse() accepts.
 */
unsigned argument_distance(const char *type, const char *text);

#endif
