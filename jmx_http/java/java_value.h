/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_value: the contents of a stream of serialized Java objects.
 *
 * A value is only structure: sjkc knows no classes here and instantiates none.
 * An object has one part for each class of its hierarchy: the fields of the
 * class, and its annotations, which the class's writeObject() wrote.
 *
 * References to a handle share one value, so values form a graph that may have
 * cycles: bound every walk, and do not recurse.  Values are in the arena of
 * their java_stream.
 */
#ifndef JMX_HTTP_JAVA_JAVA_VALUE_H
#define JMX_HTTP_JAVA_JAVA_VALUE_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* java.io.ObjectStreamConstants */
#define TC_STREAM_HEADER 0xaced0005u
#define TC_BASE_HANDLE   0x7e0000u

enum java_tag {
	TC_NULL = 0x70,
	TC_REFERENCE,
	TC_CLASSDESC,
	TC_OBJECT,
	TC_STRING,
	TC_ARRAY,
	TC_CLASS,
	TC_BLOCKDATA,
	TC_ENDBLOCKDATA,
	TC_RESET,
	TC_BLOCKDATALONG,
	TC_EXCEPTION,
	TC_LONGSTRING,
	TC_PROXYCLASSDESC,
	TC_ENUM,
	TC_COUNT, /* no tag */
};

enum java_kind {
	JAVA_NULL,
	JAVA_INTEGER, /* .integer: boolean, byte, char, short, int, long */
	JAVA_REAL,    /* .real: float, double */
	JAVA_STRING,  /* .bytes: modified UTF-8 */
	JAVA_BLOCK,   /* .bytes and .block: block data */
	JAVA_ARRAY,
	JAVA_OBJECT,
	JAVA_ENUM,       /* .constant */
	JAVA_CLASS,      /* .class: a java.lang.Class */
	JAVA_CLASS_DESC, /* .class: a java.io.ObjectStreamClass */
};

/* Bytes followed by a NUL, which len does not count. */
struct java_bytes {
	const char *at;
	size_t len;
};

struct java_value;

struct java_list {
	const struct java_value **at;
	size_t count, cap;
};

struct java_field {
	char type; /* B C D F I J S Z, L or [ */
	struct java_bytes name;
	struct java_bytes signature; /* of L and [: "Ljava/lang/String;" */
};

/* JDK java.io.ObjectStreamConstants */
enum java_class_flags {
	JAVA_WRITE_METHOD = 0x01,
	JAVA_SERIALIZABLE = 0x02,
	JAVA_EXTERNALIZABLE = 0x04,
	JAVA_BLOCK_DATA = 0x08,
	JAVA_IS_ENUM = 0x10,
};

struct java_class {
	struct java_bytes name; /* "[B"; of a proxy, its first interface */
	uint64_t suid;
	uint8_t flags;
	bool is_proxy;
	bool is_complete;    /* false while the descriptor is parsed */
	unsigned generation; /* length of the hierarchy up to this class */
	const struct java_class *super; /* or NULL */
	struct java_field *fields;
	size_t field_count;
	struct java_list annotations;
};

/* The part of an object that one class wrote. */
struct java_part {
	const struct java_class *class;
	const struct java_value **fields; /* in the order of class->fields */
	struct java_list annotations;
};

struct java_object {
	const struct java_class *class;
	struct java_part *parts; /* the root class first */
	size_t part_count;
};

struct java_array {
	const struct java_class *class;
	char type;                 /* of the elements, as in java_field */
	size_t count;              /* number of elements */
	const uint8_t *raw;        /* primitive elements, big-endian */
	struct java_list elements; /* other elements */
};

struct java_constant {
	const struct java_class *class;
	struct java_bytes name;
};

/* Offsets of block data in their stream, from the tag to the end. */
struct java_block {
	struct java_bytes bytes; /* the same as java_value.bytes */
	size_t begin, end;
};

struct java_value {
	enum java_kind kind;
	char type; /* of a primitive value, as in java_field */
	union {
		int64_t integer;
		double real;
		struct java_bytes bytes;
		struct java_block block;
		struct java_array array;
		struct java_object object;
		struct java_constant constant;
		const struct java_class *class;
	};
};

extern const struct java_value java_null;

/* True if the bytes equal a string. */
bool java_bytes_are(struct java_bytes bytes, const char *text);

/* True for an object of the class or of a derived class: "java.rmi.X". */
bool java_is(const struct java_value *v, const char *class_name);

/* The part that the named class wrote of an object; or NULL. */
const struct java_part *java_part_of(const struct java_value *v,
				     const char *class_name);

/*
 * Finds a field by name, the most derived class first.  NULL if v is NULL, not
 * an object, or has no such field.
 */
const struct java_value *java_field_of(const struct java_value *v,
				       const char *name);

/* The bytes of a string; "" for other values. */
struct java_bytes java_string_of(const struct java_value *v);

/* The class name of an object; "" for other values. */
struct java_bytes java_class_name_of(const struct java_value *v);

/* The cause of a Throwable, or the exception that it wraps; or NULL. */
const struct java_value *java_cause_of(const struct java_value *throwable);

/* True if v or one of its first 16 causes is of the class. */
bool java_is_caused_by(const struct java_value *v, const char *class_name);

/*
 * Appends "class: message <- class: message", the outermost first, at most 16;
 * foreign text, not made safe.
 */
void java_add_throwable(struct text *out, const struct java_value *v);

#endif
