/* SPDX-License-Identifier: Apache-2.0 */
/* jvm_ranges: what the structures of a HotSpot JVM claim. */
#include "core/base/alloc.h"
#include "core/hotspot/java_heap.h"
#include "core/hotspot/vm_flags.h"
#include "core/mem/accounting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* A node of the metaspace begins and ends at a multiple of it. */
	NODE_BYTES = 4 << 20,
	CARDS_MARGIN = 2 * PAGE_BYTES,
	HEAP_LEAST = 1 << 20,
	FIRST_NODE_BYTES = 4 * OLD_NODE_BYTES,
	LOOKS_MOST = 1 << 13, /* at pages that may begin a block of malloc() */
};

/* ---- the heap ---- */

static void heap_find_collector(struct accounting *a)
{
	enum { COLLECTORS = 7 };
	static const char *const names[COLLECTORS] = {
		"Serial", "Parallel", "G1", "Z", "Shenandoah", "CMS", "Epsilon",
	};
	bool is_used[COLLECTORS] = { false };
	const struct vm_flag flags[COLLECTORS] = {
		{ "UseSerialGC", &is_used[0] },
		{ "UseParallelGC", &is_used[1] },
		{ "UseG1GC", &is_used[2] },
		{ "UseZGC", &is_used[3] },
		{ "UseShenandoahGC", &is_used[4] },
		{ "UseConcMarkSweepGC", &is_used[5] },
		{ "UseEpsilonGC", &is_used[6] },
	};

	vm_flags_read(a->v, a->memory, flags, COLLECTORS);
	for (int i = 0; i < COLLECTORS; i++) {
		if (is_used[i])
			snprintf(a->out->heap.collector,
				 sizeof(a->out->heap.collector), "%s",
				 names[i]);
	}
}

bool account_offset(const struct accounting *a, const char *const types[],
		    const char *field, uint32_t *out)
{
	for (size_t i = 0; types[i]; i++) {
		if (vm_structs_offset(a->v, types[i], field, out))
			return true;
	}
	return false;
}

uint64_t account_heap_object(const struct accounting *a)
{
	uint64_t at;

	return vm_structs_static(a->v, "Universe", "_collectedHeap", &at)
		       ? memory_u64(a->memory, at)
		       : 0;
}

bool account_heap_value(const struct accounting *a,
			const struct heap_field path[], uint64_t *out)
{
	uint64_t at = account_heap_object(a);

	for (; path->type; path++) {
		uint32_t offset;

		if (!vm_structs_offset(a->v, path->type, path->field, &offset))
			return false;
		at += offset;
		if (path->is_pointer)
			at = memory_u64(a->memory, at);
	}
	return at && memory_read(a->memory, at, out, sizeof(*out));
}

bool account_z_value(const struct accounting *a, const char *field,
		     uint64_t *out)
{
	static const char *const types[][3] = {
		{ "XCollectedHeap", "XHeap", "XPageAllocator" },
		{ "ZCollectedHeap", "ZHeap", "ZPageAllocator" },
	};
	bool is_generational = false;
	const struct vm_flag flag = { "ZGenerational", &is_generational };

	vm_flags_read(a->v, a->memory, &flag, 1);
	for (size_t i = is_generational; i < 2; i++) {
		const struct heap_field path[4] = {
			{ types[i][0], "_heap", false },
			{ types[i][1], "_page_allocator", false },
			{ types[i][2], field, false },
		};

		if (account_heap_value(a, path, out))
			return true;
	}
	return false;
}

static uint64_t heap_max_of_z(const struct accounting *a)
{
	static const struct heap_field of_11[5] = {
		{ "ZCollectedHeap", "_heap", false },
		{ "ZHeap", "_page_allocator", false },
		{ "ZPageAllocator", "_physical", false },
		{ "ZPhysicalMemoryManager", "_max_capacity", false },
	};
	uint64_t max = 0;

	if (!account_z_value(a, "_max_capacity", &max))
		account_heap_value(a, of_11, &max);
	return max;
}

