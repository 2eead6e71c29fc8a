/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value: an attribute of an MBean, or an argument or the result of an
 * operation.
 *
 * Values do not depend on the carrier, RMI or HTTP.  A value is a tree in one
 * arena: shared objects of the carrier's graph are repeated, and cycles and
 * anything beyond the bounds below are truncated and marked.
 */
#ifndef JMX_HTTP_VALUE_VALUE_H
#define JMX_HTTP_VALUE_VALUE_H

#include "core/base/arena.h"
#include "core/base/json.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VALUE_DEPTH_MAX 48 /* json writes 64, a document around it */

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
	VALUE_COMPOSITE, /* .members: CompositeData, its keys in their order */
	VALUE_TABULAR,   /* .table: TabularData */
	VALUE_MAP,       /* .map */
	VALUE_OBJECT,    /* .members: the fields of an unknown class */
	VALUE_ERROR,     /* .text: why it is unavailable: "class: message" */
	VALUE_CUT,       /* .text: "too deep", "refers to what it is within" */
};

/* NUL-terminated UTF-8, foreign; a NUL within counts in len. */
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
	 * The class or type's name, as Java has it: "long", "[J",
	 * "javax.management.openmbean.CompositeDataSupport"; of a composite,
	 * its type's name ("java.lang.management.MemoryUsage").  Foreign; "" =
	 * not known.
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

/* Each makes one in the arena; the text is copied. */
struct value *value_new(struct arena *a, enum value_kind kind,
			const char *type);
struct value *value_integer(struct arena *a, const char *type, int64_t integer);
struct value *value_text(struct arena *a, enum value_kind kind,
			 const char *type, const char *text, size_t len);
/* Text is NUL-terminated: a String. */
struct value *value_string(struct arena *a, const char *text);

/* The member of a composite or object of that name, or NULL; v may be NULL. */
const struct value *value_member(const struct value *v, const char *name);

/* The integer or boolean; otherwise for other values.  v may be NULL. */
int64_t value_integer_of(const struct value *v, int64_t otherwise);
/* .text, NUL-terminated; NULL for other kinds; v may be NULL. */
const char *value_text_of(const struct value *v);

/* True for the kinds whose value is .text. */
bool value_has_text(const struct value *v);

/*
 * Appends the shortest digits that read back as a VALUE_REAL's number, which is
 * a float when its type says so; "NaN", "Infinity", "-Infinity" as in Java.
 */
void value_add_real(struct text *out, const struct value *v);

/* Appends ms since 1970 as "2026-11-21T20:19:00.123Z", any of 64 bits. */
void value_add_date(struct text *out, int64_t ms);

/*
 * Finds a part by a path: "used", "key.member", "0.name": members of composites
 * and objects, keys of maps and of tables (in a row of one key and one value,
 * the value), indices of arrays.  Names may contain dots: the longest name that
 * exists is taken.  A part of null is null.  NULL when there is none.
 */
const struct value *value_path(const struct value *v, const char *path);

struct value_dialect;
typedef void value_json_fn(struct json *j, const struct value_dialect *d,
			   const struct value *v);

/*
 * How a JSON document spells what JSON does not have.  Each function writes one
 * JSON value and writes the values in it by value_json_as().
 */
struct value_dialect {
	value_json_fn *table, *map, *object, *name, *number, *error, *cut;
};

/*
 * That of mx and mxdump: a table is an array of objects; a map is an object
 * when its keys are text, else an array of {"key", "value"}; an object has
 * "@class" before its fields; a name is a string; a number keeps all its
 * digits; an error is {"$error": "class: message"}, a truncated value
 * {"$cut": "why"}.
 */
extern const struct value_dialect value_dialect_mx;

/*
 * Writes one JSON value.  Integers keep all their digits; NaN and infinities
 * are strings; a date is "2026-11-21T20:19:00.123Z".
 */
void value_json_as(struct json *j, const struct value_dialect *d,
		   const struct value *v);

/* The same by value_dialect_mx. */
void value_json(struct json *j, const struct value *v);

/*
 * Appends a value for a person, on one line where it is simple; composites and
 * tables as SJK prints them, indented by indent columns on every line but the
 * first.  Table cells of more than cell_width characters are truncated and end
 * with "..."; 0: no limit.  Foreign text passes safe_text.  No line ends with
 * spaces, and the last one has no newline.
 */
void value_print(struct text *out, const struct value *v, unsigned indent,
		 size_t cell_width);

/* Appends a value on one line, for a table cell or CSV; not made safe. */
void value_cell(struct text *out, const struct value *v);

#endif
