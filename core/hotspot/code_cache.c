/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/code_cache.h"

#include "core/base/alloc.h"
#include "core/base/arena.h"
#include "core/base/map64.h"
#include "core/hotspot/blob_layout.h"
#include "core/hotspot/code_heap.h"

#include <stdlib.h>
#include <string.h>

#define USED_FOR         64          /* generations */
#define MAX_BLOBS        (1 << 16)   /* long before, all are forgotten */
#define MAX_CODE         (4u << 20)  /* of one blob, of which a copy is kept */
#define MAX_CODE_TOTAL   (96u << 20) /* of all */
#define MAX_BLOCK_HEADER 64
#define MAX_SEGMENTS     (32u << 20) /* of all heaps */
/*
 * What looking may cost in a generation: bytes of code, segments of blobs, and
 * reads of those that were not known, of which each takes two or three.
 */
#define MAX_CODE_READ     (32u << 20)
#define MAX_SEGMENTS_KEPT (4u << 20)
#define MAX_READS         (16u << 10)

/* A blob as it was found; another in its place gets an entry of its own. */
struct entry {
	struct code_blob blob;
	uint64_t name;       /* address of it */
	uint32_t generation; /* when it was last looked at */
	uint32_t last_used;  /* so is this */
	uint32_t missing;    /* when it was last looked for in vain */
	bool is_listed;      /* among the used */
	bool has_no_code;    /* it could not be read */
	bool is_freed;       /* there may be another in a part of its place */
	bool is_gone;        /* another is in its place */
	uint8_t *code;
};

struct code_cache {
	struct memory *memory;
	struct blob_layout layout;
	struct code_heaps heaps;
	uint32_t generation;
	uint32_t forgotten; /* entries: identities go on behind those */
	uint32_t code_read, segments_kept; /* in this generation */
	uint32_t reads;                    /* that are left in it */
	uint64_t refused, gone;
	struct map64 by_address; /* of blobs: index of the latest entry */
	struct entry **entries;
	size_t count, cap;
	uint32_t *used; /* entries that were asked for of late */
	size_t used_count, used_cap;
	size_t code_bytes;
	struct arena arena;
	/* By heap and segment: what was found there last, + 1; 0: nothing. */
	uint32_t *segments[CODE_HEAPS];
	uint64_t segment_count;
	uint64_t missing; /* the last address without a blob, */
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
		fail(err, ERROR_UNAVAILABLE, "a HeapBlock of no known size");
		code_cache_close(c);
		return NULL;
	}
	return c;
}

/*
 * What is generated on demand, a routine behind the other or in the place of
 * another, in a blob that stands for good.
 */
static bool grows(const struct entry *e)
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

/* Give it a new identity, so that caches keyed by identity drop it. */
static void make_other(struct code_cache *c, struct entry *e)
{
	e->blob.identity = ++c->forgotten + (uint32_t)c->count;
}

static void drop_code(struct code_cache *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct entry *e = c->entries[i];

		/* Whether it has grown is no longer seen. */
		if (e->code && grows(e))
			make_other(c, e);
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
	drop_code(c);
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

/* Names are few: those of the C++ source. */
static const char *name_at(struct code_cache *c, uint64_t address)
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

/* What identifies a blob is the same: it is that blob still. */
static bool is_same(const struct entry *e, const struct code_blob *b,
		    uint64_t name)
{
	return e->name == name && e->blob.begin == b->begin &&
	       e->blob.end == b->end && e->blob.method == b->method &&
	       e->blob.compile_id == b->compile_id &&
	       e->blob.frame_bytes == b->frame_bytes;
}

/* Reads its code again; what has grown is another blob to who remembers. */
static void renew_code(struct code_cache *c, struct entry *e)
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
		make_other(c, e);
	}
	free(now);
}

static void mark_used(struct code_cache *c, uint32_t index)
{
	struct entry *e = c->entries[index];

	e->last_used = c->generation;
	if (e->is_listed)
		return;
	if (e->code && grows(e))
		renew_code(c, e);
	e->is_listed = true;
	array_reserve(c->used, c->used_cap, c->used_count + 1);
	c->used[c->used_count++] = index;
}

