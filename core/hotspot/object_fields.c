/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/object_fields.h"

#include "core/base/alloc.h"
#include "core/base/cursor.h"
#include "core/hotspot/metadata_layout.h"
#include "core/hotspot/unsigned5.h"
#include "core/process/raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SLOTS = 6, /* number of u2 values of a field until JDK 20 */
	STREAM_MOST = 4096,
	/* JDK-8139457: elements directly follow an array's length. */
	JDK_OF_PACKED_ARRAYS = 23,
};

int field_reader_init(struct field_reader *r, const struct vm_structs *v,
		      struct memory *memory, struct error *err)
{
	*r = (struct field_reader){ .v = v, .memory = memory };
	if (metadata_offset(r->v, "InstanceKlass", "_constants",
			    &r->constants) &&
	    vm_structs_size(r->v, "ConstantPool", &r->pool_size) &&
	    r->pool_size <= METADATA_STRUCT_MOST &&
	    metadata_offset(r->v, "Symbol", "_length", &r->symbol_length) &&
	    metadata_offset(r->v, "Symbol", "_body", &r->symbol_body))
		return 0;
	return fail(err, ERROR_UNAVAILABLE,
		    "this JVM's tables lack the layout of symbols");
}

uint64_t field_reader_class(const struct field_reader *r, const char *name)
{
	static const struct {
		const char *type, *before, *after;
	} places[] = {
		{ "vmClasses",
		  "_klasses[static_cast<int>(vmClassID::", "_klass_knum)]" },
		{ "SystemDictionary",
		  "_well_known_klasses[SystemDictionary::", "_klass_knum]" },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char field[96];
		uint64_t at;

		snprintf(field, sizeof(field), "%s%s%s", places[i].before, name,
			 places[i].after);
		if (vm_structs_static(r->v, places[i].type, field, &at))
			return memory_u64(r->memory, at);
	}
	return 0;
}

/*
 * Reads an Array<> of the class, of at most `most` bytes.  Returns its length
 * in bytes, or 0.
 */
static size_t layout_read_array(const struct field_reader *r, uint64_t class_at,
				uint32_t field, uint32_t size, uint8_t *out,
				size_t most)
{
	uint64_t array = memory_u64(r->memory, class_at + field);
	uint32_t length_at, data_at;
	size_t bytes;

	if (!metadata_offset(r->v, "Array<int>", "_length", &length_at) ||
	    !metadata_offset(r->v, size == 1 ? "Array<u1>" : "Array<u2>",
			     "_data", &data_at))
		return 0;
	bytes = (size_t)memory_u32(r->memory, array + length_at) * size;
	if (!array || bytes > most)
		return 0;
	return memory_read(r->memory, array + data_at, out, bytes) ? bytes : 0;
}

static void fields_add(struct object_fields *f,
		       const struct object_field *field)
{
	if (f->count < OBJECT_FIELDS_MOST &&
	    field->offset <= OBJECT_OFFSET_MOST)
		f->all[f->count++] = *field;
}

enum { ACC_STATIC = 0x0008 };

/* JDK 8 to 20: six numbers per field (oops/fieldInfo.hpp). */
static void fields_read_slots(const struct field_reader *r, uint64_t class_at,
			      uint32_t at, struct object_fields *f)
{
	uint8_t bytes[OBJECT_FIELDS_MOST * SLOTS * 2];
	int64_t tag_bits = 2;
	uint32_t count_at;
	uint16_t count = 0;
	size_t len = layout_read_array(r, class_at, at, 2, bytes,
				       sizeof(bytes));

	vm_structs_constant(r->v, "FIELDINFO_TAG_SIZE", &tag_bits);
	if (!metadata_offset(r->v, "InstanceKlass", "_java_fields_count",
			     &count_at) ||
	    tag_bits < 0 || tag_bits > 8 ||
	    !memory_read(r->memory, class_at + count_at, &count, sizeof(count)))
		return;
	for (size_t i = 0; i < count && (i + 1) * SLOTS * 2 <= len; i++) {
		const uint8_t *slot = bytes + i * SLOTS * 2;
		const struct object_field field = {
			.name_index = raw_u16(slot, 2),
			.signature_index = raw_u16(slot, 4),
			.offset = raw_u32(slot, 8) >> tag_bits,
			.is_static = raw_u16(slot, 0) & ACC_STATIC,
		};

		fields_add(f, &field);
	}
}

