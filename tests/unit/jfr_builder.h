/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_builder: writes valid and damaged JFR chunks for tests.
 *
 * A chunk is written from start to end, with metadata, checkpoints and events
 * in any order.  Tests that need damage patch the bytes afterwards.
 */
#ifndef TESTS_UNIT_JFR_BUILDER_H
#define TESTS_UNIT_JFR_BUILDER_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The fields of a chunk's header; sizes are filled in. */
struct jfr_header {
	uint16_t major, minor;
	uint64_t size, checkpoint, metadata;
	int64_t start_ns, duration_ns, start_ticks, ticks_per_second;
	uint8_t state;
	uint16_t flags;
};

struct jfr_chunk {
	struct text bytes;
	struct jfr_header header;
	size_t event; /* start of the open event */
};

struct jfr_field_spec {
	const char *name; /* NULL ends the fields */
	uint64_t type;
	const char *how;  /* "pool", "array" or "pool array"; NULL: inline */
	const char *unit; /* "Timestamp=TICKS", an annotation, or NULL */
};

struct jfr_type_spec {
	uint64_t id;
	const char *name;
	const char *super; /* or NULL */
	struct jfr_field_spec fields[8];
};

/*
 * Append parts of values.  A varint has up to 9 bytes, a padded one has exactly
 * width.
 */
void jfr_put_varint(struct text *t, uint64_t value);
void jfr_put_padded(struct text *t, uint64_t value, unsigned width);
void jfr_put_bytes(struct text *t, uint8_t encoding, const char *bytes,
		   size_t len);                        /* encodings 3 and 5 */
void jfr_put_string(struct text *t, const char *utf8); /* encoding 3 */

/* Begins a chunk of version 2.1, with a clock of 10^9 ticks per second. */
void jfr_chunk_begin(struct jfr_chunk *c);

/* Writes the metadata event of the types; the header refers to the last one. */
void jfr_metadata(struct jfr_chunk *c, const struct jfr_type_spec *types,
		  size_t count);

/*
 * Begin and end an event of this type id; the caller adds the payload in
 * between.
 */
void jfr_event_begin(struct jfr_chunk *c, uint64_t type);
void jfr_event_end(struct jfr_chunk *c);

/*
 * Begin and end a checkpoint with this number of pools, linked to the previous
 * one.
 */
void jfr_checkpoint_begin(struct jfr_chunk *c, uint64_t pools);
void jfr_checkpoint_end(struct jfr_chunk *c);

/* Writes the head of a pool; the caller adds count keys with their values. */
void jfr_pool_begin(struct jfr_chunk *c, uint64_t type, uint64_t count);

/* Writes the header and appends the chunk to a file. */
void jfr_chunk_end(struct jfr_chunk *c, struct text *file);

/*
 * A small set of types, as the JDK writes them except for their ids, with
 * contents: two stack traces, A.b;C.d and C.d alone, threads, frame types.
 */
enum {
	T_BOOLEAN = 4,
	T_CHAR,
	T_INT,
	T_LONG,
	T_FLOAT,
	T_STRING = 20,
	T_SYMBOL = 30,
	T_CLASS,
	T_LOADER,
	T_METHOD,
	T_FRAME_TYPE,
	T_FRAME,
	T_STACK_TRACE,
	T_THREAD,
	T_STATE,
	T_TIMESTAMP = 50,
	T_TIMESPAN,
	T_AMOUNT,
	T_SAMPLE = 109,
	T_ALLOC,
	T_PARK,
};

extern const struct jfr_type_spec jfr_usual_types[];
extern const size_t jfr_usual_type_count;

enum { STACK_DEEP = 7, STACK_FLAT = 8, THREAD_MAIN = 1, STATE_KEY = 5 };

void jfr_usual_pools(struct jfr_chunk *c); /* one checkpoint */

/* Writes a jdk.ExecutionSample with this time and key of a stack trace. */
void jfr_sample(struct jfr_chunk *c, uint64_t ticks, uint64_t stack);

/* Writes a jdk.ObjectAllocationSample of weight bytes. */
void jfr_alloc(struct jfr_chunk *c, uint64_t stack, uint64_t weight);

/* Begins a chunk with the usual metadata. */
void jfr_usual_begin(struct jfr_chunk *c);

/*
 * jfr_own_types() returns a copy of the usual types with space for more;
 * jfr_type_of() finds one of them by name.
 */
struct jfr_type_spec *jfr_own_types(size_t more);
struct jfr_type_spec *jfr_type_of(struct jfr_type_spec *types,
				  const char *name);

/*
 * Appends a chunk with usual metadata and pools, and count samples at 0, 1, …
 * ms.
 */
void jfr_usual_chunk(struct text *file, size_t count);

/* The result of reading a file. */
struct jfr_result {
	struct profile *profile;
	int status;
	struct error err;
};

struct jfr_result jfr_read_back(const void *bytes, size_t len);

/* Read a constructed file, or a file of one chunk, and release it. */
struct jfr_result jfr_read_file(struct text *file);
struct jfr_result jfr_read_chunk(struct jfr_chunk *c);

void jfr_forget(struct jfr_result *r);

uint64_t jfr_samples_of(const struct profile *p, const char *event);
uint64_t jfr_all_samples(const struct profile *p);

/* Return the count of a remark, or 0 if there is none of this kind. */
uint64_t jfr_lost(const struct profile *p, const char *what);
uint64_t jfr_noted(const struct profile *p, const char *what);

/* Appends the stack traces of the event's samples: "A.b;C.d 2\n", sorted. */
void jfr_stacks(struct text *out, const struct profile *p, const char *event);

/*
 * Fails the test unless the file was read and the event has these stack traces.
 */
void jfr_check_stacks(const struct jfr_result *r, const char *event,
		      const char *want);

#endif
