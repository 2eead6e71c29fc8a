/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/java_heap.h"

#include "core/base/alloc.h"
#include "core/hotspot/metadata_layout.h"
#include "core/hotspot/vm_flags.h"
#include "core/process/raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum heap_kind {
	HEAP_PAUSED, /* objects move in pauses only */
	HEAP_Z,      /* colors above the address (JDK 11 to 23) */
	HEAP_Z_GENERATIONS,
	HEAP_SHENANDOAH,
};

enum z_mask { Z_BAD, Z_GOOD, Z_OFFSET, Z_MASKS };

enum z_generation { Z_OLD, Z_YOUNG, Z_GENERATIONS };

/* The layout of ZGC's tables. */
struct z_layout {
	uint64_t globals; /* address of ZGlobalsForVMStructs */
	/* Offsets in it of the addresses of masks. */
	uint32_t masks[Z_MASKS];
	uint64_t tables[Z_GENERATIONS]; /* addresses of ZForwarding*[] */
	bool has_tables;
	/* Offsets in a ZForwarding. */
	uint32_t start, shift, length, size;
};

struct java_heap {
	struct memory *memory;
	struct object_shape shape;
	enum heap_kind kind;
	/* Addresses of the number of collections, and of the pause flag. */
	uint64_t collections, paused;
	struct z_layout z;
	uint64_t masks[Z_MASKS]; /* as of the last resolution */
};

enum {
	Z_GRANULE_SHIFT = 21,     /* ZGranuleSize */
	Z_HEAP_BYTES = 16384,     /* of a ZHeap, with its generations */
	Z_ENTRIES_MOST = 1 << 19, /* objects of a granule */
	Z_PART = 16,              /* entries of a read */
	Z_PROBES_MOST = 256,      /* at least half of the entries are empty */
	Z_COLOR_SHIFT = 12,       /* of the four load colors */
	Z_COLORS = 0xf,
	Z_OLD_REFERENCE = 0x30, /* both bits: in the old generation */
	MARK_FORWARDED = 3,     /* the lowest bits of a mark word */
};

/* ---- ZGC's tables ---- */

/* The names of JDK 21 to 23 for the heap without generations begin with X. */
static bool z_offset(const struct vm_structs *v, char letter, const char *type,
		     const char *field, uint32_t *out)
{
	char type_name[48], field_name[48];

	snprintf(type_name, sizeof(type_name), "%c%s", letter, type);
	snprintf(field_name, sizeof(field_name), field, letter);
	return metadata_offset(v, type_name, field_name, out);
}

/*
 * Since ZGC has generations, no table of the JVM has the place of a
 * generation's forwarding table (JDK 21, 25 and 28): it follows the addresses
 * of the page allocator and of the page table in ZGeneration, and ZHeap has the
 * old generation first.
 */
static void z_search_tables(struct z_layout *z, const struct vm_structs *v,
			    struct memory *memory, uint64_t heap, uint32_t map)
{
	uint8_t *bytes = xmalloc(Z_HEAP_BYTES);
	uint32_t allocator, pages;
	size_t found = 0;

	if (metadata_offset(v, "ZHeap", "_page_allocator", &allocator) &&
	    metadata_offset(v, "ZHeap", "_page_table", &pages) &&
	    memory_read(memory, heap, bytes, Z_HEAP_BYTES)) {
		for (size_t at = 0;
		     at + 24 + map <= Z_HEAP_BYTES && found < Z_GENERATIONS;
		     at += OBJECT_WORD) {
			if (raw_u64(bytes, at) == heap + allocator &&
			    raw_u64(bytes, at + 8) == heap + pages)
				z->tables[found++] = raw_u64(bytes,
							     at + 16 + map);
		}
	}
	z->has_tables = found == Z_GENERATIONS;
	free(bytes);
}

/* JDK 11 does not export the layout: has_tables stays false. */
static void z_find_tables(struct java_heap *h, const struct vm_structs *v,
			  char letter, uint64_t collected)
{
	struct z_layout *z = &h->z;
	uint32_t heap, table, map, entries, length;
	const struct {
		const char *type, *field;
		uint32_t *out;
	} all[] = {
		{ "CollectedHeap", "_heap", &heap },
		{ "GranuleMapForForwarding", "_map", &map },
		{ "Forwarding", "_virtual", &z->start },
		{ "Forwarding", "_object_alignment_shift", &z->shift },
		{ "Forwarding", "_entries", &entries },
		{ "AttachedArrayForForwarding", "_length", &length },
	};
	char type[16];

	snprintf(type, sizeof(type), "%cForwarding", letter);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!z_offset(v, letter, all[i].type, all[i].field, all[i].out))
			return;
	if (!vm_structs_size(v, type, &z->size) ||
	    z->size > METADATA_STRUCT_MOST)
		return;
	z->length = entries + length;
	z->size = object_align(z->size);
	if (h->kind == HEAP_Z_GENERATIONS) {
		z_search_tables(z, v, h->memory, collected + heap, map);
		return;
	}
	if (!z_offset(v, letter, "Heap", "_forwarding_table", &table))
		return;
	z->tables[Z_OLD] = memory_u64(h->memory,
				      collected + heap + table + map);
	z->has_tables = true;
}

