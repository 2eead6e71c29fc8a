/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/code_cache.h"

#include <string.h>

/* ---- the header of a blob ---- */

#define MAX_BLOB_BYTES  (UINT64_C(64) << 20)
#define MAX_FRAME_WORDS (1 << 17)

enum { PLACES = 5 };

/*
 * The places of a field in different JDKs; the first place that exists is used.
 */
struct place {
	const char *type, *name;
	uint8_t width;
	bool is_address;
};

struct wanted {
	size_t field; /* of struct blob_layout */
	const char *what;
	bool is_vital;
	struct place places[PLACES];
};

#define FIELD(name) offsetof(struct blob_layout, name)

/* clang-format off */
static const struct wanted wanted[] = {
	{ FIELD(name), "the name", true,
	  { { "CodeBlob", "_name", 8, true } } },
	{ FIELD(frame_size), "the frame size", true,
	  { { "CodeBlob", "_frame_size", 4, false } } },
	/*
	 * An int that became a short; its two low bytes are valid in both
	 * cases.
	 */
	{ FIELD(frame_complete), "the end of the prologue", true,
	  { { "CodeBlob", "_frame_complete_offset", 2, false } } },
	{ FIELD(begin), "the start of the code", true,
	  { { "CodeBlob", "_code_begin", 8, true },
	    { "CodeBlob", "_code_offset", 4, false } } },
	{ FIELD(end), "the end of the code", true,
	  { { "CodeBlob", "_code_end", 8, true },
	    { "CodeBlob", "_data_offset", 4, false } } },
	{ FIELD(method), "a compiled method", false,
	  { { "nmethod", "_method", 8, true },
	    { "CompiledMethod", "_method", 8, true } } },
	{ FIELD(compile_id), "a compilation", false,
	  { { "nmethod", "_compile_id", 4, false } } },
	/* An int that became a byte. */
	{ FIELD(tier), "a tier", false,
	  { { "nmethod", "_comp_level", 1, false } } },
	{ FIELD(original_pc), "a deoptimized frame's pc", false,
	  { { "nmethod", "_orig_pc_offset", 4, false } } },
	{ FIELD(entry), "an entry", false,
	  { { "nmethod", "_verified_entry_point", 8, true },
	    { "nmethod", "_verified_entry_offset", 2, false } } },
	{ FIELD(deopt), "the handler of deoptimized frames", false,
	  { { "nmethod", "_deopt_handler_begin", 8, true },
	    { "CompiledMethod", "_deopt_handler_begin", 8, true },
	    { "nmethod", "_deoptimize_offset", 4, false }, /* JDK 8 */
	    { "nmethod", "_deopt_handler_entry_offset", 4, false },
	    { "nmethod", "_deopt_handler_offset", 4, false } } },
	{ FIELD(deopt_mh), "the handler of deoptimized frames", false,
	  { { "nmethod", "_deopt_mh_handler_begin", 8, true },
	    { "CompiledMethod", "_deopt_mh_handler_begin", 8, true },
	    { "nmethod", "_deoptimize_mh_offset", 4, false },
	    { "nmethod", "_deopt_mh_handler_offset", 4, false } } },
};
/* clang-format on */

static void field_find(struct blob_field *f, const struct wanted *w,
		       const struct vm_structs *v)
{
	for (size_t i = 0; i < PLACES && w->places[i].type; i++) {
		const struct place *p = &w->places[i];

		if (!vm_structs_offset(v, p->type, p->name, &f->offset) ||
		    f->offset > BLOB_HEADER_BYTES - 8)
			continue;
		f->width = p->width;
		f->is_address = p->is_address;
		return;
	}
}

int blob_layout_read(struct blob_layout *l, const struct vm_structs *v,
		     struct error *err)
{
	*l = (struct blob_layout){ 0 };
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		struct blob_field *f = (struct blob_field *)((char *)l +
							     wanted[i].field);

		field_find(f, &wanted[i], v);
		if (!f->width && wanted[i].is_vital)
			return fail(err, ERROR_UNAVAILABLE,
				    "the JVM does not export %s of CodeBlob",
				    wanted[i].what);
		if (f->width && f->offset + f->width > l->header_bytes)
			l->header_bytes = f->offset + f->width;
	}
	return 0;
}

static uint64_t field_read_unsigned(const uint8_t *header,
				    const struct blob_field *f)
{
	uint64_t value = 0;

	/* Fields are little-endian, as x86-64 is. */
	memcpy(&value, header + f->offset, f->width);
	return value;
}

static int64_t field_read_signed(const uint8_t *header,
				 const struct blob_field *f)
{
	unsigned bits = 64 - 8u * f->width;

	return (int64_t)(field_read_unsigned(header, f) << bits) >> bits;
}

uint64_t blob_layout_name(const struct blob_layout *l, const uint8_t *header)
{
	return field_read_unsigned(header, &l->name);
}