/* JDK 21 and later: numbers of a few bytes (oops/fieldInfo.hpp). */
static void fields_read_stream(const struct field_reader *r, uint64_t class_at,
			       uint32_t at, struct object_fields *f)
{
	static const char *const optional[] = {
		"FieldInfo::FieldFlags::_ff_initialized",
		"FieldInfo::FieldFlags::_ff_generic",
		"FieldInfo::FieldFlags::_ff_contended",
	};
	const unsigned excluded = 1;
	uint8_t *bytes = xmalloc(STREAM_MOST);
	size_t len = layout_read_array(r, class_at, at, 1, bytes, STREAM_MOST);
	struct cursor c = cursor_over(bytes, len);
	uint32_t count = unsigned5_read(&c, excluded);
	/* Fields that the JVM injects come last. */
	uint64_t all = (uint64_t)count + unsigned5_read(&c, excluded);

	for (uint64_t i = 0; i < all && cursor_ok(&c); i++) {
		struct object_field field = { .is_injected = i >= count };
		uint32_t flags;
		int64_t bit;

		field.name_index = unsigned5_read(&c, excluded);
		field.signature_index = unsigned5_read(&c, excluded);
		field.offset = unsigned5_read(&c, excluded);
		field.is_static = unsigned5_read(&c, excluded) & ACC_STATIC;
		flags = unsigned5_read(&c, excluded);
		for (size_t k = 0; k < 3; k++)
			if (vm_structs_constant(r->v, optional[k], &bit) &&
			    bit >= 0 && bit < 32 && flags >> bit & 1)
				unsigned5_read(&c, excluded);
		if (cursor_ok(&c))
			fields_add(f, &field);
	}
	free(bytes);
}

/* A symbol of a field while it is read. */
struct layout_symbol {
	uint64_t address;
	uint16_t len;
	char *out; /* OBJECT_FIELD_NAME_MOST bytes; "" when unreadable, or too
		      long */
};

/*
 * Reads all symbols in three steps, each with one request: a request costs
 * about the same for one range as for many.
 */
static void layout_read_symbols(const struct field_reader *r,
				const uint64_t *slots,
				struct layout_symbol *symbols, size_t count)
{
	struct memory_range *ranges = xcalloc(count + 1, sizeof(*ranges));
	size_t *of = xcalloc(count + 1, sizeof(*of)), wanted = 0;

	for (size_t i = 0; i < count; i++)
		ranges[i] = memory_range_of(slots[i], &symbols[i].address,
					    OBJECT_WORD);
	r->memory->read_all(r->memory, ranges, count);
	for (size_t i = 0; i < count; i++) {
		if (!ranges[i].is_read || symbols[i].address < OBJECT_LOWEST)
			continue;
		of[wanted] = i;
		ranges[wanted++] = memory_range_of(
			symbols[i].address + r->symbol_length, &symbols[i].len,
			sizeof(symbols[i].len));
	}
	r->memory->read_all(r->memory, ranges, wanted);
	count = wanted;
	wanted = 0;
	for (size_t i = 0; i < count; i++) {
		struct layout_symbol *s = &symbols[of[i]];

		if (!ranges[i].is_read || !s->len ||
		    s->len >= OBJECT_FIELD_NAME_MOST)
			continue;
		of[wanted] = of[i];
		ranges[wanted++] = memory_range_of(s->address + r->symbol_body,
						   s->out, s->len);
	}
	r->memory->read_all(r->memory, ranges, wanted);
	for (size_t i = 0; i < wanted; i++)
		symbols[of[i]].out[ranges[i].is_read ? ranges[i].len : 0] = 0;
	free(of);
	free(ranges);
}

/*
 * Reads the names and the signatures of the fields: symbols of the constant
 * pool or, of injected fields, of the JVM's own table.
 */
static void fields_read_symbols(const struct field_reader *r, uint64_t pool,
				struct object_fields *f)
{
	struct layout_symbol symbols[OBJECT_FIELDS_MOST * 2] = { 0 };
	uint64_t slots[OBJECT_FIELDS_MOST * 2], injected = 0;

	vm_structs_static(r->v, "Symbol", "_vm_symbols[0]", &injected);
	for (size_t i = 0; i < f->count; i++) {
		struct object_field *field = &f->all[i];
		uint64_t first = field->is_injected ? injected
						    : pool + r->pool_size;

		slots[2 * i] = first +
			       (uint64_t)field->name_index * OBJECT_WORD;
		slots[2 * i + 1] = first + (uint64_t)field->signature_index *
						   OBJECT_WORD;
		symbols[2 * i].out = field->name;
		symbols[2 * i + 1].out = field->signature;
	}
	layout_read_symbols(r, slots, symbols, 2 * f->count);
}

bool object_fields_read(const struct field_reader *r, uint64_t class_at,
			struct object_fields *f)
{
	uint64_t pool;
	uint32_t at;

	f->count = 0;
	if (class_at < OBJECT_LOWEST)
		return false;
	pool = memory_u64(r->memory, class_at + r->constants);
	if (metadata_offset(r->v, "InstanceKlass", "_fieldinfo_stream", &at))
		fields_read_stream(r, class_at, at, f);
	else if (metadata_offset(r->v, "InstanceKlass", "_fields", &at))
		fields_read_slots(r, class_at, at, f);
	if (pool >= OBJECT_LOWEST)
		fields_read_symbols(r, pool, f);
	return f->count > 0;
}

static bool fields_find(const struct object_fields *f, const char *name,
			const char *signature, bool is_static, bool is_injected,
			uint32_t *out)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct object_field *field = &f->all[i];

		if (field->is_static == is_static &&
		    field->is_injected == is_injected &&
		    strcmp(field->name, name) == 0 &&
		    (!signature || strcmp(field->signature, signature) == 0)) {
			*out = field->offset;
			return true;
		}
	}
	return false;
}