void account_heap(struct accounting *a)
{
	struct mem_heap *h = &a->out->heap;

	heap_find_collector(a);
	/* JDK 11 says that ZGC reserves all of its three views. */
	if (strcmp(h->collector, "Z") == 0) {
		h->max = heap_max_of_z(a);
	} else if (java_heap_range(a->v, a->memory, &h->start, &h->end)) {
		claims_add(&a->claims, h->start, h->end, MEM_HEAP, NULL);
		h->max = h->end - h->start;
	} else {
		h->start = h->end = 0;
		account_limit(a, "the range of the Java heap is unknown");
	}
	claims_settle(&a->claims);
}

/* ---- tables of the collector ---- */

static uint64_t card_table_find(const struct accounting *a)
{
	uint32_t set, table;
	uint64_t at;

	if (vm_structs_static(a->v, "BarrierSet", "_barrier_set", &at) &&
	    vm_structs_offset(a->v, "CardTableBarrierSet", "_card_table",
			      &table))
		return memory_u64(a->memory, memory_u64(a->memory, at) + table);
	/* JDK 8: the barrier set itself has the table. */
	if (vm_structs_offset(a->v, "CollectedHeap", "_barrier_set", &set))
		return memory_u64(a->memory, account_heap_object(a) + set);
	return 0;
}

/* True if all of [start, end) is anonymous memory with or without access. */
static bool range_is(const struct accounting *a, uint64_t start, uint64_t end,
		     bool is_readable)
{
	const struct mappings *m = &a->smaps.mappings;

	for (size_t i = account_mapping(a, start); start < end; i++) {
		if (i >= m->count || m->all[i].start > start ||
		    !smaps_is_anonymous(&m->all[i]) ||
		    m->all[i].is_readable != is_readable)
			return false;
		start = m->all[i].end;
	}
	return true;
}

/*
 * G1 commits a table in step with the heap, in whole pages.  True if the
 * committed pages of [start, start + size) are those of such a table, and if
 * the heap has memory that is not committed: otherwise any memory is alike.
 */
static bool table_fits(const struct accounting *a, uint64_t start,
		       uint64_t size)
{
	const struct mappings *m = &a->smaps.mappings;
	const struct mem_heap *h = &a->out->heap;
	const uint64_t ratio = h->max / size, mask = PAGE_BYTES - 1;
	bool has_gap = false;

	for (size_t i = account_mapping(a, h->start);
	     i < m->count && m->all[i].start < h->end; i++) {
		const struct mapping *one = &m->all[i];
		uint64_t from = start + (one->start - h->start) / ratio;
		uint64_t to = start + (one->end - h->start) / ratio;

		if (one->start < h->start || one->end > h->end)
			return false;
		from = (one->is_readable ? from : from + mask) & ~mask;
		to = (one->is_readable ? to + mask : to) & ~mask;
		has_gap = has_gap || (!one->is_readable && from < to);
		if (from < to && !range_is(a, from, to, one->is_readable))
			return false;
	}
	return has_gap;
}

/* Claims the tables that G1 reserved next to its card table. */
static void account_gc_neighbors(struct accounting *a, uint64_t start,
				 uint64_t bytes)
{
	enum { TABLES = 6 };
	const uint64_t sizes[] = { bytes, a->out->heap.max / 64 };
	uint64_t end = start + bytes;

	for (int i = 0; i < 2 * TABLES; i++) {
		uint64_t size = sizes[i % 2];

		if (table_fits(a, start - size, size)) {
			start -= size;
			claims_add(&a->claims, start, start + size, MEM_GC,
				   "next to the card table");
		}
		if (table_fits(a, end, size)) {
			claims_add(&a->claims, end, end + size, MEM_GC,
				   "next to the card table");
			end += size;
		}
	}
}

