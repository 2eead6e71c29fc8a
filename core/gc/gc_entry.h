/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_entry: a pause or cycle that owns its strings and phases, and a queue of
 * them, for sources that complete records out of order.
 */
#ifndef CORE_GC_GC_ENTRY_H
#define CORE_GC_GC_ENTRY_H

#include "core/base/arena.h"
#include "core/base/lines.h"
#include "core/gc/gc_pause.h"

#include <stdbool.h>
#include <stddef.h>

#define GC_ENTRY_PHASES  512 /* further phases are omitted */
#define GC_ENTRY_STRINGS 512 /* bytes without an arena */

struct gc_entry {
	struct gc_pause pause;
	struct gc_phase *phases;
	size_t phase_count, phase_cap;
	struct gc_entry *next; /* in the queue */
	/* Strings; most records have few, so that they need no arena. */
	char first[GC_ENTRY_STRINGS];
	size_t first_used;
	struct arena strings;
};

/* A new record, all of whose values are absent. */
struct gc_entry *gc_entry_new(void);
void gc_entry_free(struct gc_entry *r); /* NULL is allowed */

/* Returns a copy of a text that lives as long as the record; NULL if empty. */
const char *gc_entry_string(struct gc_entry *r, struct line text);

/* Appends a phase; its name is copied. */
void gc_entry_add_phase(struct gc_entry *r, struct line name,
			const struct gc_phase *phase);

/* First in, first out. A zeroed struct is empty. */
struct gc_entry_queue {
	struct gc_entry *first, *last;
	struct gc_entry *given; /* whose strings the caller may use */
};

/* Takes ownership of r. */
void gc_entry_put(struct gc_entry_queue *q, struct gc_entry *r);

/* Fills *p with the first record; false if the queue is empty. */
bool gc_entry_take(struct gc_entry_queue *q, struct gc_pause *p);

void gc_entry_queue_release(struct gc_entry_queue *q);

#endif
