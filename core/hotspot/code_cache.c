/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/code_cache.h"

#include "core/base/alloc.h"
#include "core/base/arena.h"
#include "core/base/map64.h"

#include <stdlib.h>
#include <string.h>

#define USED_FOR         64 /* generations that an unused entry stays listed */
#define MAX_BLOBS        (1u << 16) /* all blobs are discarded at this number */
#define MAX_CODE         (4u << 20) /* of a blob whose code is cached */
#define MAX_CODE_TOTAL   (8u << 20) /* maximum bytes of all cached code */
#define MAX_BLOCK_HEADER 64
#define MAX_SEGMENTS     (32u << 20) /* maximum segments of all heaps */
/*
 * Limits of a generation: bytes of code, segments of blobs, and reads for
 * unknown blobs, each of which needs two or three.
 */
#define MAX_CODE_READ     (32u << 20)
#define MAX_SEGMENTS_KEPT (1u << 20)
#define MAX_READS         (16u << 10)
/* All blobs are discarded when so many segments lead to them. */
#define MAX_SEGMENTS_TOTAL (2u << 20)

/* A blob.  Another blob at its address gets its own entry. */
struct cache_entry {
	struct code_blob blob;
	uint64_t name;       /* address of the name */
	uint32_t generation; /* generation of the last check */
	uint32_t last_used;  /* generation of the last use */
	uint32_t missing; /* generation of the last search without a result */
	bool is_listed;   /* listed in `used` */
	bool has_no_code; /* the code was unreadable */
	bool is_freed;    /* another blob may occupy a part of its place */
	bool is_gone;     /* another blob is at its address */
	uint8_t *code;
};

struct code_cache {
	struct memory *memory;
	struct blob_layout layout;
	struct code_heaps heaps;
	uint32_t generation;
	uint32_t forgotten; /* number of discarded entries, so that identities
			       are never reused */
	uint32_t code_read, segments_kept; /* both in this generation */
	uint64_t segments_total;           /* kept in earlier generations */
	uint32_t reads;                    /* reads left in this generation */
	uint64_t refused, gone;
	struct map64
		by_address; /* index of the latest entry of each blob address */
	struct cache_entry **entries;
	size_t count, cap;
	uint32_t *used; /* entries that were used recently */
	size_t used_count, used_cap;
	size_t code_bytes;
	struct arena arena;
	/*
	 * By heap and segment: index + 1 of the latest entry found there; 0 =
	 * none.
	 */
	uint32_t *segments[CODE_HEAPS];
	uint64_t segment_count;
	uint64_t missing; /* the latest address without a blob */
	uint32_t missing_generation;
	struct {
		uint64_t address;
		char text[sizeof(((struct code_blob *)0)->name)];
	} names[256];
};

struct code_cache *code_cache_open(const struct vm_structs *v,
				   struct memory *memory, struct error *err)
{
	struct code_cache *c = xcalloc(1, sizeof(*c));

	c->memory = memory;
	c->generation = 1;
	c->reads = MAX_READS;
	if (code_heaps_read(&c->heaps, v, memory, err) ||
	    blob_layout_read(&c->layout, v, err)) {
		code_cache_close(c);
		return NULL;
	}
	if (c->heaps.block_header > MAX_BLOCK_HEADER) {
		fail(err, ERROR_UNAVAILABLE, "HeapBlock has an unknown size");
		code_cache_close(c);
		return NULL;
	}
	return c;
}

/*
 * Returns true for blobs whose routines are generated on demand, after each
 * other or in place of each other, while the blob stays.
 */