static bool z_find_masks(struct java_heap *h, const struct vm_structs *v,
			 char letter)
{
	static const char *const names[][Z_MASKS] = {
		{ "_%cAddressBadMask", "_%cAddressGoodMask",
		  "_%cAddressOffsetMask" },
		{ "_%cPointerLoadBadMask", "_%cPointerLoadGoodMask",
		  "_%cAddressOffsetMask" },
	};

	for (int i = 0; i < Z_MASKS; i++) {
		if (z_offset(v, letter, "GlobalsForVMStructs",
			     names[h->kind == HEAP_Z_GENERATIONS][i],
			     &h->z.masks[i]))
			continue;
		/* JDK 11 has the first only, which suffices without tables. */
		if (i == Z_BAD)
			return false;
		h->z.masks[i] = h->z.masks[Z_BAD];
		h->z.has_tables = false;
	}
	return true;
}

static bool z_find(struct java_heap *h, const struct vm_structs *v,
		   bool is_generational, uint64_t collected)
{
	char letter = 'Z', type[32];
	uint32_t ignored;
	uint64_t at;

	h->kind = HEAP_Z;
	if (metadata_offset(v, "XGlobalsForVMStructs", "_XAddressBadMask",
			    &ignored) &&
	    !is_generational)
		letter = 'X';
	else if (metadata_offset(v, "ZGlobalsForVMStructs",
				 "_ZPointerLoadBadMask", &ignored))
		h->kind = HEAP_Z_GENERATIONS;
	snprintf(type, sizeof(type), "%cGlobalsForVMStructs", letter);
	if (!vm_structs_static(v, type, "_instance_p", &at))
		return false;
	h->z.globals = memory_u64(h->memory, at);
	z_find_tables(h, v, letter, collected);
	return h->z.globals >= OBJECT_LOWEST && z_find_masks(h, v, letter);
}

/* Reads the masks, which change with each phase of a collection. */
static bool z_read_masks(struct java_heap *h)
{
	struct memory_range r[Z_MASKS];
	uint64_t at[Z_MASKS] = { 0 };
	bool is_read = true;

	for (int i = 0; i < Z_MASKS; i++)
		r[i] = memory_range_of(h->z.globals + h->z.masks[i], &at[i],
				       sizeof(at[i]));
	h->memory->read_all(h->memory, r, Z_MASKS);
	for (int i = 0; i < Z_MASKS; i++)
		r[i] = memory_range_of(at[i], &h->masks[i],
				       sizeof(h->masks[i]));
	h->memory->read_all(h->memory, r, Z_MASKS);
	for (int i = 0; i < Z_MASKS; i++)
		is_read = is_read && r[i].is_read;
	return is_read;
}

/* ZHash::uint32_to_uint32 (gc/z/zHash.inline.hpp). */
static uint32_t z_hash(uint32_t key)
{
	key = ~key + (key << 15);
	key = key ^ (key >> 12);
	key = key + (key << 2);
	key = key ^ (key >> 4);
	key = key * 2057;
	return key ^ (key >> 16);
}

/* What a ZForwarding says about an object. */
struct z_forwarding {
	uint64_t address, start, shift, length;
};

static bool z_read_forwarding(struct java_heap *h, struct z_forwarding *f)
{
	uint64_t shift = 0, length = 0;
	struct memory_range r[] = {
		{ f->address + h->z.start, &f->start, 8, false },
		{ f->address + h->z.shift, &shift, 4, false },
		{ f->address + h->z.length, &length, 4, false },
	};

	h->memory->read_all(h->memory, r, 3);
	f->shift = shift;
	f->length = length;
	return r[0].is_read && r[1].is_read && r[2].is_read && shift < 32 &&
	       length && length <= Z_ENTRIES_MOST &&
	       (length & (length - 1)) == 0;
}

/*
 * Searches the entry of an object: bit 0 is set if it is populated, bits 1 to
 * 45 are the new offset, the others the index (gc/z/zForwardingEntry.hpp). An
 * object without an entry has not moved yet.
 */
