/* SPDX-License-Identifier: Apache-2.0 */
/* shapes: parts that the mappings alone reveal: paths, sizes and neighbors. */
#include "core/base/alloc.h"
#include "core/jvm/jdk_version.h"
#include "core/mem/accounting.h"
#include "core/mem/malloc_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NODE_BYTES = 4 << 20,
	GRANULE = 64 << 10,
	GC_LEAST = 64 << 10, /* smaller mappings of that size are chance */
	PADDING_MOST = 2 * PAGE_BYTES,
	BITMAP_LEAST = 1 << 20,
	MARK_STACK = 32 << 20,
	ARENA_BYTES = 64 << 20, /* HEAP_MAX_SIZE of glibc */
	GUARD_MOST = 64 << 10,
	STACK_LEAST = 64 << 10,
	STACK_MOST = 64 << 20,
	HEAD_READS_MOST = 1 << 15, /* requests, of which each takes 10 µs */
	AT_ONCE = 512,    /* pages whose first words are read at once */
	LOOK_MOST = 4096, /* pages of which are looked for resident ones */
};

/* ---- paths ---- */

static const char jars[] = "JARs and modules";

/* The first row that fits counts. */
static const struct path_shape {
	const char *text;
	enum { AT_START, AT_END, INSIDE } place;
	enum mem_part part;
	const char *detail;
} path_shapes[] = {
	{ "[heap]", AT_START, MEM_MALLOC, "[heap]" },
	{ "[stack", AT_START, MEM_STACKS, "native" },
	{ "[", AT_START, MEM_OTHER, "kernel" },
	{ "/memfd:java_heap", AT_START, MEM_HEAP, NULL },
	{ "/java_heap", INSIDE, MEM_HEAP, NULL },
	{ "/hsperfdata_", INSIDE, MEM_OTHER, "counters" },
	{ ".jsa", AT_END, MEM_ARCHIVE, NULL },
	{ ".aot", AT_END, MEM_ARCHIVE, NULL },
	{ "/modules", AT_END, MEM_FILES, jars },
	{ ".jar", AT_END, MEM_FILES, jars },
	{ ".zip", AT_END, MEM_FILES, jars },
	{ ".jmod", AT_END, MEM_FILES, jars },
	{ "/libjvm.so", AT_END, MEM_LIBRARIES, "libjvm" },
	{ ".so", AT_END, MEM_LIBRARIES, NULL },
	{ ".so.", INSIDE, MEM_LIBRARIES, NULL },
	{ "/dev/shm/", AT_START, MEM_SHARED, NULL },
	{ "/memfd:", AT_START, MEM_SHARED, NULL },
	{ "/SYSV", AT_START, MEM_SHARED, NULL },
	{ "/dev/zero", AT_START, MEM_SHARED, NULL },
};

static bool path_fits(const struct path_shape *s, const char *path, size_t len)
{
	size_t text = strlen(s->text);

	if (text > len)
		return false;
	switch (s->place) {
	case AT_START:
		return memcmp(path, s->text, text) == 0;
	case AT_END:
		return memcmp(path + len - text, s->text, text) == 0;
	default:
		return memmem(path, len, s->text, text) != NULL;
	}
}

/* A program's data is next to its code. */
static bool mapping_is_of_program(const struct mappings *m, size_t i)
{
	enum { NEAR = 4 };
	size_t low = i > NEAR ? i - NEAR : 0;

	for (size_t k = low; k < m->count && k <= i + NEAR; k++) {
		if (m->all[k].is_executable && m->all[i].inode &&
		    strcmp(m->all[k].path, m->all[i].path) == 0)
			return true;
	}
	return false;
}

enum mem_part shape_of_path(const struct mappings *m, size_t i,
			    const char **detail)
{
	static const char deleted[] = " (deleted)";
	const char *path = m->all[i].path;
	size_t len = strlen(path), tail = sizeof(deleted) - 1;

	*detail = NULL;
	if (len > tail && memcmp(path + len - tail, deleted, tail) == 0)
		len -= tail;
	for (size_t k = 0; k < sizeof(path_shapes) / sizeof(*path_shapes);
	     k++) {
		if (!path_fits(&path_shapes[k], path, len))
			continue;
		*detail = path_shapes[k].detail;
		return path_shapes[k].part;
	}
	return mapping_is_of_program(m, i) ? MEM_LIBRARIES : MEM_FILES;
}

