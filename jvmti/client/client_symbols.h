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
#include "core/hotspot/java_symbols.h"

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

#endif