static bool z_search_entry(struct java_heap *h, const struct z_forwarding *f,
			   uint64_t *offset)
{
	enum { TO_BITS = 45 };
	const uint64_t to_mask = (UINT64_C(1) << TO_BITS) - 1;
	uint64_t index = (*offset - f->start) >> f->shift;
	uint64_t at = z_hash((uint32_t)index) & (f->length - 1);

	for (uint64_t seen = 0; seen < f->length && seen < Z_PROBES_MOST;) {
		uint64_t entries[Z_PART], n = f->length - at;

		if (n > Z_PART)
			n = Z_PART;
		if (!memory_read(h->memory, f->address + h->z.size + 8 * at,
				 entries, (size_t)n * 8))
			return false;
		for (uint64_t i = 0; i < n; i++) {
			if (!(entries[i] & 1))
				return true;
			if (entries[i] >> (TO_BITS + 1) == index) {
				*offset = entries[i] >> 1 & to_mask;
				return true;
			}
		}
		seen += n;
		at = (at + n) & (f->length - 1);
	}
	return false;
}

/* Replaces the offset of an object in the heap by that of its copy, if any. */
static bool z_forward(struct java_heap *h, uint64_t table, uint64_t *offset)
{
	struct z_forwarding f = { 0 };

	if (!memory_read(h->memory, table + 8 * (*offset >> Z_GRANULE_SHIFT),
			 &f.address, sizeof(f.address)))
		return false;
	if (!f.address)
		return true; /* nothing of the granule moves */
	return z_read_forwarding(h, &f) && *offset >= f.start &&
	       z_search_entry(h, &f, offset);
}

/*
 * The four load colors tell which collections of each generation a reference
 * has seen.
 */
static uint64_t z_table_of(struct java_heap *h, uint64_t value, uint64_t offset)
{
	unsigned color = value >> Z_COLOR_SHIFT & Z_COLORS;
	unsigned good = ~h->masks[Z_BAD] >> Z_COLOR_SHIFT & Z_COLORS;
	uint64_t young = h->z.tables[Z_YOUNG];
	unsigned unseen;

	if (!color || !good)
		return 0;
	unseen = (unsigned)__builtin_ctz(color) ^ (unsigned)__builtin_ctz(good);
	if (unseen == 1)
		return young;
	if (unseen == 2 || (value & Z_OLD_REFERENCE) == Z_OLD_REFERENCE ||
	    !memory_u64(h->memory, young + 8 * (offset >> Z_GRANULE_SHIFT)))
		return h->z.tables[Z_OLD];
	return young;
}

/* Finds the object of a reference with a bad color. */
static bool z_resolve_bad(struct java_heap *h, struct java_reference *r)
{
	uint64_t offset = r->address & h->masks[Z_OFFSET];
	uint64_t table = h->z.tables[Z_OLD], high;

	if (!h->z.has_tables)
		return false;
	if (h->kind == HEAP_Z_GENERATIONS) {
		table = z_table_of(h, r->value, offset);
		high = r->address & ~h->masks[Z_OFFSET];
	} else {
		high = h->masks[Z_GOOD] & ~h->masks[Z_OFFSET];
	}
	if (!table || !z_forward(h, table, &offset))
		return false;
	r->address = high | offset;
	return true;
}

static void z_resolve_one(struct java_heap *h, struct java_reference *r)
{
	uint64_t bad = r->value & h->masks[Z_BAD];

	if (h->kind == HEAP_Z_GENERATIONS)
		bad &= (uint64_t)Z_COLORS << Z_COLOR_SHIFT;
	/* Null has a color only. */
	if (r->value >> 16 == 0) {
		r->is_known = true;
		return;
	}
	r->address = java_reference_decode(r->value);
	r->is_known = r->address && (!bad || z_resolve_bad(h, r));
}

/* ---- all collectors ---- */

static bool heap_find_counters(struct java_heap *h, const struct vm_structs *v,
			       uint64_t collected)
{
	uint32_t count, paused;

	if (!metadata_offset(v, "CollectedHeap", "_total_collections",
			     &count) ||
	    (!metadata_offset(v, "CollectedHeap", "_is_stw_gc_active",
			      &paused) &&
	     !metadata_offset(v, "CollectedHeap", "_is_gc_active", &paused)))
		return false;
	h->collections = collected + count;
	h->paused = collected + paused;
	return true;
}

static int heap_fail(struct error *err, const char *what)
{
	return fail(err, ERROR_UNAVAILABLE, "this JVM's tables lack %s", what);
}

