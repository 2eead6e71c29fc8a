/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accounting: an account of resident memory while it is made; private to
 * core/mem.
 */
#ifndef CORE_MEM_ACCOUNTING_H
#define CORE_MEM_ACCOUNTING_H

#include "core/base/map64.h"
#include "core/hotspot/object_fields.h"
#include "core/hotspot/process_view.h"
#include "core/jvm/perfdata.h"
#include "core/mem/account.h"
#include "core/mem/claims.h"
#include "core/mem/pages.h"
#include "core/mem/smaps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * ---- class_graph.c ----
 *
 * The loaded classes of a JVM, from the graph of its class loaders or, in JDK
 * 8, from its system dictionary.  The places of classes and of their constant
 * pools lead to the metaspace, whose ranges no JVM since 16 exports.
 */
enum { GRAPH_GRANULE_SHIFT = 16 }; /* metaspace is committed in 64 KB */

struct graph_class {
	uint64_t klass; /* addresses of the class and of its name */
	uint64_t symbol : 48;
	uint64_t name_len : 16; /* 0 = unreadable */
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
 * Reads the graph within half a second of CPU time.  pages may be NULL: then
 * pages that are not resident are read, too.  False if the JVM exports neither
 * the graph nor the dictionary.  class_graph_release() must follow.
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

/* Since then, metaspace is in aligned reservations (JDK-8251158). */
enum { JDK_OF_NODES = 16 };

/* Before, a reservation had this size unless a class needed more. */
enum { OLD_NODE_BYTES = 2 << 20 };

struct accounting {
	struct mem_account *out;
	const struct jvm *jvm;
	struct smaps smaps;
	struct pages *pages;       /* NULL: unreadable */
	struct perfdata *counters; /* NULL: there are none */
	/* NULL: the memory is unreadable, or no HotSpot JVM's. */
	struct process_view *view;
	const struct vm_structs *v; /* NULL as well if there are no tables */
	struct memory *memory;      /* NULL: unreadable */
	struct field_reader fields; /* valid if has_fields */
	bool has_fields;
	struct class_graph classes;
	bool has_classes;
	bool has_nodes; /* JDK_OF_NODES, or later */
	unsigned looks; /* for blocks of malloc() next to the metaspace */
	struct claims claims;
	bool is_glibc;
	size_t stack_cap, range_cap;
	unsigned head_reads; /* requests for the heads of blocks */
};

/* Appends a line to the limits. */
void account_limit(struct accounting *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Adds the resident and swapped pages of a range, and its share of the
 * mapping's huge pages, to *size.  The range is within the mapping.  Returns
 * the bytes that are shared, as in struct page_sum.
 */
uint64_t account_measure(struct accounting *a, size_t mapping, uint64_t start,
			 uint64_t end, struct mem_size *size);

/* Returns the index of the mapping that has the address, or SIZE_MAX. */
size_t account_mapping(const struct accounting *a, uint64_t address);

/*
 * ---- jvm_ranges.c ----
 *
 * The ranges that a HotSpot JVM's structures lead to.  Each makes a batch of
 * claims, or a limit.
 */
void account_heap(struct accounting *a);
void account_gc(struct accounting *a);
void account_code(struct accounting *a);
void account_metaspace(struct accounting *a);

/* Returns the address of the JVM's CollectedHeap; 0 = unknown. */
uint64_t account_heap_object(const struct accounting *a);

/* Finds a field in the first of some types, up to NULL, that has it. */
bool account_offset(const struct accounting *a, const char *const types[],
		    const char *field, uint32_t *out);

/* A field of the structure that the field before leads to. */
struct heap_field {
	const char *type, *field; /* NULL: the end */
	bool is_pointer;          /* otherwise the field is the structure */
};

/*
 * Reads the word at the end of a path from the CollectedHeap.  Returns false if
 * this JVM does not have the path.
 */
bool account_heap_value(const struct accounting *a,
			const struct heap_field path[], uint64_t *out);

/*
 * Reads a field of ZGC's page allocator.  In JDK 21 to 23, which have ZGC with
 * and without generations, the names of the latter begin with X.
 */
bool account_z_value(const struct accounting *a, const char *field,
		     uint64_t *out);

/*
 * ---- heap_objects.c ----
 *
 * After the sums: how much of the heap objects take.
 */
void account_objects(struct accounting *a);

/* ---- stacks.c ---- */

/* Claims the stacks of living threads. */
void account_stacks(struct accounting *a);
/* After the claims: the sizes and the order of the stacks. */
void account_measure_stacks(struct accounting *a);

/* ---- mem_direct.c ---- */
void account_direct(struct accounting *a);

/* ---- shapes.c: from the mappings alone ---- */

/* Returns the part of mapping i, which has a file or a name of the kernel. */
enum mem_part shape_of_path(const struct mappings *m, size_t i,
			    const char **detail);

/* Which tables a collector has, besides card and offset tables. */
struct gc_shape {
	bool has_bitmaps; /* all but Serial */
	bool has_stack;   /* G1, CMS and ZGC: a mark stack of 32 MB */
};

/*
 * True if tables of collectors for a heap of so many bytes have that size
 * together: bitmaps of 1/64, offset and card tables of 1/512 of the heap, and
 * a mark stack.
 */
bool shape_is_of_gc(uint64_t size, uint64_t heap, struct gc_shape shape);
/*
 * True if it is that of one bitmap or two, and of small neighbors with which
 * the kernel merged them.
 */
bool shape_has_bitmaps(uint64_t size, uint64_t heap);
/* True if it is that of one table of the committed part of a heap. */
bool shape_is_of_committed(uint64_t size, uint64_t committed,
			   struct gc_shape shape);

/* Claims what is left of anonymous mappings. */
void account_rest(struct accounting *a);
/* Instead of the JVM's structures if the memory is unreadable. */
void account_shapes(struct accounting *a);

#endif
