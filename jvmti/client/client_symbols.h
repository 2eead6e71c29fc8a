/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_symbols: what the records of an agent say of a JVM's code.
 *
 * The file they are in is the JVM's: whatever stands there is taken for no more
 * than names, within bounds.
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
 * Takes in whole records (agent_protocol.h) from the beginning of some bytes;
 * how many bytes they were.  What is left may be the beginning of one.  False
 * when it can be none: what follows cannot be read.
 */
bool client_symbols_take(struct client_symbols *s, const void *bytes,
			 size_t len, size_t *taken);

/*
 * Before each batch of records and of names: what they may take together is
 * bounded, since who writes the records may mean ill.
 */
void client_symbols_begin(struct client_symbols *s);

/* The same, asked from now on; lives as long as s. */
struct java_symbols *client_symbols_of(struct client_symbols *s);

struct client_symbols_counts {
	uint64_t methods, code; /* known now */
	uint64_t rejected;      /* records that made no sense, or had no room */
	uint64_t dropped;       /* code and lookups that were too much work */
};

void client_symbols_counts(const struct client_symbols *s,
			   struct client_symbols_counts *counts);

/*
 * Which code was where in a JVM, and when.
 *
 * Memory of code is used again: a piece of code has a range of addresses and a
 * span of time.  What has gone longest is forgotten first when there is too
 * much.  What a JVM that lies has overlap everywhere is bounded by the work
 * that it makes, and what that leaves out is counted.
 */

struct code {
	uint64_t start, end;   /* [start, end) */
	uint64_t from, until;  /* CLOCK_MONOTONIC, ns; UINT64_MAX = is there */
	bool is_method;        /* else it is generated code */
	uint32_t name;         /* the caller's, of method or code */
	const uint8_t *places; /* of a method: AGENT_LOAD's, from their count */
	uint32_t places_len;
};

struct code_map;

/* memory: bytes that all of it may take. */
struct code_map *code_map_new(size_t memory);
void code_map_free(struct code_map *m); /* NULL is fine */

/* Some milliseconds' work may be done until the next time. */
void code_map_begin(struct code_map *m);

/*
 * Adds code, whose places are copied.  What overlaps it has gone by then, but
 * for code that was generated, in which other code may be.  False: it makes no
 * sense, or there is no room.
 */
bool code_map_add(struct code_map *m, const struct code *c);

/* The method's code that begins there has gone. */
void code_map_remove(struct code_map *m, uint64_t start, uint64_t time_ns);

/*
 * What was at an address at a time, or NULL; valid until the next addition.
 * Code is announced a while after it is there, so what came a moment later will
 * do when there was nothing else.
 */
const struct code *code_map_find(const struct code_map *m, uint64_t address,
				 uint64_t time_ns);

size_t code_map_count(const struct code_map *m);
/* What was left out though it was there: too much work. */
uint64_t code_map_dropped(const struct code_map *m);

/*
 * The client's end of the stream file (agent_protocol.h).
 *
 * The file is the JVM's, whose user may write to it, cut it, or take its room
 * away: what cannot be read is an error, once, and nothing after it is.
 */

struct client_stream {
	int fd; /* holds the lock; -1 = none */
	struct agent_orders orders;
	struct agent_report report; /* as it was last read */
	uint64_t punched;           /* up to there its memory was given back */
	struct text left;           /* the beginning of a record */
	bool is_broken;             /* what it writes cannot be read */
};

/*
 * wants: bits of enum agent_want; interval for SampledObjectAlloc, UINT64_MAX =
 * as it is.  There is no file yet; client_stream_close() is due.
 */
void client_stream_init(struct client_stream *s, unsigned wants,
			uint64_t interval);

/* Takes the file, which has the orders in it, over, and locks it. */
int client_stream_hold(struct client_stream *s, int fd, struct error *err);
void client_stream_close(struct client_stream *s);

/* Looks what the agent reports; ERROR_PARTIAL when that makes no sense. */
int client_stream_look(struct client_stream *s, struct error *err);

/*
 * The same, and takes in all that it had written by then.  ERROR_PARTIAL, the
 * first time, when that cannot be read; then nothing more happens.
 */
int client_stream_read(struct client_stream *s, struct client_symbols *symbols,
		       struct error *err);

#endif
