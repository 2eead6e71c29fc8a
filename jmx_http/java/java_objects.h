/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_objects: the objects that a client of JMX sends, written.
 *
 * Classes, fields and suids are those of JDK 17 and 25, as they were captured.
 */
#ifndef JMX_HTTP_JAVA_JAVA_OBJECTS_H
#define JMX_HTTP_JAVA_JAVA_OBJECTS_H

#include "core/base/error.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/value/value.h"

/* NULL is Java's null for each of these. */
void java_write_text(struct text *out, const char *utf8);
void java_write_object_name(struct text *out, const char *name,
			    enum java_dialect dialect);

/* A String[]; elements may be NULL. */
void java_write_strings(struct text *out, const char *const *strings,
			size_t count, enum java_dialect dialect);

/* A MarshalledObject around a stream of its own, which is JAVA_PLAIN. */
void java_write_marshalled(struct text *out, const struct text *stream);

/*
 * An object of the type as Class.getName() has it, a primitive one boxed, into
 * a stream that is JAVA_PLAIN.  Known are the primitive types and their boxes,
 * String, ObjectName, Date, BigInteger, BigDecimal, arrays of all of them and
 * of arrays; lists and sets; and Object and the like, for which the value
 * decides.  Text stands for what it says: "12" for an int.  Fails with
 * ERROR_MISUSE: the value is none of that type, or the type is another.
 */
int java_write_value(struct text *out, const struct value *v, const char *type,
		     struct error *err);

/*
 * The same of java.math.BigInteger and BigDecimal: digits, of the latter with a
 * point among them, and a sign in front.  False, and nothing written, when the
 * text is something else, or longer than anybody means.
 */
bool java_write_big_integer(struct text *out, const char *digits);
bool java_write_big_decimal(struct text *out, const char *digits);

#endif
