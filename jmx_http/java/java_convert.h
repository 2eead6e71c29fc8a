/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_convert: state of the conversion of a graph of Java objects to a value.
 *
 * Private to java_to_value: java_to_value.c walks the graph, java_known.c
 * converts objects of known classes.
 *
 * The graph is hostile: it may have cycles and repeat the same object.  All
 * work is charged to one budget, which ends the conversion.
 */
#ifndef JMX_HTTP_JAVA_JAVA_CONVERT_H
#define JMX_HTTP_JAVA_JAVA_CONVERT_H

#include "core/base/map64.h"
#include "jmx_http/java/java_value.h"
#include "jmx_http/value/value.h"

/*
 * The budget in values; 64 bytes of text, or eight fields, cost as much as one
 * value.  A conversion uses at most 128 MB, in addition to JAVA_MEMORY_MAX.
 */
#define CONVERT_COST_MAX ((size_t)2000000)

struct java_convert {
	struct arena *arena;
	size_t left; /* the rest of CONVERT_COST_MAX */
	/* The objects and arrays that contain the current value. */
	const struct java_value *path[VALUE_DEPTH_MAX];
	size_t depth;
	/* Texts by their address in the stream, so that each is copied once. */
	struct map64 text_ids;
	struct value_text *texts;
	size_t text_count, text_cap;
	/* Ids of known classes, or 0, by the address of the class. */
	struct map64 class_ids;
};

/* Begins a conversion; the caller ends it with java_convert_end(). */
struct java_convert java_convert_into(struct arena *a);
void java_convert_end(struct java_convert *c);

/* Charges the budget; false if it is exhausted. */
bool java_convert_pay(struct java_convert *c, size_t cost);

/*
 * Charges for a scan of v's fields by name: an object may have any number of
 * fields and be referenced any number of times.
 */
bool java_convert_pay_fields(struct java_convert *c,
			     const struct java_value *v);

/* Returns UTF-8 in the arena; "" if the budget is exhausted. */
struct value_text java_convert_text(struct java_convert *c,
				    struct java_bytes bytes);

/* Allocates a zeroed value of a kind; type is not copied. */
struct value *java_convert_new(struct java_convert *c, enum value_kind kind,
			       const char *type);

/* Converts a value and its parts; v may be NULL. */
const struct value *java_convert_value(struct java_convert *c,
				       const struct java_value *v);

/* Makes a VALUE_CUT; why is not copied. */
const struct value *java_convert_cut(struct java_convert *c, const char *why);

/* The name of an object's class. */
const char *java_convert_type(struct java_convert *c,
			      const struct java_value *v);

/* The id of the known class with the name; 0: none. */
uint32_t java_known_find(struct java_bytes class_name);

/*
 * Converts an object whose class, or a superclass, has the id.  NULL if the
 * object does not have the form that the known class writes.
 */
const struct value *java_known_convert(struct java_convert *c, uint32_t id,
				       const struct java_value *v);

#endif