static uint32_t add_entry(struct code_cache *c, const struct code_blob *blob,
			  uint64_t name)
{
	struct entry *e;

	if (c->count == MAX_BLOBS) {
		c->refused++;
		return MAP64_NONE;
	}
	e = arena_alloc(&c->arena, sizeof(*e));
	*e = (struct entry){ .blob = *blob, .name = name };
	e->blob.identity = c->forgotten + (uint32_t)c->count + 1;
	e->generation = c->generation;
	array_reserve(c->entries, c->cap, c->count + 1);
	c->entries[c->count] = e;
	if (!map64_add(&c->by_address, blob->address, (uint32_t)c->count))
		map64_slot(&c->by_address, blob->address)
			->value = (uint32_t)c->count;
	return (uint32_t)c->count++;
}

/* What is read of a block: its own header, and that of the blob in it. */
static size_t block_bytes(const struct code_cache *c)
{
	return c->heaps.block_header + c->layout.header_bytes;
}

/* What stands in a block: the entry it has, or gets; MAP64_NONE = no blob. */
static uint32_t entry_of(struct code_cache *c, uint64_t address,
			 const uint8_t *block)
{
	const uint8_t *header = block + c->heaps.block_header;
	bool is_freed = c->heaps.says_used && !block[c->heaps.used_at];
	uint64_t name = blob_layout_name(&c->layout, header);
	const char *text = name_at(c, name);
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
	if (known != MAP64_NONE && is_same(c->entries[known], &blob, name)) {
		c->entries[known]->generation = c->generation;
		c->entries[known]->is_freed = is_freed;
		c->entries[known]->has_no_code = false;
		return known;
	}
	known = add_entry(c, &blob, name);
	if (known != MAP64_NONE)
		c->entries[known]->is_freed = is_freed;
	return known;
}

static uint32_t look_up(struct code_cache *c, uint64_t pc)
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
	if (!memory_read(c->memory, block, bytes, block_bytes(c)))
		return MAP64_NONE;
	return entry_of(c, address, bytes);
}

/*
 * An entry that was right in an earlier generation; the one that is in its
 * place now.  When that cannot be read, the target has ended perhaps, and what
 * was known of it stands.
 */
static uint32_t look_again(struct code_cache *c, uint32_t index)
{
	struct entry *e = c->entries[index];
	uint8_t bytes[MAX_BLOCK_HEADER + BLOB_HEADER_BYTES];
	uint32_t now;

	if (e->missing == c->generation || !c->reads)
		return MAP64_NONE;
	c->reads--;
	if (!memory_read(c->memory, e->blob.address - c->heaps.block_header,
			 bytes, block_bytes(c))) {
		e->generation = c->generation;
		return index;
	}
	now = entry_of(c, e->blob.address, bytes);
	if (now == index)
		return index;
	e->missing = c->generation;
	return MAP64_NONE;
}

static bool holds(const struct entry *e, uint64_t pc)
{
	/* A call may be the last instruction: its return address is the end. */
	return pc >= e->blob.begin && pc <= e->blob.end;
}

/* Where what is known of an address's segment stands, or NULL. */
static uint32_t *segment_of(struct code_cache *c, uint64_t pc)
{
	const struct code_heap *heap = code_heaps_at(&c->heaps, pc);
	size_t i = heap ? (size_t)(heap - c->heaps.all) : 0;
	uint64_t count;

	if (!heap)
		return NULL;
	count = (heap->high - heap->low) >> heap->segment_shift;
	/* Of which only what is touched costs memory. */
	if (!c->segments[i]) {
		if (count > MAX_SEGMENTS - c->segment_count)
			return NULL;
		c->segment_count += count;
		c->segments[i] = xcalloc(count + 1, sizeof(**c->segments));
	}
	return &c->segments[i][(pc - heap->low) >> heap->segment_shift];
}

static void keep_segments(struct code_cache *c, uint32_t index, uint64_t pc)
{
	const struct code_blob *b = &c->entries[index]->blob;
	uint32_t *first = segment_of(c, b->address);
	uint32_t *last = segment_of(c, b->end - 1);

	/* One that says it is huge is found again where it was found. */
	if (first && last - first > MAX_SEGMENTS_KEPT - c->segments_kept)
		first = last = segment_of(c, pc);
	if (first)
		c->segments_kept += (uint32_t)(last - first);
	for (; first && first <= last; first++)
		*first = index + 1;
}

/*
 * What is there now; when that is nothing, what has been until a while ago,
 * which the sample may be of.
 */
static uint32_t look_up_instead(struct code_cache *c, uint64_t pc, uint32_t old)
{
	uint32_t index = look_up(c, pc);

	if (index == MAP64_NONE ||
	    (old != MAP64_NONE &&
	     (!holds(c->entries[index], pc) || c->entries[index]->is_freed)))
		return old;
	keep_segments(c, index, pc);
	return index;
}

