/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_writer: writes serialized Java objects.
 *
 * Each function appends to out; Java Object Serialization Specification,
 * chapter 6, protocol version 2.  The writer uses no references to earlier
 * objects, but repeats class descriptors and strings, which readers accept.
 */
#ifndef JMX_HTTP_JAVA_JAVA_WRITER_H
#define JMX_HTTP_JAVA_JAVA_WRITER_H

#include "core/base/error.h"
#include "jmx_http/java/java_value.h"
#include "jmx_http/value/java_type.h"
#include "jmx_http/value/value.h"

#include <stddef.h>
#include <stdint.h>

/* Big-endian integers, for block data and fields. */
void java_write_u16(struct text *out, uint16_t value);
void java_write_u32(struct text *out, uint32_t value);
void java_write_u64(struct text *out, uint64_t value);

/* The header of a stream. */
void java_write_header(struct text *out);

/* The header of len bytes of block data, which the caller appends. */
void java_write_block(struct text *out, uint8_t len);

void java_write_null(struct text *out);

/*
 * A String of len bytes of UTF-8, converted to modified UTF-8: a NUL becomes
 * two bytes, a character beyond the BMP two surrogates, an invalid byte U+FFFD.
 * Makes no temporary copy, because the text may be a password.
 */
void java_write_string(struct text *out, const char *utf8, size_t len);

/*
 * A String of modified UTF-8, as read from a stream.  False, and nothing is
 * written, if a JVM would not write these bytes.
 */
bool java_write_modified(struct text *out, struct java_bytes s);

/*
 * Class annotations: a stream of RMI has a codebase after each class, null
 * (sun.rmi.server.MarshalOutputStream).  A plain stream, as in a
 * MarshalledObject, has none.
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

/* A class descriptor, with the fields in their order on the wire. */
struct java_shape {
	const char *name;
	uint64_t suid;
	uint8_t flags;                     /* of java_class_flags */
	struct java_shape_field fields[6]; /* ends before a NULL name */
	const struct java_shape *super;    /* or NULL */
};

/*
 * The beginning of an object.  The caller appends the fields, the root class
 * first, and the annotations.
 */
void java_write_object(struct text *out, const struct java_shape *shape,
		       enum java_dialect dialect);

/*
 * The beginning of an array of the class ("[J", "[Ljava.lang.String;").  The
 * caller appends the elements.  Readers ignore the suid of an array
 * (java.io.ObjectStreamClass.initNonProxy).
 */
void java_write_array(struct text *out, const char *class_name, uint32_t count,
		      enum java_dialect dialect);

/* The end of the annotations of a class with JAVA_WRITE_METHOD. */
void java_write_end(struct text *out);

/*
 * Objects that a JMX client sends.  Classes, fields and suids were captured
 * from JDK 17 and 25.
 */

/* Each writes a Java null for NULL. */
void java_write_text(struct text *out, const char *utf8);
void java_write_object_name(struct text *out, const char *name,
			    enum java_dialect dialect);

/* A String[]; elements may be NULL. */
void java_write_strings(struct text *out, const char *const *strings,
			size_t count, enum java_dialect dialect);

/*
 * A MarshalledObject, in a JAVA_OF_RMI stream, that contains a JAVA_PLAIN
 * stream.
 */
void java_write_marshalled(struct text *out, const struct text *stream);

/*
 * Writes a value as an object of a type to a JAVA_PLAIN stream.  type is
 * spelled as by Class.getName(); a primitive type is boxed.  Supports primitive
 * types and their boxes, String, ObjectName, Date, BigInteger, BigDecimal,
 * arrays of these types and of arrays; and Object and similar types, for which
 * the value decides.  Text is converted: "12" is valid for an int.  -1 and
 * ERROR_MISUSE if the value is invalid for the type, or the type is not
 * supported.
 */
int java_write_value(struct text *out, const struct value *v, const char *type,
		     struct error *err);

/*
 * Write a java.math.BigInteger or BigDecimal of digits with an optional sign;
 * of a BigDecimal also with a point.  False, and nothing is written, for other
 * text and for more than 2,000 digits.
 */
bool java_write_big_integer(struct text *out, const char *digits);
bool java_write_big_decimal(struct text *out, const char *digits);

/* The suid of an array class as JVMs write it; 0 for other classes. */
uint64_t java_array_suid(const char *class_name);

/*
 * Writes only the bytes of a primitive value, for a field or an array.  Text is
 * converted: "12" is valid for an int.  -1, ERROR_MISUSE and nothing written
 * for values beyond the type.
 */
int java_write_primitive(struct text *out, const struct value *v,
			 const struct java_primitive *p, struct error *err);

/* The class of the box of a primitive type. */
const struct java_shape *java_box_shape(const struct java_primitive *p);

#define JAVA_MAGNITUDE_MAX 1000

/* A BigInteger or BigDecimal. */
struct java_magnitude {
	uint8_t bytes[JAVA_MAGNITUDE_MAX]; /* the least significant first */
	size_t len;                        /* the last byte is not 0 */
	bool is_negative;
	uint32_t scale; /* number of digits after the point */
};

/* Reads digits, with a point only if has_scale.  False for other text. */
bool java_magnitude_read(struct java_magnitude *m, const char *text,
			 bool has_scale);

/* Write the primitive fields of a BigInteger, and the bytes of its last. */
void java_magnitude_write_fields(struct text *out,
				 const struct java_magnitude *m);
void java_magnitude_write_bytes(struct text *out,
				const struct java_magnitude *m);

#endif
