/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_open_type: the OpenTypes of composites, tables and arrays.
 *
 * Private to java_from_value: java_open_type.c chooses and writes the types,
 * java_from_value.c writes the values.  Types are in the stream's arena.
 */
#ifndef JMX_HTTP_JAVA_JAVA_OPEN_TYPE_H
#define JMX_HTTP_JAVA_JAVA_OPEN_TYPE_H

#include "jmx_http/java/java_writer.h"

#define COMPOSITE_DATA "javax.management.openmbean.CompositeData"
#define TABULAR_DATA   "javax.management.openmbean.TabularData"

enum open_kind {
	OPEN_SIMPLE,
	OPEN_ARRAY,
	OPEN_COMPOSITE,
	OPEN_TABLE,
};

enum open_simple {
	OPEN_BOOLEAN,
	OPEN_INTEGER,
	OPEN_LONG,
	OPEN_DOUBLE,
	OPEN_STRING,
	OPEN_NAME,
	OPEN_DATE,
	OPEN_BIG_INTEGER,
	OPEN_BIG_DECIMAL,
	OPEN_SIMPLE_TYPES,
};

/* The classes of the simple types, as Class.getName() spells them. */
extern const char *const java_open_classes[OPEN_SIMPLE_TYPES];

struct open_item {
	const char *name;
	struct open_type *type;
};

/* A javax.management.openmbean.OpenType. */
struct open_type {
	enum open_kind kind;
	/* The class of a simple value or an array; else the type's name. */
	const char *name;
	struct open_type *element; /* of an array; the rows of a table */
	uint32_t dimension;
	const struct open_item *items; /* of a composite, by name */
	size_t item_count;
	const char *const *index; /* of a table */
	size_t index_count;
	uint32_t handle; /* in the stream, or NOT_WRITTEN */
};

#define FROM_VALUE_INFERRED_MAX 64

/*
 * Work of the search for types: comparisons of a value, or 1/64 of a row.
 * Composites and tables that are left then become text.  Without a limit,
 * nested arrays of different composites double the work at each level.
 */
#define FROM_VALUE_WORK_MAX ((size_t)64000000)

/* One stream.  The caller sets the first two fields and zeroes the others. */
struct java_from_value {
	struct java_output *output;
	struct arena *arena; /* for types; lives as long as the stream */

	/* Private from here on. */
	struct open_type *simple; /* by enum open_simple */
	struct open_type **known; /* by index of the table; may be NULL */
	struct open_type *inferred[FROM_VALUE_INFERRED_MAX];
	size_t inferred_next;
	size_t work; /* at most FROM_VALUE_WORK_MAX */
};

/* Makes the types that every stream may use, at the first call. */
void java_open_begin(struct java_from_value *f);

/* Null, and values of which the carrier gives only an error. */
bool java_open_is_missing(const struct value *v);

/* Composites, and objects, which are written as composites. */
bool java_open_is_composite(const struct value *v);

/* Tables, and values that JSON may have made of tables. */
bool java_open_may_be_table(const struct value *v);

/* Returns a table for a composite or map of the rows' values by their keys. */
const struct value *java_open_table(struct java_from_value *f,
				    const struct value *v);

/* True if a value can be written as an object of a simple class. */
bool java_open_class_fits(const char *class, const struct value *v);

/* True if a value, with all its parts, can be written with the type. */
bool java_open_fits(struct java_from_value *f, const struct open_type *t,
		    const struct value *v);

/*
 * Returns the type of a value: the one that the JDK declares for a composite
 * of these items, else one inferred from the value.
 */
struct open_type *java_open_type_of(struct java_from_value *f,
				    const struct value *v);

/* Returns the type of all the values; String if they have none in common. */
struct open_type *java_open_common_type(struct java_from_value *f,
					const struct value *const *list,
					size_t count);

/* Returns the type of a table, or of a value that becomes one. */
struct open_type *java_open_table_type(struct java_from_value *f,
				       const struct value *v);

/* Writes a type, or a reference to it if the stream contains it. */
void java_open_write_type(struct java_output *o, struct open_type *t);

#endif
