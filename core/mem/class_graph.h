/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class_graph: the loaded classes of a JVM, from the graph of its class loaders
 * or, in JDK 8, from its system dictionary.
 *
 * The places of classes and of their constant pools lead to the metaspace,
 * whose ranges no JVM since 16 exports.
 */
#ifndef CORE_MEM_CLASS_GRAPH_H
#define CORE_MEM_CLASS_GRAPH_H

#include "core/base/map64.h"
#include "core/hotspot/object_fields.h"
#include "core/mem/pages.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GRAPH_GRANULE_SHIFT = 16 }; /* metaspace is committed in 64 KB */

struct graph_class {
	uint64_t klass, symbol; /* addresses of the class and of its name */
	uint16_t name_len;      /* 0 = unreadable */
};

struct class_graph {
	uint64_t loaders;
	struct graph_class *all;
	size_t count, cap;
	/* Addresses >> GRANULE_SHIFT of classes and of their constant pools. */
	struct map64 class_granules, pool_granules;
	bool is_complete; /* no limit or unreadable memory ended the walk */
};

/*
 * Reads the graph within half a second.  pages may be NULL: then pages that are
 * not resident are read, too.  False if the JVM exports neither the graph nor
 * the dictionary.  class_graph_release() must follow.
 */
bool class_graph_read(struct class_graph *g, const struct field_reader *r,
		      struct pages *pages);
void class_graph_release(struct class_graph *g); /* zeroed is allowed */

/*
 * Finds classes whose names, as in the JVM ("a/B"), end with a text; with
 * is_whole, those with that name.  Sets out[] to their Klass*; returns their
 * number.
 */
size_t class_graph_find(struct class_graph *g, const struct field_reader *r,
			const char *name, bool is_whole, uint64_t *out,
			size_t most);

#endif
