/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_writer: writes serialized Java objects.
 *
 * Each function appends to out; Java Object Serialization Specification,
 * chapter 6, protocol version 2.  There are functions with references to
 * earlier objects (java_output_…) and without (java_write_…).
 */
#ifndef JMX_HTTP_JAVA_JAVA_WRITER_H
#define JMX_HTTP_JAVA_JAVA_WRITER_H

#include "core/base/error.h"
#include "core/base/map64.h"
#include "jmx_http/java/java_shapes.h"
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
 * Class annotations: a stream of RMI has a codebase after each class, null
 * (sun.rmi.server.MarshalOutputStream).  A plain stream, as in a
 * MarshalledObject, has none.
 */
enum java_dialect {
	JAVA_OF_RMI,
	JAVA_PLAIN,
};

/* The end of the annotations of a class with JAVA_WRITE_METHOD. */
void java_write_end(struct text *out);

/*
 * A stream that refers back to class descriptors, strings and objects that it
 * already contains: thread dumps have the same classes and types thousands of
 * times.  Java Object Serialization Specification, 6.4.  The caller sets the
 * first fields and zeroes the others.
 */
struct java_output {
	struct text *out; /* the caller writes primitive values here */
	enum java_dialect dialect;
	bool has_no_references; /* writes repeated strings and classes again */

	/* Private from here on. */
	uint32_t handles;              /* number of handles so far */
	struct map64 strings, classes; /* handles by hash of the text */
};

void java_output_release(struct java_output *o);

/*
 * Begins an object.  The caller appends the fields, the root class first, and
 * the annotations.  Returns the handle of the object.
 */
uint32_t java_output_object(struct java_output *o,
			    const struct java_shape *shape);

/*
 * Begins an array of the class ("[J", "[Ljava.lang.String;"); the caller
 * appends the elements.  Readers ignore the suid of an array
 * (java.io.ObjectStreamClass.initNonProxy).
 */
uint32_t java_output_array(struct java_output *o, const char *class_name,
			   uint32_t count);

/* A String of len bytes of UTF-8. */
void java_output_string(struct java_output *o, const char *utf8, size_t len);

/*
 * A String by string_write_modified(), without references: texts of foreign
 * streams could have hashes that collide.
 */
bool java_output_modified(struct java_output *o, struct java_bytes s);

/* A String, or null for NULL. */
void java_output_text(struct java_output *o, const char *utf8);

/* An earlier object or array, by its handle. */
void java_output_reference(struct java_output *o, uint32_t handle);

/* A javax.management.ObjectName, or null for NULL. */
void java_output_object_name(struct java_output *o, const char *name);

/*
 * A java.math.BigInteger or BigDecimal of digits with an optional sign; of a
 * BigDecimal also with a point.  False, and nothing is written, for other text
 * and for more than 2,000 digits.
 */
bool java_output_big(struct java_output *o, const char *digits,
		     bool is_decimal);

/* A java.util.Date of milliseconds since 1970. */
void java_output_date(struct java_output *o, int64_t ms);

/* A String[]; elements may be NULL. */
void java_output_strings(struct java_output *o, const char *const *strings,
			 size_t count);

/* Begins a java.util.ArrayList of count elements; java_write_end() ends it. */
void java_output_list(struct java_output *o, uint32_t count);

/* Begins a java.util.HashSet of count elements; java_write_end() ends it. */
void java_output_set(struct java_output *o, uint32_t count);

/* Begins a java.util.LinkedHashMap of count pairs of key and value. */
void java_output_map(struct java_output *o, uint32_t count);
void java_output_map_end(struct java_output *o);

/*
 * Begins a java.util.TreeMap of count pairs, whose keys are in order;
 * java_write_end() ends it.
 */
void java_output_sorted_map(struct java_output *o, uint32_t count);

/*
 * Objects without references to earlier ones: class descriptors and strings are
 * repeated, which readers accept.  A text or a name may be NULL, a Java null.
 */
/* As java_output_object(). */
void java_write_object(struct text *out, const struct java_shape *shape,
		       enum java_dialect dialect);

void java_write_array(struct text *out, const char *class_name, uint32_t count,
		      enum java_dialect dialect);
void java_write_text(struct text *out, const char *utf8);
void java_write_object_name(struct text *out, const char *name,
			    enum java_dialect dialect);
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
 * Writes only the bytes of a primitive value, for a field or an array.  Text is
 * converted: "12" is valid for an int.  -1, ERROR_MISUSE and nothing written
 * for values beyond the type.
 */
int java_write_primitive(struct text *out, const struct value *v,
			 const struct java_primitive *p, struct error *err);

/* The class of the box of a primitive type. */
const struct java_shape *java_box_shape(const struct java_primitive *p);

#endif
