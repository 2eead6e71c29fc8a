/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_metadata: what the types of one chunk look like.
 *
 * Every chunk describes its own types: ids, fields and their order differ from
 * JVM to JVM and from chunk to chunk, so all is looked up by name.
 */
#ifndef CORE_FORMATS_JFR_JFR_METADATA_H
#define CORE_FORMATS_JFR_JFR_METADATA_H

#include "core/base/arena.h"
#include "core/base/cursor.h"
#include "core/base/error.h"
#include "core/base/map64.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a number of a field counts; from the field's annotations. */
enum jfr_unit {
	JFR_UNIT_NONE,
	JFR_UNIT_TICKS, /* of the chunk's clock */
	JFR_UNIT_NS,
	JFR_UNIT_US,
	JFR_UNIT_MS,
	JFR_UNIT_S,
	JFR_UNIT_BYTES,
	JFR_UNIT_BITS,
};

/* How a value is encoded. */
enum jfr_wire {
	JFR_WIRE_STRUCT, /* its fields, one after the other */
	JFR_WIRE_VARINT, /* short, char, int, long */
	JFR_WIRE_BYTE,   /* boolean, byte */
	JFR_WIRE_4,      /* float */
	JFR_WIRE_8,      /* double */
	JFR_WIRE_STRING,
};

struct jfr_field {
	const char *name;
	uint64_t type_id;
	bool in_pool;  /* the value is a key into the type's constant pool */
	bool is_array; /* a count, then that many */
	enum jfr_unit unit;
	bool is_moment; /* a time, not a time span */
};

struct jfr_type {
	uint64_t id;
	const char *name; /* jdk.ExecutionSample, java.lang.String, int */
	const char *super;
	enum jfr_wire wire;
	size_t first_field, field_count; /* in jfr_metadata.fields */
};

struct jfr_metadata {
	struct jfr_type *types;
	size_t type_count, type_cap;
	struct jfr_field *fields;
	size_t field_count, field_cap;
	struct map64 by_id; /* index into types */
	struct arena arena;
	bool damaged; /* types are missing, the last ones */
};

/*
 * Reads a metadata event, c standing behind its start time, duration and id.
 * Fails with ERROR_INPUT; m is then empty.  Damage behind some whole types is
 * no failure.
 */
int jfr_metadata_read(struct jfr_metadata *m, struct cursor c,
		      struct error *err);

/* The type of that id, or NULL. */
const struct jfr_type *jfr_type_by_id(const struct jfr_metadata *m,
				      uint64_t id);

/* True for the type of an event. */
bool jfr_type_is_event(const struct jfr_type *t);

/* The field called name, or NULL. */
const struct jfr_field *jfr_type_field(const struct jfr_metadata *m,
				       const struct jfr_type *t,
				       const char *name);

/*
 * The last part of a type's name: JDK 9 and 10 say com.oracle.jfr.types.Method
 * where later ones say jdk.types.Method.
 */
const char *jfr_type_short_name(const struct jfr_type *t);

void jfr_metadata_release(struct jfr_metadata *m);

#endif
