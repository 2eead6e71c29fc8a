/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_objects: how much of the Java heap objects take, garbage among them.
 *
 * Regions (G1, Shenandoah) and spaces (Serial, Parallel) have objects from
 * _bottom to _top, and resident pages beyond are free.  The counters of spaces
 * are of no use: since JDK 25 they are as old as the last collection.
 */
#include "core/base/alloc.h"
#include "core/hotspot/vm_flags.h"
#include "core/mem/accounting.h"

#include <stdlib.h>
#include <string.h>

enum {
	REGIONS_MOST = 1 << 18,
	AT_ONCE = 512,
};

static bool heap_is_of(const struct accounting *a, const char *collector)
{
	return strcmp(a->out->heap.collector, collector) == 0;
}

/* ---- from _bottom to _top ---- */

/* The objects that were found, by address. */
struct object_sum {
	struct accounting *a;
	uint64_t end; /* of the last ones, a whole page */
	struct page_sum pages;
};

static void objects_add(struct object_sum *s, uint64_t bottom, uint64_t top)
{
	const struct mem_heap *h = &s->a->out->heap;
	uint64_t start = bottom / PAGE_BYTES * PAGE_BYTES;
	uint64_t end = (top + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;

	if (bottom >= top || bottom < h->start || top > h->end)
		return;
	/* No page counts twice. */
	if (start < s->end)
		start = s->end;
	if (start >= end)
		return;
	pages_add(s->a->pages, start, end, &s->pages);
	s->end = end;
}

/* Objects may also be in memory that was not touched yet. */
static void heap_set_objects(struct mem_heap *h, uint64_t resident,
			     uint64_t objects)
{
	h->has_objects = true;
	h->objects = objects < resident ? objects : resident;
	h->free_resident = resident - h->objects;
}

static void objects_end(struct object_sum *s)
{
	heap_set_objects(&s->a->out->heap, s->a->out->parts[MEM_HEAP].resident,
			 s->pages.resident);
}

/* ---- regions ---- */

/* An array of addresses of regions. */
struct region_layout {
	uint64_t table, count;
	uint32_t bottom, top;
};

/* The names got the prefix G1 in JDK 23. */
static bool regions_find_g1(struct region_layout *l, const struct accounting *a)
{
	static const char *const managers[] = { "HeapRegionManager",
						"G1HeapRegionManager", NULL };
	/* HeapRegion was a Space until JDK 13, in early JDK 8 contiguous. */
	static const char *const regions[] = { "G1HeapRegion",
					       "HeapRegion",
					       "G1ContiguousSpace",
					       "G1OffsetTableContigSpace",
					       "Space",
					       "ContiguousSpace",
					       NULL };
	uint32_t manager, table, base, length;
	uint64_t at = account_heap_object(a);

	if (!vm_structs_offset(a->v, "G1CollectedHeap", "_hrm", &manager) ||
	    !account_offset(a, managers, "_regions", &table) ||
	    !vm_structs_offset(a->v, "G1HeapRegionTable", "_base", &base) ||
	    !vm_structs_offset(a->v, "G1HeapRegionTable", "_length", &length) ||
	    !account_offset(a, regions, "_bottom", &l->bottom) ||
	    !account_offset(a, regions, "_top", &l->top))
		return false;
	l->table = memory_u64(a->memory, at + manager + table + base);
	l->count = memory_u64(a->memory, at + manager + table + length);
	return true;
}

static bool regions_find_shenandoah(struct region_layout *l,
				    const struct accounting *a)
{
	static const struct heap_field table[2] = { { "ShenandoahHeap",
						      "_regions", false } };
	static const struct heap_field count[2] = { { "ShenandoahHeap",
						      "_num_regions", false } };

	return vm_structs_offset(a->v, "ShenandoahHeapRegion", "_bottom",
				 &l->bottom) &&
	       vm_structs_offset(a->v, "ShenandoahHeapRegion", "_top",
				 &l->top) &&
	       account_heap_value(a, table, &l->table) &&
	       account_heap_value(a, count, &l->count);
}

static void regions_read(struct object_sum *s, const struct region_layout *l,
			 const uint64_t *regions)
{
	struct memory *memory = s->a->memory;
	uint64_t bounds[AT_ONCE][2];
	struct memory_range r[2 * AT_ONCE];

	for (uint64_t i = 0; i < l->count; i += AT_ONCE) {
		size_t n = l->count - i < AT_ONCE ? (size_t)(l->count - i)
						  : AT_ONCE;

		for (size_t k = 0; k < n; k++) {
			uint64_t at = regions[i + k];

			r[2 * k] = (struct memory_range){ at + l->bottom,
							  &bounds[k][0], 8,
							  false };
			r[2 * k + 1] = (struct memory_range){ at + l->top,
							      &bounds[k][1], 8,
							      false };
		}
		memory->read_all(memory, r, 2 * n);
		for (size_t k = 0; k < n; k++) {
			/* Regions that were never used have no address. */
			if (r[2 * k].is_read && r[2 * k + 1].is_read)
				objects_add(s, bounds[k][0], bounds[k][1]);
		}
	}
}

static bool objects_of_regions(struct accounting *a)
{
	struct object_sum sum = { .a = a };
	struct region_layout l = { 0 };
	uint64_t *regions;
	bool is_read;

	if (heap_is_of(a, "G1") ? !regions_find_g1(&l, a)
				: !heap_is_of(a, "Shenandoah") ||
					  !regions_find_shenandoah(&l, a))
		return false;
	if (!l.table || !l.count || l.count > REGIONS_MOST)
		return false;
	regions = xcalloc((size_t)l.count, sizeof(*regions));
	is_read = memory_read(a->memory, l.table, regions,
			      (size_t)l.count * sizeof(*regions));
	if (is_read) {
		regions_read(&sum, &l, regions);
		objects_end(&sum);
	}
	free(regions);
	return is_read;
}

/* ---- spaces ---- */

/*
 * The spaces of Serial and Parallel by address, and the generations that have
 * them.
 */
static const struct heap_space {
	const char *collector;
	bool is_old;
	const char *generations[3], *field;
} heap_spaces[] = {
	{ "Serial", false, { "DefNewGeneration" }, "_eden_space" },
	{ "Serial", false, { "DefNewGeneration" }, "_from_space" },
	{ "Serial", false, { "DefNewGeneration" }, "_to_space" },
	{ "Serial",
	  true,
	  { "TenuredGeneration", "OneContigSpaceCardGeneration" },
	  "_the_space" },
	{ "Parallel", true, { "PSOldGen" }, "_object_space" },
	{ "Parallel", false, { "PSYoungGen" }, "_eden_space" },
	{ "Parallel", false, { "PSYoungGen" }, "_from_space" },
	{ "Parallel", false, { "PSYoungGen" }, "_to_space" },
};

/* Returns the address of a generation; 0 = unknown. */
static uint64_t generation_find(const struct accounting *a, bool is_old)
{
	static const char *const heaps[] = { "SerialHeap", "GenCollectedHeap",
					     NULL };
	const char *field = is_old ? "_old_gen" : "_young_gen";
	uint32_t offset;
	uint64_t at;

	if (heap_is_of(a, "Parallel"))
		return vm_structs_static(a->v, "ParallelScavengeHeap", field,
					 &at)
			       ? memory_u64(a->memory, at)
			       : 0;
	at = account_heap_object(a);
	if (account_offset(a, heaps, field, &offset))
		return memory_u64(a->memory, at + offset);
	/* JDK 8 has an array of them. */
	return vm_structs_offset(a->v, "GenCollectedHeap", "_gens", &offset)
		       ? memory_u64(a->memory, at + offset + (is_old ? 8 : 0))
		       : 0;
}

/* Adds the objects of a space; false if it is unknown. */
static bool space_add(struct object_sum *s, const struct heap_space *space)
{
	static const char *const serial[] = { "ContiguousSpace", "Space",
					      NULL };
	static const char *const parallel[] = { "MutableSpace",
						"ImmutableSpace", NULL };
	const char *const *types = heap_is_of(s->a, "Serial") ? serial
							      : parallel;
	uint64_t at = generation_find(s->a, space->is_old), bounds[2];
	uint32_t field, bottom, top;

	if (!at ||
	    !account_offset(s->a, space->generations, space->field, &field) ||
	    !account_offset(s->a, types, "_bottom", &bottom) ||
	    !account_offset(s->a, types, "_top", &top))
		return false;
	at = memory_u64(s->a->memory, at + field);
	if (!at || !memory_read(s->a->memory, at + bottom, &bounds[0], 8) ||
	    !memory_read(s->a->memory, at + top, &bounds[1], 8))
		return false;
	objects_add(s, bounds[0], bounds[1]);
	return true;
}

static bool objects_of_spaces(struct accounting *a)
{
	struct object_sum sum = { .a = a };
	size_t found = 0;

	for (size_t i = 0; i < sizeof(heap_spaces) / sizeof(*heap_spaces);
	     i++) {
		if (!heap_is_of(a, heap_spaces[i].collector))
			continue;
		if (!space_add(&sum, &heap_spaces[i]))
			return false;
		found++;
	}
	if (found)
		objects_end(&sum);
	return found > 0;
}

/* ---- numbers of the JVM ---- */

/* Pages of ZGC, and of Shenandoah in JDK 11, that are in use. */
static bool objects_of_heap(struct accounting *a, uint64_t *out)
{
	/* JDK 25: an array with an element per NUMA node. */
	static const struct heap_field partitions[5] = {
		{ "ZCollectedHeap", "_heap", false },
		{ "ZHeap", "_page_allocator", false },
		{ "ZPageAllocator", "_partitions", true },
		{ "ZPartition", "_used", false },
	};
	static const struct heap_field shenandoah[2] = { { "ShenandoahHeap",
							   "_used", false } };
	bool has_nodes = false;
	const struct vm_flag flag = { "UseNUMA", &has_nodes };

	if (heap_is_of(a, "Shenandoah"))
		return account_heap_value(a, shenandoah, out);
	if (!heap_is_of(a, "Z"))
		return false;
	vm_flags_read(a->v, a->memory, &flag, 1);
	return account_z_value(a, "_used", out) ||
	       (!has_nodes && account_heap_value(a, partitions, out));
}

void account_objects(struct accounting *a)
{
	struct mem_heap *h = &a->out->heap;
	uint64_t objects;

	if (!a->v ||
	    (a->pages && (objects_of_regions(a) || objects_of_spaces(a))))
		return;
	if (objects_of_heap(a, &objects) && objects <= h->max)
		heap_set_objects(h, a->out->parts[MEM_HEAP].resident, objects);
}