/* Reads an address, or 0 if the offset is -1, which means none. */
static uint64_t field_read_address(const uint8_t *header,
				   const struct blob_field *f, uint64_t base)
{
	int64_t offset;

	if (!f->width)
		return 0;
	if (f->is_address)
		return field_read_unsigned(header, f);
	offset = f->width == 2 ? (int64_t)field_read_unsigned(header, f)
			       : field_read_signed(header, f);
	return offset < 0 ? 0 : base + (uint64_t)offset;
}

static void blob_parse_nmethod(const struct blob_layout *l,
			       const uint8_t *header, struct code_blob *blob)
{
	uint64_t entry = field_read_address(header, &l->entry, blob->begin);
	uint64_t address = blob->address;

	blob->entry = entry >= blob->begin && entry < blob->end ? entry
								: blob->begin;
	blob->deopt_handler = field_read_address(header, &l->deopt, address);
	blob->deopt_mh_handler = field_read_address(header, &l->deopt_mh,
						    address);
	blob->original_pc = -1;
	if (l->method.width)
		blob->method = field_read_unsigned(header, &l->method);
	if (l->compile_id.width)
		blob->compile_id = (uint32_t)field_read_unsigned(
			header, &l->compile_id);
	if (l->tier.width)
		blob->tier = (uint8_t)field_read_unsigned(header, &l->tier);
	if (l->original_pc.width)
		blob->original_pc = (int32_t)field_read_signed(header,
							       &l->original_pc);
}

static enum blob_kind blob_kind_by_name(const char *name)
{
	static const struct {
		const char *beginning;
		enum blob_kind kind;
	} kinds[] = {
		{ "nmethod", BLOB_NMETHOD },
		{ "native nmethod", BLOB_NATIVE },
		{ "Interpreter", BLOB_INTERPRETER },
		{ "I2C/C2I", BLOB_ADAPTER },
		{ "vtable", BLOB_ADAPTER },
		{ "itable", BLOB_ADAPTER },
		{ "MethodHandles", BLOB_ADAPTER },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strncmp(name, kinds[i].beginning,
			    strlen(kinds[i].beginning)) == 0)
			return kinds[i].kind;
	return BLOB_STUB;
}

bool blob_layout_parse(const struct blob_layout *l, const uint8_t *header,
		       uint64_t address, struct code_blob *blob)
{
	int64_t words = field_read_signed(header, &l->frame_size);

	blob->kind = blob_kind_by_name(blob->name);
	blob->address = address;
	blob->begin = field_read_address(header, &l->begin, address);
	blob->end = field_read_address(header, &l->end, address);
	blob->frame_complete = (int32_t)field_read_signed(header,
							  &l->frame_complete);
	if (blob->begin < address || blob->end <= blob->begin ||
	    blob->end - address > MAX_BLOB_BYTES)
		return false;
	if (words > 0 && words <= MAX_FRAME_WORDS)
		blob->frame_bytes = (uint32_t)words * 8;
	if (blob->kind == BLOB_NMETHOD || blob->kind == BLOB_NATIVE)
		blob_parse_nmethod(l, header, blob);
	return true;
}

/* ---- heaps ---- */

#define MAX_HEAP_BYTES (UINT64_C(4) << 30) /* ReservedCodeCacheSize: 2 GiB */
#define MAX_STRUCT     1024
#define WINDOW         1024 /* segments per read */
#define MAX_STEPS      16384
#define NO_BLOCK       0xff

/* Offsets of the parts of a CodeHeap. */
struct layout {
	uint32_t memory, segment_map, shift; /* of CodeHeap */
	uint32_t low, high;                  /* of VirtualSpace */
};

static int heaps_read_layout(struct layout *l, const struct vm_structs *v,
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
		    "the JVM does not export the layout of CodeHeap");
}

/* Since JDK 9, an array of CodeHeap addresses. */
static size_t heaps_read_addresses(uint64_t *out, const struct vm_structs *v,
				   struct memory *memory)
{
	uint64_t heaps, array, data;
	uint32_t len_at, data_at, len;

	/* JDK 8 has one heap. */
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

static bool heaps_read_heap(struct code_heap *heap, const struct layout *l,
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

static void heaps_read_used(struct code_heaps *h, const struct vm_structs *v)
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
	if (heaps_read_layout(&layout, v, err))
		return -1;
	if (!vm_structs_size(v, "HeapBlock", &h->block_header) ||
	    h->block_header > MAX_STRUCT)
		return fail(err, ERROR_UNAVAILABLE,
			    "the JVM does not export the size of HeapBlock");
	heaps_read_used(h, v);
	count = heaps_read_addresses(addresses, v, memory);
	for (size_t i = 0; i < count; i++)
		if (heaps_read_heap(&h->all[h->count], &layout, memory,
				    addresses[i]))
			h->count++;
	if (!h->count)
		return fail(err, ERROR_UNAVAILABLE,
			    "cannot find the JVM's code cache");
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
	uint64_t segment, first = 0;
	uint8_t map[WINDOW];
	size_t len = 0;

	if (!heap)
		return false;
	segment = (pc - heap->low) >> heap->segment_shift;
	for (int i = 0; i < MAX_STEPS; i++) {
		uint8_t back;

		if (len == 0 || segment < first) {
			len = segment < WINDOW ? segment + 1 : WINDOW;
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
