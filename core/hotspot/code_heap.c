/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/code_heap.h"

#include <string.h>

#define MAX_HEAP_BYTES (UINT64_C(4) << 30) /* ReservedCodeCacheSize: 2 GiB */
#define MAX_STRUCT     1024
#define WINDOW         1024 /* segments looked at in one read */
#define MAX_STEPS      16384
#define NO_BLOCK       0xff

/* Where in a CodeHeap its parts stand. */
struct layout {
	uint32_t memory, segment_map, shift; /* of CodeHeap */
	uint32_t low, high;                  /* of VirtualSpace */
};

static int read_layout(struct layout *l, const struct vm_structs *v,
		       struct error *err)
{
	if (vm_structs_offset(v, "CodeHeap", "_memory", &l->memory) &&
	    vm_structs_offset(v, "CodeHeap", "_segmap", &l->segment_map) &&
	    vm_structs_offset(v, "CodeHeap", "_log2_segment_size", &l->shift) &&
	    vm_structs_offset(v, "VirtualSpace", "_low_boundary", &l->low) &&
	    vm_structs_offset(v, "VirtualSpace", "_high_boundary", &l->high) &&
	    l->memory + l->high <= MAX_STRUCT - 8 &&
	    l->segment_map + l->low <= MAX_STRUCT - 8 &&
	    l->shift <= MAX_STRUCT - 8)
		return 0;
	return fail(err, ERROR_UNAVAILABLE,
		    "the JVM does not say what a CodeHeap looks like");
}

/* The addresses of the CodeHeaps: an array of them, since JDK 9. */
static size_t read_addresses(uint64_t *out, const struct vm_structs *v,
			     struct memory *memory)
{
	uint64_t heaps, array, data;
	uint32_t len_at, data_at, len;

	/* JDK 8 has one. */
	if (vm_structs_static(v, "CodeCache", "_heap", &heaps)) {
		out[0] = memory_u64(memory, heaps);
		return 1;
	}
	if (!vm_structs_static(v, "CodeCache", "_heaps", &heaps) ||
	    (!vm_structs_offset(v, "GrowableArrayBase", "_len", &len_at) &&
	     !vm_structs_offset(v, "GenericGrowableArray", "_len", &len_at)) ||
	    !vm_structs_offset(v, "GrowableArray<int>", "_data", &data_at))
		return 0;
	array = memory_u64(memory, heaps);
	len = memory_u32(memory, array + len_at);
	data = memory_u64(memory, array + data_at);
	if (!array || len > CODE_HEAPS ||
	    !memory_read(memory, data, out, len * sizeof(*out)))
		return 0;
	return len;
}

static bool read_heap(struct code_heap *heap, const struct layout *l,
		      struct memory *memory, uint64_t address)
{
	uint8_t bytes[MAX_STRUCT];
	struct memory_range parts[] = {
		{ address + l->memory + l->low, bytes, 8, false },
		{ address + l->memory + l->high, bytes + 8, 8, false },
		{ address + l->segment_map + l->low, bytes + 16, 8, false },
		{ address + l->shift, bytes + 24, 4, false },
	};

	memory->read_all(memory, parts, 4);
	for (size_t i = 0; i < 4; i++)
		if (!parts[i].is_read)
			return false;
	memcpy(&heap->low, bytes, 8);
	memcpy(&heap->high, bytes + 8, 8);
	memcpy(&heap->segment_map, bytes + 16, 8);
	memcpy(&heap->segment_shift, bytes + 24, 4);
	return heap->low < heap->high &&
	       heap->high - heap->low <= MAX_HEAP_BYTES &&
	       heap->segment_shift >= 4 && heap->segment_shift <= 16;
}

static void read_used(struct code_heaps *h, const struct vm_structs *v)
{
	uint32_t header, used;

	h->says_used = vm_structs_offset(v, "HeapBlock", "_header", &header) &&
		       vm_structs_offset(v, "HeapBlock::Header", "_used",
					 &used) &&
		       header < h->block_header &&
		       used < h->block_header - header;
	if (h->says_used)
		h->used_at = header + used;
}

int code_heaps_read(struct code_heaps *h, const struct vm_structs *v,
		    struct memory *memory, struct error *err)
{
	uint64_t addresses[CODE_HEAPS] = { 0 };
	struct layout layout;
	size_t count;

	*h = (struct code_heaps){ 0 };
	if (read_layout(&layout, v, err))
		return -1;
	if (!vm_structs_size(v, "HeapBlock", &h->block_header) ||
	    h->block_header > MAX_STRUCT)
		return fail(err, ERROR_UNAVAILABLE,
			    "the JVM does not say how large a HeapBlock is");
	read_used(h, v);
	count = read_addresses(addresses, v, memory);
	for (size_t i = 0; i < count; i++)
		if (read_heap(&h->all[h->count], &layout, memory, addresses[i]))
			h->count++;
	if (!h->count)
		return fail(err, ERROR_UNAVAILABLE,
			    "the JVM's code cache cannot be found");
	return 0;
}

const struct code_heap *code_heaps_at(const struct code_heaps *h, uint64_t pc)
{
	for (size_t i = 0; i < h->count; i++)
		if (pc >= h->all[i].low && pc < h->all[i].high)
			return &h->all[i];
	return NULL;
}

bool code_heaps_block(const struct code_heaps *h, struct memory *memory,
		      uint64_t pc, uint32_t *reads, uint64_t *block)
{
	const struct code_heap *heap = code_heaps_at(h, pc);
	uint64_t segment, first = UINT64_MAX;
	uint8_t map[WINDOW];

	if (!heap)
		return false;
	segment = (pc - heap->low) >> heap->segment_shift;
	for (int i = 0; i < MAX_STEPS; i++) {
		uint8_t back;

		if (segment < first) {
			size_t len = segment < WINDOW ? segment + 1 : WINDOW;

			first = segment + 1 - len;
			if (*reads == 0)
				return false;
			(*reads)--;
			if (!memory_read(memory, heap->segment_map + first, map,
					 len))
				return false;
		}
		back = map[segment - first];
		if (back == 0) {
			*block = heap->low + (segment << heap->segment_shift);
			return true;
		}
		if (back == NO_BLOCK || back > segment)
			return false;
		segment -= back;
	}
	return false;
}
