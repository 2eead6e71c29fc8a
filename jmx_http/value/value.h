/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value: an attribute of an MBean, or an argument or the result of an
 * operation.
 *
 * Values do not depend on the carrier, RMI or HTTP.  A value is a tree in one
 * arena: objects shared in the carrier's graph are repeated; cycles, and
 * anything beyond the limits below, are truncated and marked.
 */
#ifndef JMX_HTTP_VALUE_VALUE_H
#define JMX_HTTP_VALUE_VALUE_H

#include "core/base/arena.h"
#include "core/base/json.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nesting.  json writes 64 levels, some of which surround the value. */
#define VALUE_DEPTH_MAX 48

enum value_kind {
	VALUE_NULL,
	VALUE_BOOLEAN,   /* .integer, 0 or 1 */
	VALUE_INTEGER,   /* .integer: byte, short, int, long */
	VALUE_REAL,      /* .real: float, double; may be NaN or infinite */
	VALUE_NUMBER,    /* .text: BigInteger, BigDecimal, in decimal */
	VALUE_STRING,    /* .text: String, char */
	VALUE_NAME,      /* .text: an ObjectName */
	VALUE_DATE,      /* .integer: ms since 1970-01-01T00:00:00Z */
	VALUE_ENUM,      /* .text: the constant's name */
	VALUE_ARRAY,     /* .list: arrays, lists, sets */
	VALUE_COMPOSITE, /* .members: CompositeData, keys in their order */
	VALUE_TABULAR,   /* .table: TabularData */
	VALUE_MAP,       /* .map */
	VALUE_OBJECT,    /* .members: the fields of an unknown class */
	VALUE_ERROR,     /* .text: why it is unavailable: "class: message" */
	VALUE_CUT,       /* .text: why the value was truncated: "too deep" */
};

/* NUL-terminated UTF-8, foreign; may contain NULs, which len counts. */
struct value_text {
	const char *at;
	size_t len;
};

struct value;

struct value_member {
	const char *name; /* foreign */
	const struct value *value;
};

struct value_pair {
	const struct value *key, *value;
};

struct value {
	enum value_kind kind;
	/*
	 * The name of the class or type, as Java spells it: "long", "[J",
	 * "javax.management.ObjectName".  For a composite, the name of its
	 * CompositeType ("java.lang.management.MemoryUsage").  Foreign; "" =
	 * unknown.
	 */
	const char *type;
	union {
		int64_t integer;
		double real;
		struct value_text text;
		struct {
			const struct value *const *at;
			size_t count;
		} list;
		struct {
			const struct value_member *at;
			size_t count;
		} members;
		struct {
			const struct value_pair *at;
			size_t count;
		} map;
		struct {
			const char *const *index; /* names of the key columns */
			size_t index_count;
			const struct value *const *rows; /* composites */
			size_t row_count;
		} table;
	};
};

extern const struct value value_null;

/* Each allocates a value in the arena.  Texts are copied. */
struct value *value_new(struct arena *a, enum value_kind kind,
			const char *type);
struct value *value_integer(struct arena *a, const char *type, int64_t integer);
struct value *value_text(struct arena *a, enum value_kind kind,
			 const char *type, const char *text, size_t len);
/* A String of NUL-terminated text. */
struct value *value_string(struct arena *a, const char *text);

/* The named member of a composite or object, or NULL.  v may be NULL. */
const struct value *value_member(const struct value *v, const char *name);

/* The integer or boolean; `otherwise` for other kinds.  v may be NULL. */
int64_t value_integer_of(const struct value *v, int64_t otherwise);
/* .text, NUL-terminated; NULL for other kinds.  v may be NULL. */
const char *value_text_of(const struct value *v);

/*
 * Appends the shortest decimal number that reads back as the VALUE_REAL, as a
 * float if its type is float; "NaN", "Infinity", "-Infinity" as in Java.
 */
void value_add_real(struct text *out, const struct value *v);

/* Appends "2026-11-21T20:19:00.123Z" for any number of ms since 1970. */
void value_add_date(struct text *out, int64_t ms);

/*
 * Finds a part by a path: "used", "key.member", "0.name".  Steps are members of
 * composites and objects, keys of maps and tables, and indices of arrays.  A
 * table row with one key and one other column yields that column.  Names may
 * contain dots: the longest existing name wins.  A part of null is null.
 * Returns NULL if the part does not exist.
 */
const struct value *value_path(const struct value *v, const char *path);

struct value_dialect;
typedef void value_json_fn(struct json *j, const struct value_dialect *d,
			   const struct value *v);

/*
 * The JSON spelling of types that JSON lacks.  Each function writes one JSON
 * value, and calls value_json_as() for nested values.
 */
struct value_dialect {
	value_json_fn *table, *map, *object, *name, *number, *error, *cut;
};

/*
 * The dialect of mx and mxdump.  A table is an array of objects.  A map is an
 * object if its keys are text, else an array of {"key", "value"}.  An object
 * has "@class" before its fields.  A name is a string.  A number keeps all its
 * digits.  An error is {"$error": "class: message"}, a truncated value
 * {"$cut": "why"}.
 */
extern const struct value_dialect value_dialect_mx;

/*
 * Writes one JSON value.  Integers keep all their digits; NaN and infinities
 * are strings; a date is "2026-11-21T20:19:00.123Z".
 */
void value_json_as(struct json *j, const struct value_dialect *d,
		   const struct value *v);

/* As value_json_as() with value_dialect_mx. */
void value_json(struct json *j, const struct value *v);

/*
 * Appends a value for a person.  A simple value is one line; composites and
 * tables look as in SJK.  Every line but the first is indented by `indent`
 * columns.  Table cells of more than cell_width characters are truncated and
 * end with "..."; 0: no limit.  Foreign text passes safe_text.  No line ends
 * with spaces, and the last line has no newline.
 */
void value_print(struct text *out, const struct value *v, unsigned indent,
		 size_t cell_width);

/* Appends a value on one line, for a table cell or CSV; unsafe text. */
void value_cell(struct text *out, const struct value *v);

#endif
