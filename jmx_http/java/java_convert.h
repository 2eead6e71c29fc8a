/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_convert: a graph of Java objects on its way to become a value.
 *
 * Private to java_to_value: java_to_value.c goes from object to object,
 * java_known.c converts the classes whose form is known.
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
 * Values, and what costs as much as one: 64 bytes of text, eight fields.  What
 * that takes, some 128 MB, comes on top of JAVA_MEMORY_MAX.
 */
#define CONVERT_COST_MAX ((size_t)2000000)

struct java_convert {
	struct arena *arena;
	size_t left; /* of CONVERT_COST_MAX */
	const struct java_value *path[VALUE_DEPTH_MAX]; /* what it is within */
	size_t depth;
	/* Texts by where the stream has them: names are said once. */
	struct map64 text_ids;
	struct value_text *texts;
	size_t text_count, text_cap;
	/* Classes by address: which of the known ones, or 0. */
	struct map64 class_ids;
};

/* Begins one; java_convert_end() is due. */
struct java_convert java_convert_into(struct arena *a);
void java_convert_end(struct java_convert *c);

/* Charges the budget; false when it is exhausted. */
bool java_convert_pay(struct java_convert *c, size_t cost);

/*
 * Charges for a scan of v's fields by name: an object may have any number of
 * fields and be referenced any number of times.
 */
bool java_convert_pay_fields(struct java_convert *c,
			     const struct java_value *v);

/* UTF-8 in the arena, the same for the same bytes; "" beyond the budget. */
struct value_text java_convert_text(struct java_convert *c,
				    struct java_bytes bytes);

/* A value of the arena, zeroed but for these; type is kept as it is. */
struct value *java_convert_new(struct java_convert *c, enum value_kind kind,
			       const char *type);

/* A value and what is within it; v may be NULL. */
const struct value *java_convert_value(struct java_convert *c,
				       const struct java_value *v);

/* A VALUE_CUT; why is a literal. */
const struct value *java_convert_cut(struct java_convert *c, const char *why);

/* An object's class and fields, whatever it is. */
const struct value *java_convert_fields(struct java_convert *c,
					const struct java_value *v);

/* The name of an object's class. */
const char *java_convert_type(struct java_convert *c,
			      const struct java_value *v);

/* Which known class goes by that very name; 0: none does. */
uint32_t java_known_find(struct java_bytes class_name);

/* An object of a known class; NULL when it is not what its class writes. */
const struct value *java_known_convert(struct java_convert *c, uint32_t id,
				       const struct java_value *v);

#endif
