/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_writer: serialized Java objects, written.
 *
 * Each appends to out; Java Object Serialization Specification, chapter 6,
 * protocol version 2.  Nothing refers to what was written before: a reader
 * takes it twice as well.
 */
#ifndef JMX_HTTP_JAVA_JAVA_WRITER_H
#define JMX_HTTP_JAVA_JAVA_WRITER_H

#include "core/base/error.h"
#include "jmx_http/java/java_value.h"
#include "jmx_http/value/value.h"

#include <stddef.h>
#include <stdint.h>

/* Big-endian integers, as block data and fields hold them. */
void java_write_u16(struct text *out, uint16_t value);
void java_write_u32(struct text *out, uint32_t value);
void java_write_u64(struct text *out, uint64_t value);

/* What a stream begins with. */
void java_write_header(struct text *out);

/* Block data of len bytes follows: 255 at most. */
void java_write_block(struct text *out, uint8_t len);

void java_write_null(struct text *out);

/*
 * A String of len bytes of UTF-8, which become modified UTF-8: NUL is two
 * bytes, a character beyond the BMP two surrogates.  No copy of it is made on
 * the way: it may be a password.
 */
void java_write_string(struct text *out, const char *utf8, size_t len);

/*
 * What follows each class: streams of RMI have a codebase there, null
 * (sun.rmi.server.MarshalOutputStream), those within a MarshalledObject
 * nothing.
 */
enum java_dialect {
	JAVA_OF_RMI,
	JAVA_PLAIN,
};

struct java_shape_field {
	char type; /* as in java_field */
	const char *name;
	const char *signature; /* of L and [; else NULL */
};

/* A class as its descriptor has it: fields in their order on the wire. */
struct java_shape {
	const char *name;
	uint64_t suid;
	uint8_t flags;                     /* of java_class_flags */
	struct java_shape_field fields[6]; /* up to one without a name */
	const struct java_shape *super;    /* or NULL */
};

/*
 * The beginning of an object of that class: the fields, those of the root class
 * first, and what the class itself writes are to follow.
 */
void java_write_object(struct text *out, const struct java_shape *shape,
		       enum java_dialect dialect);

/*
 * The beginning of an array of the class ("[J", "[Ljava.lang.String;"), whose
 * elements are to follow.  Readers do not look at the suid of an array
 * (java.io.ObjectStreamClass.initNonProxy).
 */
void java_write_array(struct text *out, const char *class_name, uint32_t count,
		      enum java_dialect dialect);

/*
 * A constant of an enum, by its name.  Readers do not look at the suid of one
 * (java.io.ObjectStreamClass: it is 0).
 */
void java_write_enum(struct text *out, const char *class_name,
		     const char *constant, enum java_dialect dialect);

/* What ends the annotations of a class that has flags JAVA_WRITE_METHOD. */
void java_write_end(struct text *out);

/*
 * Objects that a client of JMX sends.  Classes, fields and suids are those of
 * JDK 17 and 25, as they were captured.
 */

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
 * of arrays; and Object and the like, for which the value decides.  Text stands
 * for what it says: "12" for an int.  Fails with ERROR_MISUSE: the value is
 * none of that type, or the type is another.
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