/* ---- sizes ---- */

/* Tables are padded to pages. */
static bool shape_is_near(uint64_t size, uint64_t sum)
{
	return (size > sum ? size - sum : sum - size) <= PADDING_MOST;
}

bool shape_is_of_gc(uint64_t size, uint64_t heap, struct gc_shape shape)
{
	const uint64_t bitmaps = shape.has_bitmaps ? 2 : 0, tables = 4;

	if (!heap || size < GC_LEAST)
		return false;
	for (uint64_t i = 0; i <= bitmaps; i++) {
		for (uint64_t k = 0; k <= tables; k++) {
			uint64_t sum = i * (heap / 64) + k * (heap / 512);

			if ((sum && shape_is_near(size, sum)) ||
			    (shape.has_stack &&
			     shape_is_near(size, sum + MARK_STACK)))
				return true;
		}
	}
	return false;
}

bool shape_is_of_committed(uint64_t size, uint64_t committed,
			   struct gc_shape shape)
{
	static const unsigned shares[] = { 512, 64, 32 };
	size_t count = shape.has_bitmaps ? sizeof(shares) / sizeof(*shares) : 1;

	for (size_t i = 0; i < count; i++) {
		uint64_t table = committed / shares[i];

		table = (table + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
		if (size >= GC_LEAST && size == table)
			return true;
	}
	return false;
}

bool shape_has_bitmaps(uint64_t size, uint64_t heap)
{
	const uint64_t bitmap = heap / 64;

	return bitmap >= BITMAP_LEAST &&
	       ((size >= bitmap && size - bitmap <= bitmap / 6) ||
		(size >= 2 * bitmap && size - 2 * bitmap <= bitmap / 3));
}

/* ---- what is left of anonymous mappings ---- */

enum { COMMITTED = 3 };

/* Adjacent anonymous mappings, which may be one reservation. */
struct reservation {
	size_t first, last;
	uint64_t start, end;
};

/* What a mapping without a file is, besides its size. */
struct rest {
	struct accounting *a;
	size_t mapping;
	const struct mapping *m;
	struct reservation around;
	bool is_of_tables; /* has tables of the JVM, which are next to others */
	bool is_behind_library;
	/* Committed bytes of the heap and of its generations; 0 = unknown. */
	uint64_t committed[COMMITTED];
	uint64_t old_max; /* of the old generation; 0 = unknown */
};

static bool mapping_is_reservable(const struct mapping *m)
{
	return smaps_is_anonymous(m) && !m->is_executable &&
	       m->is_readable == m->is_writable;
}

static void reservation_find(struct reservation *r, const struct mappings *m,
			     size_t i)
{
	r->first = r->last = i;
	r->start = m->all[i].start;
	r->end = m->all[i].end;
	while (mapping_is_reservable(&m->all[i]) && r->last + 1 < m->count &&
	       m->all[r->last + 1].start == r->end &&
	       mapping_is_reservable(&m->all[r->last + 1]))
		r->end = m->all[++r->last].end;
}

/* Tables grow with the heap, or with the generation that they are for. */
static void rest_find_committed(struct rest *r)
{
	static const char *const names[] = { "sun.gc.generation.0.capacity",
					     "sun.gc.generation.1.capacity" };
	const struct mem_heap *h = &r->a->out->heap;
	const struct mappings *m = &r->a->smaps.mappings;
	int64_t old_max = 0;

	for (size_t i = 0; i < m->count && m->all[i].start < h->end; i++) {
		const struct mapping *one = &m->all[i];

		if (one->start >= h->start && one->is_readable)
			r->committed[0] += one->end - one->start;
	}
	for (size_t i = 0; r->a->counters && i < 2; i++) {
		int64_t value = 0;

		perfdata_value(r->a->counters, names[i], &value);
		r->committed[1 + i] = value > 0 ? (uint64_t)value : 0;
	}
	if (r->a->counters)
		perfdata_value(r->a->counters,
			       "sun.gc.generation.1.maxCapacity", &old_max);
	r->old_max = old_max > 0 ? (uint64_t)old_max : 0;
}

/* Parallel has a table of the heap next to one of its old generation. */
static bool shape_is_of_both(uint64_t size, uint64_t heap, uint64_t old)
{
	return size >= GC_LEAST && old &&
	       shape_is_near(size, heap / 512 + old / 512);
}

static bool rest_has_gc_size(const struct rest *r, uint64_t start, uint64_t end)
{
	const struct mem_heap *h = &r->a->out->heap;
	const struct gc_shape shape = {
		.has_bitmaps = strcmp(h->collector, "Serial") != 0,
		/* Other allocators have mappings of 32 MB, too. */
		.has_stack = r->a->is_glibc &&
			     (strcmp(h->collector, "G1") == 0 ||
			      strcmp(h->collector, "CMS") == 0 ||
			      strcmp(h->collector, "Z") == 0),
	};
	const uint64_t sizes[] = { end - start, r->m->end - r->m->start,
				   r->around.end - r->around.start };

	/* Blocks of malloc() are known, so few other pieces are as large. */
	if (r->a->is_glibc && r->a->memory && shape.has_bitmaps &&
	    shape_has_bitmaps(end - start, h->max))
		return true;
	for (size_t i = 0; i < 3; i++) {
		if (shape_is_of_gc(sizes[i], h->max, shape) ||
		    shape_is_of_both(sizes[i], h->max, r->old_max))
			return true;
		for (size_t k = 0; k < COMMITTED; k++) {
			if (shape_is_of_committed(sizes[i], r->committed[k],
						  shape))
				return true;
		}
	}
	return false;
}

static bool mapping_is_reserved(const struct mapping *m)
{
	return smaps_is_anonymous(m) && !m->is_readable;
}

/*
 * A node of the metaspace has an aligned start and end, and committed memory
 * and reserved memory by turns between.
 */
static bool rest_is_metaspace(const struct rest *r, uint64_t start,
			      uint64_t end)
{
	const struct mappings *m = &r->a->smaps.mappings;
	const struct mapping *below = r->m - 1, *above = r->m + 1;

	/* All classes lead to all nodes, and other memory is aligned, too. */
	if (r->a->has_classes && r->a->classes.is_complete)
		return false;
	return r->a->has_nodes && r->m->is_writable && start == r->m->start &&
	       end == r->m->end && start % GRANULE == 0 && end % GRANULE == 0 &&
	       (start % NODE_BYTES == 0 || (r->mapping && below->end == start &&
					    mapping_is_reserved(below))) &&
	       (end % NODE_BYTES == 0 ||
		(r->mapping + 1 < m->count && above->start == end &&
		 mapping_is_reserved(above)));
}

/* The same for nodes before JDK_OF_NODES, which reserved memory follows. */
static bool rest_is_old_node(const struct rest *r, uint64_t start, uint64_t end)
{
	const struct mapping *above = r->m + 1;

	return !r->a->has_nodes && r->a->has_classes && r->m->is_writable &&
	       end == r->m->end && (end - start) % GRANULE == 0 &&
	       r->mapping + 1 < r->a->smaps.mappings.count &&
	       above->start == end && mapping_is_reserved(above) &&
	       above->end - start == OLD_NODE_BYTES;
}

/* Claims a piece in which no block of malloc() begins. */
static void rest_claim_piece(const struct rest *r, uint64_t start, uint64_t end)
{
	struct claims *c = &r->a->claims;

	if (start >= end)
		return;
	if (r->is_of_tables)
		claims_add(c, start, end, MEM_GC, "next to the card table");
	else if (rest_is_old_node(r, start, end))
		claims_add(c, start, end, MEM_METASPACE, "by shape");
	else if (rest_has_gc_size(r, start, end))
		claims_add(c, start, end, MEM_GC, "by size");
	else if (rest_is_metaspace(r, start, end))
		claims_add(c, start, end, MEM_METASPACE, "by shape");
	else if (r->is_behind_library)
		claims_add(c, start, end, MEM_LIBRARIES, "zeroed data");
	else if (*r->a->out->allocator && !r->a->is_glibc)
		claims_add(c, start, end, MEM_MALLOC, "by elimination");
}

/*
 * Claims the blocks of malloc() with mappings of their own in [start, end), by
 * their headers, and the pieces between them.  Most blocks have more pages
 * than one, so few headers are read at first, and more while none is found.
 */
static void rest_claim_blocks(const struct rest *r, uint64_t start,
			      uint64_t end)
{
	struct malloc_heads heads;
	uint64_t at = start, piece = start;

	heads.most = 1;
	while (at < end && r->a->head_reads < HEAD_READS_MOST) {
		uint64_t next = malloc_heads_read(
			&heads, r->a->memory, r->a->pages, at, end, PAGE_BYTES);

		r->a->head_reads += heads.count > 0;
		if (heads.most < MALLOC_HEADS)
			heads.most *= 2;
		for (size_t i = 0; i < heads.count; i++) {
			uint64_t from = heads.ranges[i].address, size;

			if (!glibc_is_mapped_block(heads.words[i], end - from,
						   &size))
				continue;
			rest_claim_piece(r, piece, from);
			claims_add(&r->a->claims, from, from + size, MEM_BLOCKS,
				   NULL);
			next = piece = from + size;
			heads.most = 1;
			break;
		}
		at = next;
	}
	rest_claim_piece(r, piece, end);
}

static void rest_claim_gap(const struct rest *r, uint64_t start, uint64_t end)
{
	const struct smap *s = &r->a->smaps.all[r->mapping];
	/* A block with a mapping of its own has several pages. */
	bool has_blocks = s->resident && end - start > PAGE_BYTES &&
			  r->a->is_glibc && r->a->memory && r->a->pages &&
			  r->m->is_writable && !r->m->is_executable;

	if (s->has_no_huge && r->m->is_writable) {
		claims_add(&r->a->claims, start, end, MEM_OLD_STACKS, NULL);
	} else if (has_blocks) {
		rest_claim_blocks(r, start, end);
	} else {
		rest_claim_piece(r, start, end);
	}
}

static bool rest_has_tables(const struct rest *r)
{
	const struct claims *c = &r->a->claims;

	for (size_t i = claims_after(c, r->m->start);
	     i < c->settled && c->all[i].start < r->m->end; i++) {
		if (c->all[i].part == MEM_GC ||
		    (c->all[i].part == MEM_CODE && !r->m->is_executable))
			return true;
	}
	return false;
}

void account_rest(struct accounting *a)
{
	const struct mappings *m = &a->smaps.mappings;
	struct rest r = { .a = a };
	bool is_library = false;

	rest_find_committed(&r);
	for (size_t i = 0; i < m->count; i++) {
		const char *detail;

		r.mapping = i;
		r.m = &m->all[i];
		if (!i || i > r.around.last)
			reservation_find(&r.around, m, i);
		if (!smaps_is_anonymous(r.m)) {
			is_library = shape_of_path(m, i, &detail) ==
				     MEM_LIBRARIES;
			continue;
		}
		r.is_behind_library = is_library && r.m->is_writable &&
				      m->all[i - 1].end == r.m->start;
		is_library = false;
		r.is_of_tables = rest_has_tables(&r);
		for (uint64_t from = r.m->start, to;
		     claims_gap(&a->claims, &from, r.m->end, &to); from = to)
			rest_claim_gap(&r, from, to);
	}
	claims_settle(&a->claims);
	if (a->head_reads == HEAD_READS_MOST)
		account_limit(a, "the process has more mappings than are "
				 "searched for blocks of malloc");
}

/* ---- without the memory ---- */

/* Sets the maximum of the heap, and the collector if it is G1. */
static void shapes_read_counters(struct accounting *a)
{
	struct mem_heap *h = &a->out->heap;
	int64_t young = 0, old = 0;
	const char *text;

	if (!a->counters)
		return;
	text = perfdata_text(a->counters, "java.property.java.version");
	a->has_nodes = jdk_version_of(text).feature >= JDK_OF_NODES;
	text = perfdata_text(a->counters, "sun.gc.collector.0.name");
	if (text && strstr(text, "G1"))
		snprintf(h->collector, sizeof(h->collector), "G1");
	perfdata_value(a->counters, "sun.gc.generation.0.maxCapacity", &young);
	perfdata_value(a->counters, "sun.gc.generation.1.maxCapacity", &old);
	if (young < 0 || old < 0)
		return;
	/* Each generation of G1 and ZGC may have the whole heap. */
	h->max = young == old || *h->collector
			 ? (uint64_t)(young > old ? young : old)
			 : (uint64_t)young + (uint64_t)old;
	/* G1 adds some bytes (pad_capacity() in g1MonitoringSupport.hpp). */
	h->max = h->max / PAGE_BYTES * PAGE_BYTES;
}

/* Returns the end of the heap that would begin at mapping i. */
static uint64_t shape_heap_end(const struct mappings *m, size_t i)
{
	uint64_t end = m->all[i].start;
	const char *detail;

	/* Archived objects are a file in the heap (JDK 9 to 21). */
	for (; i < m->count && m->all[i].start == end &&
	       (mapping_is_reservable(&m->all[i]) ||
		shape_of_path(m, i, &detail) == MEM_ARCHIVE);
	     i++)
		end = m->all[i].end;
	return end;
}

/*
 * The heap is a reservation of its size; else, it begins the fullest one that
 * is larger.
 */
static void shapes_claim_heap(struct accounting *a)
{
	const struct mappings *m = &a->smaps.mappings;
	struct mem_heap *h = &a->out->heap;
	uint64_t fullest = 0;
	struct reservation r;

	shapes_read_counters(a);
	for (size_t i = 0; h->max && i < m->count; i = r.last + 1) {
		uint64_t resident = 0, length;
		const char *detail;

		reservation_find(&r, m, i);
		/* The heap is a file (ZGC). */
		if (m->all[i].inode &&
		    shape_of_path(m, i, &detail) == MEM_HEAP) {
			h->start = h->end = 0;
			return;
		}
		for (size_t k = r.first; k <= r.last; k++)
			resident += a->smaps.all[k].resident;
		length = shape_heap_end(m, i) - r.start;
		if (length == h->max)
			resident = UINT64_MAX;
		if (length < h->max || resident <= fullest)
			continue;
		fullest = resident;
		h->start = r.start;
		h->end = r.start + h->max;
	}
	claims_add(&a->claims, h->start, h->end, MEM_HEAP, "by shape");
	claims_settle(&a->claims);
}

/* An arena of glibc begins at a multiple of 64 MB, which it reserves. */
static bool mapping_is_arena(const struct mappings *m, size_t i)
{
	const struct mapping *one = &m->all[i], *next = one + 1;
	uint64_t end = one->start + ARENA_BYTES;

	return one->start % ARENA_BYTES == 0 && one->is_writable &&
	       (one->end == end ||
		(one->end < end && i + 1 < m->count && !next->is_readable &&
		 next->start == one->end && next->end >= end));
}

/* A stack has a guard below it. */
static bool mapping_is_stack(const struct mappings *m, size_t i)
{
	const struct mapping *one = &m->all[i], *below = one - 1;
	uint64_t size = one->end - one->start;

	return one->is_writable && i && below->end == one->start &&
	       smaps_is_anonymous(below) && !below->is_readable &&
	       below->end - below->start <= GUARD_MOST && size >= STACK_LEAST &&
	       size <= STACK_MOST;
}

void account_shapes(struct accounting *a)
{
	const struct mappings *m = &a->smaps.mappings;

	shapes_claim_heap(a);
	for (size_t i = 0; i < m->count; i++) {
		const struct mapping *one = &m->all[i];

		if (!smaps_is_anonymous(one))
			continue;
		if (one->is_executable)
			claims_add(&a->claims, one->start, one->end, MEM_CODE,
				   "by shape");
		else if (mapping_is_arena(m, i))
			claims_add(&a->claims, one->start, one->end, MEM_MALLOC,
				   "arena, by shape");
		else if (mapping_is_stack(m, i))
			claims_add(&a->claims, one->start, one->end, MEM_STACKS,
				   "by shape");
	}
	claims_settle(&a->claims);
}