static int heap_find(struct java_heap *h, const struct vm_structs *v,
		     struct error *err)
{
	bool has_z = false, has_shenandoah = false, is_generational = false;
	const struct vm_flag flags[] = {
		{ "UseZGC", &has_z },
		{ "UseShenandoahGC", &has_shenandoah },
		{ "ZGenerational", &is_generational },
	};
	uint64_t at, collected;

	if (!vm_flags_read(v, h->memory, flags, 3))
		return heap_fail(err, "the flags");
	if (!vm_structs_static(v, "Universe", "_collectedHeap", &at) ||
	    (collected = memory_u64(h->memory, at)) < OBJECT_LOWEST ||
	    !heap_find_counters(h, v, collected))
		return heap_fail(err, "the number of collections");
	if (has_shenandoah)
		h->kind = HEAP_SHENANDOAH;
	if (has_z && !z_find(h, v, is_generational, collected))
		return heap_fail(err, "the colors of ZGC");
	return 0;
}

bool java_heap_range(const struct vm_structs *v, struct memory *memory,
		     uint64_t *begin, uint64_t *end)
{
	uint64_t at, heap;
	uint32_t reserved, start, words;

	if (!vm_structs_static(v, "Universe", "_collectedHeap", &at) ||
	    !vm_structs_offset(v, "CollectedHeap", "_reserved", &reserved) ||
	    !vm_structs_offset(v, "MemRegion", "_start", &start) ||
	    !vm_structs_offset(v, "MemRegion", "_word_size", &words))
		return false;
	heap = memory_u64(memory, at);
	*begin = memory_u64(memory, heap + reserved + start);
	*end = *begin + 8 * memory_u64(memory, heap + reserved + words);
	return heap && *begin && *end > *begin;
}

struct java_heap *java_heap_open(const struct vm_structs *v,
				 struct memory *memory,
				 const struct object_shape *shape,
				 struct error *err)
{
	struct java_heap *h = xcalloc(1, sizeof(*h));

	h->memory = memory;
	h->shape = *shape;
	if (heap_find(h, v, err) == 0)
		return h;
	free(h);
	return NULL;
}

void java_heap_close(struct java_heap *h) { free(h); }

bool java_heap_epoch(struct java_heap *h, uint32_t *epoch)
{
	uint8_t paused = 1;
	struct memory_range r[] = {
		{ h->paused, &paused, 1, false },
		{ h->collections, epoch, sizeof(*epoch), false },
	};

	h->memory->read_all(h->memory, r, 2);
	return r[0].is_read && r[1].is_read && !paused;
}

/* Replaces each object that has moved by its copy. */
static void shenandoah_resolve(struct java_heap *h, struct java_reference **all,
			       size_t count)
{
	struct memory_range *r = xcalloc(count + 1, sizeof(*r));
	uint64_t *marks = xcalloc(count + 1, sizeof(*marks));
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (all[i]->address)
			r[n++] = memory_range_of(all[i]->address, &marks[i], 8);
	}
	h->memory->read_all(h->memory, r, n);
	n = 0;
	for (size_t i = 0; i < count; i++) {
		if (!all[i]->address)
			continue;
		all[i]->is_known = r[n++].is_read;
		if ((marks[i] & MARK_FORWARDED) == MARK_FORWARDED)
			all[i]->address = marks[i] & ~(uint64_t)MARK_FORWARDED;
	}
	free(marks);
	free(r);
}

void java_heap_resolve(struct java_heap *h, struct java_reference **all,
		       size_t count)
{
	bool is_z = h->kind == HEAP_Z || h->kind == HEAP_Z_GENERATIONS;
	bool has_masks = is_z && count && z_read_masks(h);

	for (size_t i = 0; i < count; i++) {
		struct java_reference *r = all[i];

		r->address = 0;
		r->is_known = false;
		if (has_masks)
			z_resolve_one(h, r);
		if (is_z)
			continue;
		r->address = r->is_in_vm
				     ? java_reference_decode(r->value)
				     : object_shape_decode(&h->shape, r->value);
		r->is_known = r->address || !r->value;
	}
	if (h->kind == HEAP_SHENANDOAH)
		shenandoah_resolve(h, all, count);
}

bool java_heap_follow(struct java_heap *h, uint64_t address, bool is_in_vm,
		      uint64_t *out)
{
	struct java_reference r = { .is_in_vm = is_in_vm }, *all = &r;

	*out = 0;
	if (!memory_read(h->memory, address, &r.value,
			 is_in_vm ? OBJECT_WORD
				  : object_reference_bytes(&h->shape)))
		return false;
	java_heap_resolve(h, &all, 1);
	if (r.is_known)
		*out = r.address;
	return r.is_known;
}