const struct code_blob *code_cache_find(struct code_cache *c, uint64_t pc)
{
	uint32_t *segment = segment_of(c, pc);
	uint32_t index = segment && *segment ? *segment - 1 : MAP64_NONE;
	uint64_t refused = c->refused;

	if (!code_cache_has(c, pc) ||
	    (c->missing == pc && c->missing_generation == c->generation))
		return NULL;
	if (index != MAP64_NONE && !holds(c->entries[index], pc))
		index = MAP64_NONE;
	if (index != MAP64_NONE &&
	    c->entries[index]->generation != c->generation)
		index = look_again(c, index);
	if (index == MAP64_NONE || c->entries[index]->is_freed)
		index = look_up_instead(c, pc, index);
	if (index == MAP64_NONE || !holds(c->entries[index], pc)) {
		/* What was refused is not known to be missing. */
		if (c->refused == refused) {
			c->missing = pc;
			c->missing_generation = c->generation;
		}
		return NULL;
	}
	mark_used(c, index);
	return &c->entries[index]->blob;
}

const uint8_t *code_cache_code(struct code_cache *c,
			       const struct code_blob *blob)
{
	struct entry *e = (struct entry *)blob;
	size_t len = blob->end - blob->begin;

	if (e->code || e->has_no_code)
		return e->code;
	if (len > MAX_CODE || c->code_bytes + len > 2 * MAX_CODE_TOTAL ||
	    len > MAX_CODE_READ - c->code_read) {
		c->refused++;
		return NULL;
	}
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
 * A JVM that makes code all day, or one that lies.  What is still there is
 * found again, as another.
 */
static void forget_all(struct code_cache *c)
{
	drop_code(c);
	c->forgotten += (uint32_t)c->count;
	map64_clear(&c->by_address);
	for (size_t i = 0; i < CODE_HEAPS; i++) {
		free(c->segments[i]);
		c->segments[i] = NULL;
	}
	c->segment_count = 0;
	c->count = c->used_count = 0;
	arena_release(&c->arena);
}

/* Leaves out of the list what has not been used for long. */
static void forget_unused(struct code_cache *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->used_count; i++) {
		struct entry *e = c->entries[c->used[i]];

		e->is_listed = c->generation - e->last_used <= USED_FOR;
		if (e->is_listed)
			c->used[kept++] = c->used[i];
	}
	c->used_count = kept;
}

/*
 * Whether what stands in an entry's block is it; false once, when it is not.
 * One of the same name that cannot be looked at may be it.
 */
static bool is_still(struct code_cache *c, uint32_t index, const uint8_t *block)
{
	struct entry *e = c->entries[index];
	bool was_freed = e->is_freed || e->is_gone;
	uint64_t name = blob_layout_name(&c->layout,
					 block + c->heaps.block_header);
	uint32_t now = entry_of(c, e->blob.address, block);

	e->is_gone = now != index && (now != MAP64_NONE || name != e->name);
	return was_freed || !(e->is_freed || e->is_gone);
}

/* All that were used of late are looked at in one read: they will be again. */
static void look_at_used(struct code_cache *c)
{
	size_t size = block_bytes(c);
	struct memory_range *ranges = xcalloc(c->used_count, sizeof(*ranges));
	uint8_t *headers = xcalloc(c->used_count, size);

	for (size_t i = 0; i < c->used_count; i++)
		ranges[i] = (struct memory_range){
			c->entries[c->used[i]]->blob.address -
				c->heaps.block_header,
			headers + i * size, size, false
		};
	c->memory->read_all(c->memory, ranges, c->used_count);
	for (size_t i = 0; i < c->used_count; i++) {
		struct entry *e = c->entries[c->used[i]];

		if (!ranges[i].is_read)
			e->generation = c->generation;
		else if (!is_still(c, c->used[i], headers + i * size))
			c->gone++;
		else if (e->code && grows(e))
			renew_code(c, e);
	}
	free(headers);
	free(ranges);
}

uint64_t code_cache_refused(const struct code_cache *c) { return c->refused; }

uint64_t code_cache_gone(const struct code_cache *c) { return c->gone; }

void code_cache_begin(struct code_cache *c)
{
	c->generation++;
	c->code_read = c->segments_kept = 0;
	c->reads = MAX_READS;
	if (c->count >= MAX_BLOBS / 4 * 3)
		forget_all(c);
	if (c->code_bytes > MAX_CODE_TOTAL)
		drop_code(c);
	forget_unused(c);
	if (c->used_count)
		look_at_used(c);
}