static bool entry_grows(const struct cache_entry *e)
{
	static const char *const names[] = {
		"vtable",            /* VtableStubs: "vtable chunks" */
		"InlineCacheBuffer", /* ICStubs, until JDK 22 */
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(e->blob.name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Gives the entry a new identity, so that caches keyed by identity drop it. */
static void entry_renew_identity(struct code_cache *c, struct cache_entry *e)
{
	e->blob.identity = ++c->forgotten + (uint32_t)c->count;
}

static void cache_drop_code(struct code_cache *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct cache_entry *e = c->entries[i];

		/* Without the code, growth would go unnoticed. */
		if (e->code && entry_grows(e))
			entry_renew_identity(c, e);
		free(e->code);
		e->code = NULL;
		e->has_no_code = false;
	}
	c->code_bytes = 0;
}

void code_cache_close(struct code_cache *c)
{
	if (!c)
		return;
	cache_drop_code(c);
	map64_release(&c->by_address);
	for (size_t i = 0; i < CODE_HEAPS; i++)
		free(c->segments[i]);
	free(c->entries);
	free(c->used);
	arena_release(&c->arena);
	free(c);
}

bool code_cache_has(const struct code_cache *c, uint64_t pc)
{
	return code_heaps_at(&c->heaps, pc);
}

/* Keeps all names: there are few, those in HotSpot's source. */
static const char *cache_name_at(struct code_cache *c, uint64_t address)
{
	size_t slot = hash_mix(address, 0) %
		      (sizeof(c->names) / sizeof(*c->names));

	if (c->names[slot].address != address || !address) {
		c->names[slot].address = 0;
		if (!memory_string(c->memory, address, c->names[slot].text,
				   sizeof(c->names[slot].text)))
			return NULL;
		c->names[slot].address = address;
	}
	return c->names[slot].text;
}

/* True when two headers identify the same blob. */
static bool entry_is_same(const struct cache_entry *e,
			  const struct code_blob *b, uint64_t name)
{
	return e->name == name && e->blob.begin == b->begin &&
	       e->blob.end == b->end && e->blob.method == b->method &&
	       e->blob.compile_id == b->compile_id &&
	       e->blob.frame_bytes == b->frame_bytes;
}

/* Reads the code again; a blob that has grown gets a new identity. */
static void entry_renew_code(struct code_cache *c, struct cache_entry *e)
{
	size_t len = e->blob.end - e->blob.begin;
	uint8_t *now;

	if (len > MAX_CODE_READ - c->code_read) {
		c->refused++;
		return;
	}
	c->code_read += (uint32_t)len;
	now = xmalloc(len);
	if (memory_read(c->memory, e->blob.begin, now, len) &&
	    memcmp(now, e->code, len) != 0) {
		memcpy(e->code, now, len);
		entry_renew_identity(c, e);
	}
	free(now);
}

static void cache_mark_used(struct code_cache *c, uint32_t index)
{
	struct cache_entry *e = c->entries[index];

	e->last_used = c->generation;
	if (e->is_listed)
		return;
	if (e->code && entry_grows(e))
		entry_renew_code(c, e);
	e->is_listed = true;
	array_add(c->used, c->used_count, c->used_cap, index);
}

static uint32_t cache_add_entry(struct code_cache *c,
				const struct code_blob *blob, uint64_t name)
{
	struct cache_entry *e;

	if (c->count == MAX_BLOBS) {
		c->refused++;
		return MAP64_NONE;
	}
	e = arena_alloc(&c->arena, sizeof(*e));
	*e = (struct cache_entry){ .blob = *blob, .name = name };
	e->blob.identity = c->forgotten + (uint32_t)c->count + 1;
	e->generation = c->generation;
	array_reserve(c->entries, c->cap, c->count + 1);
	c->entries[c->count] = e;
	if (!map64_add(&c->by_address, blob->address, (uint32_t)c->count))
		map64_slot(&c->by_address, blob->address)
			->value = (uint32_t)c->count;
	return (uint32_t)c->count++;
}

/* The bytes to read of a block: its header, and that of the blob in it. */
static size_t cache_block_bytes(const struct code_cache *c)
{
	return c->heaps.block_header + c->layout.header_bytes;
}

/*
 * Returns the entry of the blob in a block, adding one if needed; MAP64_NONE =
 * no blob.
 */
static uint32_t cache_find_entry(struct code_cache *c, uint64_t address,
				 const uint8_t *block)
{
	const uint8_t *header = block + c->heaps.block_header;
	bool is_freed = c->heaps.says_used && !block[c->heaps.used_at];
	uint64_t name = blob_layout_name(&c->layout, header);
	const char *text = cache_name_at(c, name);
	uint32_t known = map64_get(&c->by_address, address);
	struct code_blob blob = { 0 };

	if (!text)
		return MAP64_NONE;
	memcpy(blob.name, text, strlen(text) + 1);
	if (!blob_layout_parse(&c->layout, header, address, &blob) ||
	    code_heaps_at(&c->heaps, blob.begin) !=
		    code_heaps_at(&c->heaps, address) ||
	    code_heaps_at(&c->heaps, blob.end - 1) !=
		    code_heaps_at(&c->heaps, address))
		return MAP64_NONE;
	if (known != MAP64_NONE &&
	    entry_is_same(c->entries[known], &blob, name)) {
		c->entries[known]->generation = c->generation;
		c->entries[known]->is_freed = is_freed;
		c->entries[known]->has_no_code = false;
		return known;
	}
	known = cache_add_entry(c, &blob, name);
	if (known != MAP64_NONE)
		c->entries[known]->is_freed = is_freed;
	return known;
}

static uint32_t cache_look_up(struct code_cache *c, uint64_t pc)
{
	uint8_t bytes[MAX_BLOCK_HEADER + BLOB_HEADER_BYTES];
	uint64_t block, address;
	uint32_t known;

	if (c->reads < 2) {
		c->refused++;
		return MAP64_NONE;
	}
	if (!code_heaps_block(&c->heaps, c->memory, pc, &c->reads, &block)) {
		c->refused += c->reads == 0;
		return MAP64_NONE;
	}
	address = block + c->heaps.block_header;
	known = map64_get(&c->by_address, address);
	if (known != MAP64_NONE &&
	    c->entries[known]->generation == c->generation)
		return known;
	c->reads -= c->reads > 0;
	if (!memory_read(c->memory, block, bytes, cache_block_bytes(c)))
		return MAP64_NONE;
	return cache_find_entry(c, address, bytes);
}

/*
 * Returns the current entry at the place of an entry from an earlier
 * generation.  Keeps the old entry when the memory is unreadable, because the
 * target may have ended.
 */
static uint32_t cache_recheck(struct code_cache *c, uint32_t index)
{
	struct cache_entry *e = c->entries[index];
	uint8_t bytes[MAX_BLOCK_HEADER + BLOB_HEADER_BYTES];
	uint32_t now;

	if (e->missing == c->generation || !c->reads)
		return MAP64_NONE;
	c->reads--;
	if (!memory_read(c->memory, e->blob.address - c->heaps.block_header,
			 bytes, cache_block_bytes(c))) {
		e->generation = c->generation;
		return index;
	}
	now = cache_find_entry(c, e->blob.address, bytes);
	if (now == index)
		return index;
	e->missing = c->generation;
	return MAP64_NONE;
}

static bool entry_holds(const struct cache_entry *e, uint64_t pc)
{
	/*
	 * A call may be the last instruction, so the return address may be the
	 * end.
	 */
	return pc >= e->blob.begin && pc <= e->blob.end;
}

/* Returns the slot of an address's segment, or NULL. */
static uint32_t *cache_segment(struct code_cache *c, uint64_t pc)
{
	const struct code_heap *heap = code_heaps_at(&c->heaps, pc);
	size_t i = heap ? (size_t)(heap - c->heaps.all) : 0;
	uint64_t count;

	if (!heap)
		return NULL;
	count = (heap->high - heap->low) >> heap->segment_shift;
	/* Only pages that are written take memory. */
	if (!c->segments[i]) {
		if (count > MAX_SEGMENTS - c->segment_count)
			return NULL;
		c->segment_count += count;
		c->segments[i] = xcalloc(count + 1, sizeof(**c->segments));
	}
	return &c->segments[i][(pc - heap->low) >> heap->segment_shift];
}

static void cache_keep_segments(struct code_cache *c, uint32_t index,
				uint64_t pc)
{
	const struct code_blob *b = &c->entries[index]->blob;
	uint32_t *first = cache_segment(c, b->address);
	uint32_t *last = cache_segment(c, b->end - 1);

	/* Limits the segments of a blob that claims to be huge. */
	if (first && last - first > MAX_SEGMENTS_KEPT - c->segments_kept)
		first = last = cache_segment(c, pc);
	if (first)
		c->segments_kept += (uint32_t)(last - first);
	for (; first && first <= last; first++)
		*first = index + 1;
}

/*
 * Returns the blob that is there now or, as the sample may be older, the blob
 * that was there until recently.
 */
static uint32_t cache_find_substitute(struct code_cache *c, uint64_t pc,
				      uint32_t old)
{
	uint32_t index = cache_look_up(c, pc);

	if (index == MAP64_NONE ||
	    (old != MAP64_NONE && (!entry_holds(c->entries[index], pc) ||
				   c->entries[index]->is_freed)))
		return old;
	cache_keep_segments(c, index, pc);
	return index;
}

const struct code_blob *code_cache_find(struct code_cache *c, uint64_t pc)
{
	uint32_t *segment = cache_segment(c, pc);
	uint32_t index = segment && *segment ? *segment - 1 : MAP64_NONE;
	uint64_t refused = c->refused;

	if (!code_cache_has(c, pc) ||
	    (c->missing == pc && c->missing_generation == c->generation))
		return NULL;
	if (index != MAP64_NONE && !entry_holds(c->entries[index], pc))
		index = MAP64_NONE;
	if (index != MAP64_NONE &&
	    c->entries[index]->generation != c->generation)
		index = cache_recheck(c, index);
	if (index == MAP64_NONE || c->entries[index]->is_freed)
		index = cache_find_substitute(c, pc, index);
	if (index == MAP64_NONE || !entry_holds(c->entries[index], pc)) {
		/*
		 * A search that was not made does not prove that there is no
		 * blob.
		 */
		if (c->refused == refused) {
			c->missing = pc;
			c->missing_generation = c->generation;
		}
		return NULL;
	}
	cache_mark_used(c, index);
	return &c->entries[index]->blob;
}

const uint8_t *code_cache_code(struct code_cache *c,
			       const struct code_blob *blob)
{
	struct cache_entry *e = (struct cache_entry *)blob;
	size_t len = blob->end - blob->begin;

	if (e->code || e->has_no_code)
		return e->code;
	if (len > MAX_CODE || len > MAX_CODE_READ - c->code_read) {
		c->refused++;
		return NULL;
	}
	if (c->code_bytes + len > MAX_CODE_TOTAL)
		cache_drop_code(c);
	c->code_read += (uint32_t)len;
	e->code = xmalloc(len);
	if (!memory_read(c->memory, blob->begin, e->code, len)) {
		free(e->code);
		e->code = NULL;
		e->has_no_code = true;
		return NULL;
	}
	c->code_bytes += len;
	return e->code;
}

/*
 * Discards all entries, because a JVM compiles code for days or its data is
 * forged.  Blobs that still exist are found again with new identities.
 */
static void cache_forget_all(struct code_cache *c)
{
	cache_drop_code(c);
	c->forgotten += (uint32_t)c->count;
	map64_clear(&c->by_address);
	for (size_t i = 0; i < CODE_HEAPS; i++) {
		free(c->segments[i]);
		c->segments[i] = NULL;
	}
	c->segment_count = 0;
	c->segments_total = 0;
	c->count = c->used_count = 0;
	arena_release(&c->arena);
}

void code_cache_drop(struct code_cache *c)
{
	cache_forget_all(c);
	free(c->entries);
	free(c->used);
	c->entries = NULL;
	c->used = NULL;
	c->cap = c->used_cap = 0;
}

/* Removes entries from the list that were not used for a long time. */
static void cache_forget_unused(struct code_cache *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->used_count; i++) {
		struct cache_entry *e = c->entries[c->used[i]];

		e->is_listed = c->generation - e->last_used <= USED_FOR;
		if (e->is_listed)
			c->used[kept++] = c->used[i];
	}
	c->used_count = kept;
}

/*
 * Returns false once, when another blob is at the entry's place.  A blob of the
 * same name whose identity is unreadable counts as the same.
 */
static bool entry_is_current(struct code_cache *c, uint32_t index,
			     const uint8_t *block)
{
	struct cache_entry *e = c->entries[index];
	bool was_freed = e->is_freed || e->is_gone;
	uint64_t name = blob_layout_name(&c->layout,
					 block + c->heaps.block_header);
	uint32_t now = cache_find_entry(c, e->blob.address, block);

	e->is_gone = now != index && (now != MAP64_NONE || name != e->name);
	return was_freed || !(e->is_freed || e->is_gone);
}

/* Checks all recently used entries with one read: they will be used again. */
static void cache_recheck_used(struct code_cache *c)
{
	size_t size = cache_block_bytes(c);
	struct memory_range *ranges = xcalloc(c->used_count, sizeof(*ranges));
	uint8_t *headers = xcalloc(c->used_count, size);

	for (size_t i = 0; i < c->used_count; i++)
		ranges[i] = (struct memory_range){
			c->entries[c->used[i]]->blob.address -
				c->heaps.block_header,
			headers + i * size, size, false
		};
	memory_read_again(c->memory, ranges, c->used_count);
	for (size_t i = 0; i < c->used_count; i++) {
		struct cache_entry *e = c->entries[c->used[i]];

		if (!ranges[i].is_read)
			e->generation = c->generation;
		else if (!entry_is_current(c, c->used[i], headers + i * size))
			c->gone++;
		else if (e->code && entry_grows(e))
			entry_renew_code(c, e);
	}
	free(headers);
	free(ranges);
}

uint64_t code_cache_refused(const struct code_cache *c) { return c->refused; }

uint64_t code_cache_gone(const struct code_cache *c) { return c->gone; }

void code_cache_begin(struct code_cache *c)
{
	c->generation++;
	c->segments_total += c->segments_kept;
	c->code_read = c->segments_kept = 0;
	c->reads = MAX_READS;
	if (c->count >= MAX_BLOBS - MAX_BLOBS / 4 ||
	    c->segments_total >= MAX_SEGMENTS_TOTAL)
		cache_forget_all(c);
	cache_forget_unused(c);
	if (c->used_count)
		cache_recheck_used(c);
}

/* ---- the list of all blobs ---- */

enum {
	PIECE = 4096, /* bytes of a segment map; its pages may be unmapped */
	PIECES = 256, /* pieces per read */
	BLOCKS = 512, /* blocks per read */
	MOST_BLOCKS = 1 << 20,
	MOST_NAMES = 256, /* kinds of blobs; JDK 25 has about thirty */
	MOST_BLOCK_HEADER = 64,
};

struct blob_name {
	char text[sizeof(((struct code_blob *)0)->name)];
};

struct listing {
	struct code_list *list;
	size_t list_cap;
	struct memory *memory;
	struct code_heaps heaps;
	struct blob_layout layout;
	uint64_t *blocks; /* starts of blocks, by the maps */
	size_t block_count, block_cap;
	struct map64 name_index; /* index of names by address */
	struct blob_name *names;
	size_t name_count, name_cap;
};

static int listing_read_layout(struct listing *l, const struct vm_structs *v,
			       struct error *err)
{
	if (code_heaps_read(&l->heaps, v, l->memory, err) ||
	    blob_layout_read(&l->layout, v, err))
		return -1;
	if (!l->heaps.says_used || l->heaps.block_header > MOST_BLOCK_HEADER)
		return fail(err, ERROR_UNAVAILABLE,
			    "the JVM does not export the layout of HeapBlock");
	return 0;
}

/* A block begins where its map has 0. */
static void listing_take_piece(struct listing *l, const struct code_heap *heap,
			       uint64_t first, const uint8_t *map, size_t len)
{
	const uint8_t *at = map;

	while (l->block_count < MOST_BLOCKS &&
	       (at = memchr(at, 0, (size_t)(map + len - at)))) {
		uint64_t segment = first + (uint64_t)(at - map);

		array_add(l->blocks, l->block_count, l->block_cap,
			  heap->low + (segment << heap->segment_shift));
		at++;
	}
}

/*
 * Reads pieces from a segment on and returns the first segment of the next
 * piece.
 */
static uint64_t listing_read_pieces(struct listing *l,
				    const struct code_heap *heap,
				    uint64_t first, uint64_t count,
				    uint8_t *bytes)
{
	struct memory_range ranges[PIECES];
	size_t pieces = 0;

	for (uint64_t at = first; at < count && pieces < PIECES; pieces++) {
		uint64_t address = heap->segment_map + at;
		size_t len = PIECE - address % PIECE;

		if (len > count - at)
			len = (size_t)(count - at);
		ranges[pieces] = (struct memory_range){ address,
							bytes + pieces * PIECE,
							len, false };
		at += len;
	}
	l->memory->read_all(l->memory, ranges, pieces);
	for (size_t i = 0; i < pieces; i++) {
		/* Uncommitted memory is unreadable and has no blocks. */
		if (ranges[i].is_read)
			listing_take_piece(
				l, heap, ranges[i].address - heap->segment_map,
				ranges[i].bytes, ranges[i].len);
	}
	return ranges[pieces - 1].address + ranges[pieces - 1].len -
	       heap->segment_map;
}

static void listing_find_blocks(struct listing *l)
{
	uint8_t *bytes = xmalloc((size_t)PIECES * PIECE);

	for (size_t i = 0; i < l->heaps.count; i++) {
		const struct code_heap *heap = &l->heaps.all[i];
		uint64_t count = (heap->high - heap->low) >>
				 heap->segment_shift;

		for (uint64_t at = 0; at < count;)
			at = listing_read_pieces(l, heap, at, count, bytes);
	}
	free(bytes);
}

static const char *listing_name_at(struct listing *l, uint64_t address)
{
	uint32_t at = map64_get(&l->name_index, address);

	if (at == MAP64_NONE) {
		if (l->name_count == MOST_NAMES)
			return NULL;
		at = (uint32_t)l->name_count++;
		array_reserve(l->names, l->name_cap, l->name_count);
		memory_string(l->memory, address, l->names[at].text,
			      sizeof(l->names[at].text));
		map64_add(&l->name_index, address, at);
	}
	return l->names[at].text;
}

static void listing_take_block(struct listing *l, uint64_t block,
			       const uint8_t *bytes)
{
	const uint8_t *header = bytes + l->heaps.block_header;
	uint64_t address = block + l->heaps.block_header;
	const struct code_heap *heap = code_heaps_at(&l->heaps, block);
	struct code_blob blob = { 0 };
	struct code_list *list = l->list;
	const char *name;

	if (!bytes[l->heaps.used_at])
		return;
	name = listing_name_at(l, blob_layout_name(&l->layout, header));
	if (!name || !*name)
		return;
	memcpy(blob.name, name, strlen(name) + 1);
	if (!blob_layout_parse(&l->layout, header, address, &blob) ||
	    blob.begin >= blob.end ||
	    code_heaps_at(&l->heaps, blob.begin) != heap ||
	    code_heaps_at(&l->heaps, blob.end - 1) != heap)
		return;
	array_add(list->blobs, list->count, l->list_cap, blob);
}

static void listing_read_blocks(struct listing *l, const uint64_t *blocks,
				size_t count)
{
	size_t len = l->heaps.block_header + l->layout.header_bytes;
	struct memory_range ranges[BLOCKS];
	uint8_t *bytes = xcalloc(count, len);

	for (size_t i = 0; i < count; i++)
		ranges[i] = (struct memory_range){ blocks[i], bytes + i * len,
						   len, false };
	l->memory->read_all(l->memory, ranges, count);
	for (size_t i = 0; i < count; i++) {
		if (ranges[i].is_read)
			listing_take_block(l, blocks[i], ranges[i].bytes);
	}
	free(bytes);
}

static int blob_compare_begins(const void *a, const void *b)
{
	const struct code_blob *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/*
 * Sorts the blobs.  If blobs overlap because one has replaced another, the
 * first stays.
 */
static void list_sort(struct code_list *list)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->blobs, list->count, sizeof(*list->blobs),
		      blob_compare_begins);
	for (size_t i = 0; i < list->count; i++) {
		if (kept && list->blobs[i].begin < list->blobs[kept - 1].end)
			continue;
		list->blobs[kept] = list->blobs[i];
		list->blobs[kept].identity = (uint32_t)kept + 1;
		kept++;
	}
	list->count = kept;
}

int code_list_read(struct code_list *list, const struct vm_structs *v,
		   struct memory *memory, struct error *err)
{
	struct listing l = { .list = list, .memory = memory };
	int ret;

	*list = (struct code_list){ 0 };
	ret = listing_read_layout(&l, v, err);
	if (ret == 0) {
		listing_find_blocks(&l);
		for (size_t i = 0; i < l.block_count; i += BLOCKS)
			listing_read_blocks(&l, l.blocks + i,
					    l.block_count - i < BLOCKS
						    ? l.block_count - i
						    : BLOCKS);
		list_sort(list);
	}
	free(l.blocks);
	free(l.names);
	map64_release(&l.name_index);
	return ret;
}

void code_list_release(struct code_list *list)
{
	free(list->blobs);
	*list = (struct code_list){ 0 };
}
