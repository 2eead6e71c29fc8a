/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_value: what a stream of serialized Java objects held, as a tree.
 *
 * A value is structure only: no class is known, and none is instantiated.  An
 * object has, for each class from its root down, the fields of that class and
 * its annotations, which the class itself wrote after them.
 *
 * Equal handles are the same value, so a tree may be a graph with cycles:
 * bound every walk, and do not recurse.  Values live in the arena of their
 * java_stream.
 */
#ifndef JMX_HTTP_JAVA_JAVA_VALUE_H
#define JMX_HTTP_JAVA_JAVA_VALUE_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum java_kind {
	JAVA_NULL,
	JAVA_INTEGER, /* boolean, byte, char, short, int, long: in .integer */
	JAVA_REAL,    /* float, double: in .real */
	JAVA_STRING,  /* in .bytes, modified UTF-8 */
	JAVA_BLOCK,   /* block data, in .bytes and .block */
	JAVA_ARRAY,
	JAVA_OBJECT,
	JAVA_ENUM,       /* in .constant */
	JAVA_CLASS,      /* a java.lang.Class, in .class */
	JAVA_CLASS_DESC, /* a java.io.ObjectStreamClass, in .class */
};

/* Bytes with a NUL behind them, which does not count. */
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
	struct java_bytes name; /* "[B"; of a proxy: its first interface */
	uint64_t suid;
	uint8_t flags;
	bool is_proxy;
	bool is_complete;    /* false while it is being read */
	unsigned generation; /* how many classes there are, it and its supers */
	const struct java_class *super; /* or NULL */
	struct java_field *fields;
	size_t field_count;
	struct java_list annotations;
};

/* What one class wrote of an object. */
struct java_part {
	const struct java_class *class;
	const struct java_value **fields; /* as class->fields */
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
	size_t count;              /* elements */
	const uint8_t *raw;        /* of a primitive type: big-endian */
	struct java_list elements; /* of the others */
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
	char type; /* of what is primitive, as in java_field */
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

bool java_bytes_are(struct java_bytes bytes, const char *text);

/* True for an object of the class or of one below it: "java.rmi.X". */
bool java_is(const struct java_value *v, const char *class_name);

/* The part of an object that the named class wrote; NULL: not its class. */
const struct java_part *java_part_of(const struct java_value *v,
				     const char *class_name);

/*
 * Finds a field by name, that of the most derived class first; NULL when v is
 * not an object (or is NULL), or has no such field.
 */
const struct java_value *java_field_of(const struct java_value *v,
				       const char *name);

/* A string's bytes; "" for any other value. */
struct java_bytes java_string_of(const struct java_value *v);

/* The name of an object's class; "" for any other value. */
struct java_bytes java_class_name_of(const struct java_value *v);

/* The next inner Throwable of one, or NULL: its cause, or what it wraps. */
const struct java_value *java_cause_of(const struct java_value *throwable);

/* True when v or one of its causes, sixteen at most, is of the class. */
bool java_is_caused_by(const struct java_value *v, const char *class_name);

/*
 * Appends "class: message <- class: message", sixteen at most, outermost first;
 * foreign text, as it is.
 */
void java_add_throwable(struct text *out, const struct java_value *v);

#endif