void account_gc(struct accounting *a)
{
	static const char *const types[] = { "CardTable", "CardTableModRefBS",
					     NULL };
	const struct mem_heap *h = &a->out->heap;
	uint64_t table = card_table_find(a), start, bytes;
	uint32_t map, size;

	/* ZGC and most of Shenandoah have none. */
	if (!table || !h->start || h->max < HEAP_LEAST ||
	    !account_offset(a, types, "_byte_map", &map) ||
	    !account_offset(a, types, "_byte_map_size", &size))
		return;
	start = memory_u64(a->memory, table + map);
	bytes = memory_u64(a->memory, table + size);
	/*
	 * A byte per 128 to 1,024 bytes of the heap (GCCardSizeInBytes); a
	 * barrier set without a table has another value there.
	 */
	if (account_mapping(a, start) == SIZE_MAX || bytes < h->max / 1024 ||
	    bytes > h->max / 128 + CARDS_MARGIN)
		return;
	claims_add(&a->claims, start, start + bytes, MEM_GC, "card table");
	if (strcmp(h->collector, "G1") == 0 && bytes % PAGE_BYTES == 0)
		account_gc_neighbors(a, start, bytes);
	claims_settle(&a->claims);
}

/* ---- the code cache ---- */

void account_code(struct accounting *a)
{
	struct code_heaps heaps;
	struct error err;

	if (code_heaps_read(&heaps, a->v, a->memory, &err)) {
		account_limit(a, "the code cache is unknown: %s", err.text);
		return;
	}
	for (size_t i = 0; i < heaps.count; i++) {
		const struct code_heap *h = &heaps.all[i];
		uint64_t bytes = h->high - h->low;

		a->out->code_size += bytes;
		claims_add(&a->claims, h->low, h->high, MEM_CODE, "code");
		/* A byte per segment. */
		claims_add(&a->claims, h->segment_map,
			   h->segment_map + (bytes >> h->segment_shift),
			   MEM_CODE, "segment map");
	}
	claims_settle(&a->claims);
}

/* ---- metaspace ---- */

static int granule_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Returns true for memory that may be metaspace, not a class data archive. */
static bool granule_is_metaspace(const struct accounting *a, uint64_t address)
{
	const struct mappings *m = &a->smaps.mappings;
	/* A granule may begin below its mapping. */
	const struct mapping *at = mappings_find(
		m, address + (1 << GRAPH_GRANULE_SHIFT) - 1);

	if (!at)
		at = mappings_find(m, address);
	return at && smaps_is_anonymous(at) && at->is_writable &&
	       !at->is_executable;
}

/*
 * Returns the end of the blocks of malloc() that begin at start, one by one.
 * After too many looks, there are none.
 */
static uint64_t blocks_skip(struct accounting *a, uint64_t start, uint64_t end)
{
	uint64_t words[2], size;
	uint8_t state = 0;

	while (a->is_glibc && a->pages && start < end &&
	       a->looks++ < LOOKS_MOST) {
		pages_read(a->pages, start, &state, 1);
		if (state != PAGE_RESIDENT ||
		    !memory_read(a->memory, start, words, sizeof(words)) ||
		    !glibc_is_mapped_block(words, end - start, &size))
			break;
		start += size;
	}
	return start;
}

/*
 * Claims [start, end) of one mapping, from the mapping's start or to its end if
 * these are near, except blocks of malloc() there: the kernel merges them with
 * the metaspace.
 */
static void metaspace_claim_old(struct accounting *a, uint64_t start,
				uint64_t end, const char *detail)
{
	size_t i = account_mapping(a, start);
	const struct mapping *m;
	uint64_t low;

	if (i == SIZE_MAX)
		i = account_mapping(a, end - 1);
	if (i == SIZE_MAX)
		return;
	m = &a->smaps.mappings.all[i];
	low = blocks_skip(a, m->start, start + (1 << GRAPH_GRANULE_SHIFT));
	if (start < low || start - low < OLD_NODE_BYTES)
		start = low;
	if (end > m->end || m->end - end < OLD_NODE_BYTES) {
		while (end < m->end && blocks_skip(a, end, m->end) != m->end)
			end += PAGE_BYTES;
		if (end > m->end)
			end = m->end;
	}
	claims_add(&a->claims, start, end, MEM_METASPACE, detail);
}

