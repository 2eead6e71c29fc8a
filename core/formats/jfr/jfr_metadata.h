/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_metadata: the types of one chunk.
 *
 * Each chunk describes its own types. Ids, fields and their order differ
 * between JVMs and chunks, so everything is looked up by name.
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

/* The unit of a numeric field, from its annotations. */
enum jfr_unit {
	JFR_UNIT_NONE,
	JFR_UNIT_TICKS, /* ticks of the chunk's clock */
	JFR_UNIT_NS,
	JFR_UNIT_US,
	JFR_UNIT_MS,
	JFR_UNIT_S,
	JFR_UNIT_BYTES,
	JFR_UNIT_BITS,
};

/* How a value is encoded. */
enum jfr_wire {
	JFR_WIRE_STRUCT, /* its fields, one after another */
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
	bool is_array; /* a count, followed by as many values */
	enum jfr_unit unit;
	bool is_moment; /* a time, not a time span */
	bool is_unsigned;
};

struct jfr_type {
	uint64_t id;
	const char *name; /* jdk.ExecutionSample, java.lang.String, int */
	bool is_event;    /* its super class is jdk.jfr.Event */
	bool is_simple;   /* a value of its only field stands for it */
	enum jfr_wire wire;
	size_t first_field, field_count; /* index into jfr_metadata.fields */
};

struct jfr_metadata {
	struct jfr_type *types;
	size_t type_count, type_cap;
	struct jfr_field *fields;
	size_t field_count, field_cap;
	struct map64 by_id; /* index into types */
	struct arena arena;
	bool damaged; /* the last types are missing */
};

/*
 * Reads a metadata event, whose start time, duration and id have been read from
 * c.  Fails with ERROR_INPUT; m is then empty.  Damage after complete types is
 * not a failure.
 */
int jfr_metadata_read(struct jfr_metadata *m, struct cursor c,
		      struct error *err);

/* Returns the type of that id, or NULL. */
const struct jfr_type *jfr_type_by_id(const struct jfr_metadata *m,
				      uint64_t id);

/* Returns the field called name, or NULL. */
const struct jfr_field *jfr_type_field(const struct jfr_metadata *m,
				       const struct jfr_type *t,
				       const char *name);

/*
 * Returns the last part of a type's name: JDK 9 and 10 use
 * com.oracle.jfr.types.Method, later JDKs jdk.types.Method.
 */
const char *jfr_type_short_name(const struct jfr_type *t);

void jfr_metadata_release(struct jfr_metadata *m);

#endif
