/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/code_list.h"

#include "core/base/alloc.h"
#include "core/base/map64.h"
#include "core/hotspot/blob_layout.h"
#include "core/hotspot/code_heap.h"

#include <stdlib.h>
#include <string.h>

enum {
	PIECE = 4096, /* of a segment map: a page is there or is not */
	PIECES = 256, /* read at once */
	BLOCKS = 512, /* looked at in one read */
	MOST_BLOCKS = 1 << 20,
	MOST_NAMES = 256, /* of kinds of blobs; there are some thirty */
	MOST_BLOCK_HEADER = 64,
};

struct name {
	char text[sizeof(((struct code_blob *)0)->name)];
};

struct listing {
	struct code_list *list;
	size_t list_cap;
	struct memory *memory;
	struct code_heaps heaps;
	struct blob_layout layout;
	uint64_t *blocks; /* where the maps have blocks begin */
	size_t block_count, block_cap;
	struct map64 name_index; /* of names by their addresses */
	struct name *names;
	size_t name_count, name_cap;
};

static int read_layout(struct listing *l, const struct vm_structs *v,
		       struct error *err)
{
	if (code_heaps_read(&l->heaps, v, l->memory, err) ||
	    blob_layout_read(&l->layout, v, err))
		return -1;
	if (!l->heaps.says_used || l->heaps.block_header > MOST_BLOCK_HEADER)
		return fail(err, ERROR_UNAVAILABLE,
			    "the JVM does not say what a HeapBlock looks like");
	return 0;
}

/* A block begins where the map has 0. */
static void take_piece(struct listing *l, const struct code_heap *heap,
		       uint64_t first, const uint8_t *map, size_t len)
{
	const uint8_t *at = map;

	while (l->block_count < MOST_BLOCKS &&
	       (at = memchr(at, 0, (size_t)(map + len - at)))) {
		uint64_t segment = first + (uint64_t)(at - map);

		array_reserve(l->blocks, l->block_cap, l->block_count + 1);
		l->blocks[l->block_count++] = heap->low +
					      (segment << heap->segment_shift);
		at++;
	}
}

/* From a segment on; where the next piece begins. */
static uint64_t read_pieces(struct listing *l, const struct code_heap *heap,
			    uint64_t first, uint64_t count, uint8_t *bytes)
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
		/* What is not committed cannot be read, and has no blocks. */
		if (ranges[i].is_read)
			take_piece(l, heap,
				   ranges[i].address - heap->segment_map,
				   ranges[i].bytes, ranges[i].len);
	}
	return ranges[pieces - 1].address + ranges[pieces - 1].len -
	       heap->segment_map;
}

static void find_blocks(struct listing *l)
{
	uint8_t *bytes = xmalloc((size_t)PIECES * PIECE);

	for (size_t i = 0; i < l->heaps.count; i++) {
		const struct code_heap *heap = &l->heaps.all[i];
		uint64_t count = (heap->high - heap->low) >>
				 heap->segment_shift;

		for (uint64_t at = 0; at < count;)
			at = read_pieces(l, heap, at, count, bytes);
	}
	free(bytes);
}

static const char *name_at(struct listing *l, uint64_t address)
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

static void take_block(struct listing *l, uint64_t block, const uint8_t *bytes)
{
	const uint8_t *header = bytes + l->heaps.block_header;
	uint64_t address = block + l->heaps.block_header;
	const struct code_heap *heap = code_heaps_at(&l->heaps, block);
	struct code_blob blob = { 0 };
	struct code_list *list = l->list;
	const char *name;

	if (!bytes[l->heaps.used_at])
		return;
	name = name_at(l, blob_layout_name(&l->layout, header));
	if (!name || !*name)
		return;
	memcpy(blob.name, name, strlen(name) + 1);
	if (!blob_layout_parse(&l->layout, header, address, &blob) ||
	    blob.begin >= blob.end ||
	    code_heaps_at(&l->heaps, blob.begin) != heap ||
	    code_heaps_at(&l->heaps, blob.end - 1) != heap)
		return;
	array_reserve(list->blobs, l->list_cap, list->count + 1);
	list->blobs[list->count++] = blob;
}

static void read_blocks(struct listing *l, const uint64_t *blocks, size_t count)
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
			take_block(l, blocks[i], ranges[i].bytes);
	}
	free(bytes);
}

static int by_begin(const void *a, const void *b)
{
	const struct code_blob *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* In order; of those that overlap, since one has replaced another, the first.
 */
static void put_in_order(struct code_list *list)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->blobs, list->count, sizeof(*list->blobs), by_begin);
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
	ret = read_layout(&l, v, err);
	if (ret == 0) {
		find_blocks(&l);
		for (size_t i = 0; i < l.block_count; i += BLOCKS)
			read_blocks(&l, l.blocks + i,
				    l.block_count - i < BLOCKS
					    ? l.block_count - i
					    : BLOCKS);
		put_in_order(list);
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