/*
 * True if blocks of malloc() separate two nodes.  Contents of the metaspace may
 * look like a block, but not like blocks up to about the next node.
 */
static bool range_has_blocks(struct accounting *a, uint64_t start, uint64_t end)
{
	const uint64_t near = 4 << GRAPH_GRANULE_SHIFT;

	for (; start < end && a->looks < LOOKS_MOST; start += PAGE_BYTES) {
		uint64_t behind = blocks_skip(a, start, end);

		if (behind > start && end - behind < near)
			return true;
	}
	return false;
}

/*
 * Claims the nodes that have these granules.  Since JDK 16 a node begins at a
 * multiple of its size.  Before, granules without a gap of a node's size in a
 * mapping are of one node.  The first node is larger, with little in its
 * middle.
 */
static void metaspace_claim(struct accounting *a, const struct map64 *granules,
			    const char *detail)
{
	uint64_t *all = xcalloc(granules->count + 1, sizeof(*all));
	const uint64_t granule = UINT64_C(1) << GRAPH_GRANULE_SHIFT;
	size_t count = 0;

	for (size_t i = 0; i < granules->size; i++) {
		uint64_t at = granules->entries[i].key << GRAPH_GRANULE_SHIFT;

		if (granules->entries[i].used && granule_is_metaspace(a, at))
			all[count++] = at;
	}
	if (count)
		qsort(all, count, sizeof(*all), granule_compare);
	for (size_t i = 0; i < count;) {
		size_t first = i++;
		uint64_t node = all[first] / NODE_BYTES * NODE_BYTES;
		size_t mapping = account_mapping(a, all[first]);

		if (a->has_nodes) {
			while (i < count && all[i] < node + NODE_BYTES)
				i++;
			claims_add(&a->claims, node, node + NODE_BYTES,
				   MEM_METASPACE, detail);
			continue;
		}
		while (i < count && account_mapping(a, all[i]) == mapping &&
		       (all[i] - all[i - 1] < OLD_NODE_BYTES ||
			(all[i] - all[i - 1] < FIRST_NODE_BYTES &&
			 !range_has_blocks(a, all[i - 1] + granule, all[i]))))
			i++;
		metaspace_claim_old(a, all[first], all[i - 1] + granule,
				    detail);
	}
	free(all);
	claims_settle(&a->claims);
}

void account_metaspace(struct accounting *a)
{
	struct class_graph *g = &a->classes;
	bool has_class_space = true; /* always since JDK 27 */
	const struct vm_flag flag = { "UseCompressedClassPointers",
				      &has_class_space };
	int64_t classes[4] = { 0 };
	static const char *const counters[4] = {
		"java.cls.loadedClasses", "java.cls.sharedLoadedClasses",
		"java.cls.unloadedClasses", "java.cls.sharedUnloadedClasses"
	};

	a->has_classes = a->has_fields &&
			 class_graph_read(g, &a->fields, a->pages);
	if (!a->has_classes) {
		account_limit(a, "the classes are unknown, so metaspace may "
				 "count as unknown memory");
		return;
	}
	if (!g->is_complete)
		account_limit(a, "not all classes were read: the numbers of "
				 "classes and loaders are too small");
	vm_flags_read(a->v, a->memory, &flag, 1);
	a->has_nodes = field_reader_jdk(&a->fields) >= JDK_OF_NODES;
	metaspace_claim(a, &g->class_granules,
			has_class_space ? "class space" : "non-class");
	metaspace_claim(a, &g->pool_granules, "non-class");
	a->out->classes = g->count;
	a->out->loaders = g->loaders;
	for (int i = 0; a->counters && i < 4; i++)
		perfdata_value(a->counters, counters[i], &classes[i]);
	/* The counters are exact, but missing with -XX:-UsePerfData. */
	if (classes[0] + classes[1] > classes[2] + classes[3])
		a->out->classes = (uint64_t)(classes[0] + classes[1] -
					     classes[2] - classes[3]);
}
