/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_symbols: names of code from an agent's records.
 *
 * The records are in a file of the JVM, so they are foreign: they are used only
 * as names, within bounds.
 */
#ifndef JVMTI_CLIENT_CLIENT_SYMBOLS_H
#define JVMTI_CLIENT_CLIENT_SYMBOLS_H

#include "core/base/cursor.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/hotspot/java_symbols.h"
#include "jvmti/agent/agent_protocol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct client_symbols;

struct client_symbols *client_symbols_new(void);
void client_symbols_free(struct client_symbols *s); /* NULL is fine */

/*
 * Adds complete records (agent_protocol.h) from the start of some bytes and
 * stores their length in *taken.  The rest may be an incomplete record. Returns
 * false when the rest cannot be a record; then later records are unreadable.
 */
bool client_symbols_take(struct client_symbols *s, const void *bytes,
			 size_t len, size_t *taken);

/*
 * Call before each batch of records and of names.  It resets the limit of the
 * work for a batch, because the writer of the records may be hostile.
 */
void client_symbols_begin(struct client_symbols *s);

/* Returns the interface to the names; it lives as long as s. */
struct java_symbols *client_symbols_of(struct client_symbols *s);

struct client_symbols_counts {
	uint64_t methods, code; /* currently known */
	uint64_t rejected;      /* invalid records, and records without room */
	uint64_t dropped;       /* code and lookups beyond the work limit */
};

void client_symbols_counts(const struct client_symbols *s,
			   struct client_symbols_counts *counts);

/*
 * ---- code by address and time ----
 *
 * Memory of code is reused, so a piece of code has a range of addresses and a
 * span of time.  When memory runs short, the code that ended first is removed
 * first.  A hostile JVM may report code that overlaps everywhere: the work is
 * limited, and the omitted code is counted.
 */

struct code {
	uint64_t start, end;  /* [start, end) */
	uint64_t from, until; /* CLOCK_MONOTONIC, ns; until = UINT64_MAX: it
				 still exists */
	bool is_method;       /* otherwise generated code */
	uint32_t name; /* id in the caller's names, of the method or the code */
	const uint8_t *places; /* of a method: AGENT_LOAD's places, starting at
				  their count */
	uint32_t places_len;
};

struct code_map;

/* memory is the maximum number of bytes of the map. */
struct code_map *code_map_new(size_t memory);
void code_map_free(struct code_map *m); /* NULL is fine */

/* Resets the limit of the work, which is some milliseconds. */
void code_map_begin(struct code_map *m);

/*
 * Adds code; copies its places.  Overlapping code is marked as gone, except for
 * generated code, which may contain other code.  Returns false if the code is
 * invalid or there is no room.
 */
bool code_map_add(struct code_map *m, const struct code *c);

/* Marks a method's code as gone. */
void code_map_remove(struct code_map *m, uint64_t start, uint64_t time_ns);

/*
 * Returns the code at an address at a time, or NULL; valid until the next
 * addition.  Code is reported shortly after it was installed, so code that came
 * a moment later is returned if there is no other.
 */
const struct code *code_map_find(const struct code_map *m, uint64_t address,
				 uint64_t time_ns);

size_t code_map_count(const struct code_map *m);
/* Returns the number of pieces omitted because of the work limit. */
uint64_t code_map_dropped(const struct code_map *m);

/*
 * ---- the client's end of the stream file (agent_protocol.h) ----
 *
 * The file belongs to the JVM's user, who may write to it, truncate it, or fill
 * its file system.  Unreadable contents cause one error; nothing after them is
 * read.
 */

struct client_stream {
	int fd; /* holds the lock; -1 = none */
	struct agent_orders orders;
	struct agent_report report; /* as it was read last */
	uint64_t punched;           /* position up to which memory was freed */
	struct text left;           /* an incomplete record */
	bool is_broken;             /* the contents are unreadable */
};

/*
 * wants: bits of enum agent_want; interval for SampledObjectAlloc, UINT64_MAX =
 * unchanged.  The stream has no file; client_stream_close() must follow.
 */
void client_stream_init(struct client_stream *s, unsigned wants,
			uint64_t interval);

/* Takes over the file, which has the orders in it, and locks it. */
int client_stream_hold(struct client_stream *s, int fd, struct error *err);
void client_stream_close(struct client_stream *s);

/* Reads the agent's report.  ERROR_PARTIAL when it is invalid. */
int client_stream_read_report(struct client_stream *s, struct error *err);

/* Receives records as client_symbols_take() does. */
struct client_sink {
	bool (*take)(void *self, const void *bytes, size_t len, size_t *taken);
	void *self;
};

int client_stream_read_into(struct client_stream *s,
			    const struct client_sink *sink, struct error *err);

/*
 * Reads the report and all records written by then.  ERROR_PARTIAL, the first
 * time, when they are unreadable; then nothing more is read.
 */
int client_stream_read(struct client_stream *s, struct client_symbols *symbols,
		       struct error *err);

#endif