bool object_fields_find(const struct object_fields *f, const char *name,
			const char *signature, uint32_t *out)
{
	return fields_find(f, name, signature, false, false, out);
}

bool object_fields_find_static(const struct object_fields *f, const char *name,
			       uint32_t *out)
{
	return fields_find(f, name, NULL, true, false, out);
}

bool object_fields_find_injected(const struct object_fields *f,
				 const char *name, uint32_t *out)
{
	return fields_find(f, name, NULL, false, true, out);
}

/* ---- the layout of objects ---- */

/*
 * Fields begin where the header ends, and an array has its length there: after
 * 16 bytes, 12 with compressed class pointers, 8 with compact headers.
 */
static bool shape_find_header(struct object_shape *s,
			      const struct object_fields *string, uint32_t jdk)
{
	s->header = OBJECT_OFFSET_MOST;
	for (size_t i = 0; i < string->count; i++) {
		const struct object_field *f = &string->all[i];

		if (!f->is_static && !f->is_injected && f->offset < s->header)
			s->header = f->offset;
	}
	if (s->header != OBJECT_HEADER_LEAST &&
	    s->header != OBJECT_HEADER_NARROW &&
	    s->header != OBJECT_HEADER_MOST)
		return false;
	s->array_length = s->header;
	s->array_data = s->header + 4;
	if (jdk < JDK_OF_PACKED_ARRAYS)
		s->array_data = object_align(s->array_data);
	return true;
}

/*
 * References of 8 bytes are aligned to 8.  A Thread has many references in
 * sequence, so some references of 4 bytes are not aligned to 8.
 */
static void shape_find_narrow(struct object_shape *s,
			      const struct field_reader *r,
			      const struct object_fields *thread)
{
	static const char *const places[][3] = {
		{ "CompressedOops", "_base", "_shift" },
		{ "CompressedOops", "_narrow_oop._base", "_narrow_oop._shift" },
		{ "Universe", "_narrow_oop._base", "_narrow_oop._shift" },
	};
	uint64_t base, shift;

	s->is_narrow = false;
	for (size_t i = 0; i < thread->count; i++) {
		const struct object_field *f = &thread->all[i];

		if (!f->is_static && !f->is_injected &&
		    (f->signature[0] == 'L' || f->signature[0] == '[') &&
		    f->offset % OBJECT_WORD)
			s->is_narrow = true;
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (!vm_structs_static(r->v, places[i][0], places[i][1],
				       &base) ||
		    !vm_structs_static(r->v, places[i][0], places[i][2],
				       &shift))
			continue;
		s->narrow_base = memory_u64(r->memory, base);
		s->narrow_shift = memory_u32(r->memory, shift) & 31;
		return;
	}
}

uint32_t field_reader_jdk(const struct field_reader *r)
{
	uint32_t ignored;
	uint64_t at;

	if (vm_structs_offset(r->v, "Symbol", "_identity_hash", &ignored) ||
	    !vm_structs_static(r->v, "Abstract_VM_Version", "_vm_major_version",
			       &at))
		return 0;
	return memory_u32(r->memory, at);
}

bool object_shape_find(struct object_shape *s, const struct field_reader *r,
		       const struct object_fields *thread,
		       const struct object_fields *string)
{
	int64_t shift;

	*s = (struct object_shape){ 0 };
	if (!shape_find_header(s, string, field_reader_jdk(r)))
		return false;
	shape_find_narrow(s, r, thread);
	/* With compact headers, the class is in the mark word (JEP 450). */
	if (vm_structs_constant(r->v, "markWord::klass_shift", &shift))
		s->class_shift = (uint32_t)shift & 63;
	return true;
}

/*
 * Generational ZGC (JDK 21 and later) shifts an address by 13 to 16 bits, which
 * one of four color bits tells (gc/z/zAddress.hpp), or by 16 (aarch64), and
 * keeps colors in the bits below; no other references are that large.  Earlier
 * ZGC kept the colors above the address and mapped the heap at each of them.
 */
uint64_t java_reference_decode(uint64_t value)
{
	enum { COLOR_SHIFT = 12, COLORS = 0xf, ADDRESS_BITS = 47 };
	uint64_t address = value;
	unsigned color = value >> COLOR_SHIFT & COLORS;

	if (value >> ADDRESS_BITS) {
#ifdef __aarch64__
		address = value >> (COLOR_SHIFT + 4);
#else
		if (color == 0 || color & (color - 1))
			return 0;
		address = value >> (COLOR_SHIFT + 1 + __builtin_ctz(color));
#endif
	}
	(void)color;
	return address >= OBJECT_LOWEST && address % OBJECT_WORD == 0 &&
			       address >> ADDRESS_BITS == 0
		       ? address
		       : 0;
}

uint64_t object_shape_decode(const struct object_shape *s, uint64_t value)
{
	if (!s->is_narrow)
		return java_reference_decode(value);
	value &= UINT32_MAX;
	return value ? java_reference_decode(s->narrow_base +
					     (value << s->narrow_shift))
		     : 0;
}
