/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/name_layout.h"

#include "core/base/alloc.h"
#include "core/base/cursor.h"
#include "core/hotspot/metadata_layout.h"
#include "core/hotspot/unsigned5.h"
#include "core/process/raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	SLOTS = 6, /* u2 of a field until JDK 20 */
	FIELDS_MOST = 128,
	STREAM_MOST = 4096,
	NAME_MOST = 32,
	FIELD_OFFSET_MOST = 1024,
	HEADER_LEAST = 8,
	HEADER_NARROW = 12,
	HEADER_MOST = 16,
	LEAST_ADDRESS = 4096,
	/* JDK-8139457: elements directly follow an array's length. */
	JDK_OF_PACKED_ARRAYS = 23,
};

/* A field as its class has it. */
struct field {
	uint32_t name_index, signature_index;
	uint32_t offset;
	bool is_static;
	char name[NAME_MOST], signature[NAME_MOST];
};

struct fields {
	struct field all[FIELDS_MOST];
	size_t count;
};

struct reading {
	const struct vm_structs *v;
	struct memory *memory;
	uint32_t constants;                  /* of InstanceKlass */
	uint32_t pool_size;                  /* of ConstantPool */
	uint32_t symbol_length, symbol_body; /* of Symbol */
};

static bool offset(const struct reading *r, const char *type, const char *field,
		   uint32_t *out)
{
	return vm_structs_offset(r->v, type, field, out) &&
	       *out <= METADATA_STRUCT_MOST;
}

static int unknown(struct error *err, const char *what)
{
	return fail(err, ERROR_UNAVAILABLE,
		    "cannot read names of Java threads: this JVM's tables lack "
		    "%s",
		    what);
}

static int read_basics(struct reading *r, struct error *err)
{
	if (offset(r, "InstanceKlass", "_constants", &r->constants) &&
	    vm_structs_size(r->v, "ConstantPool", &r->pool_size) &&
	    r->pool_size <= METADATA_STRUCT_MOST &&
	    offset(r, "Symbol", "_length", &r->symbol_length) &&
	    offset(r, "Symbol", "_body", &r->symbol_body))
		return 0;
	return unknown(err, "symbols");
}

/* The InstanceKlass of a class that the JVM knows itself; 0 = not yet. */
static uint64_t class_of(const struct reading *r, const char *name)
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

/* An Array<> of the class's, at most so many bytes; its length, or 0. */
static size_t read_array(const struct reading *r, uint64_t class_at,
			 uint32_t field, uint32_t size, uint8_t *out,
			 size_t most)
{
	uint64_t array = memory_u64(r->memory, class_at + field);
	uint32_t length_at, data_at;
	size_t bytes;

	if (!offset(r, "Array<int>", "_length", &length_at) ||
	    !offset(r, size == 1 ? "Array<u1>" : "Array<u2>", "_data",
		    &data_at))
		return 0;
	bytes = (size_t)memory_u32(r->memory, array + length_at) * size;
	if (!array || bytes > most)
		return 0;
	return memory_read(r->memory, array + data_at, out, bytes) ? bytes : 0;
}

static void add_field(struct fields *f, const struct field *field)
{
	if (f->count < FIELDS_MOST && !field->is_static &&
	    field->offset <= FIELD_OFFSET_MOST)
		f->all[f->count++] = *field;
}

enum { ACC_STATIC = 0x0008 };

/* JDK 8 to 20: six numbers each (oops/fieldInfo.hpp). */
static void read_slots(const struct reading *r, uint64_t class_at, uint32_t at,
		       struct fields *f)
{
	uint8_t bytes[FIELDS_MOST * SLOTS * 2];
	int64_t tag_bits = 2;
	uint32_t count_at;
	uint16_t count = 0;
	size_t len = read_array(r, class_at, at, 2, bytes, sizeof(bytes));

	vm_structs_constant(r->v, "FIELDINFO_TAG_SIZE", &tag_bits);
	if (!offset(r, "InstanceKlass", "_java_fields_count", &count_at) ||
	    tag_bits < 0 || tag_bits > 8 ||
	    !memory_read(r->memory, class_at + count_at, &count, sizeof(count)))
		return;
	for (size_t i = 0; i < count && (i + 1) * SLOTS * 2 <= len; i++) {
		const uint8_t *slot = bytes + i * SLOTS * 2;
		const struct field field = {
			.name_index = raw_u16(slot, 2),
			.signature_index = raw_u16(slot, 4),
			.offset = raw_u32(slot, 8) >> tag_bits,
			.is_static = raw_u16(slot, 0) & ACC_STATIC,
		};

		add_field(f, &field);
	}
}

static bool has_flag(const struct reading *r, uint32_t flags, const char *name)
{
	int64_t bit;

	return vm_structs_constant(r->v, name, &bit) && bit >= 0 && bit < 32 &&
	       flags >> bit & 1;
}

/* JDK 21 on: numbers of a few bytes each (oops/fieldInfo.hpp). */
static void read_stream(const struct reading *r, uint64_t class_at, uint32_t at,
			struct fields *f)
{
	static const char *const optional[] = {
		"FieldInfo::FieldFlags::_ff_initialized",
		"FieldInfo::FieldFlags::_ff_generic",
		"FieldInfo::FieldFlags::_ff_contended",
	};
	const unsigned excluded = 1;
	uint8_t *bytes = xmalloc(STREAM_MOST);
	size_t len = read_array(r, class_at, at, 1, bytes, STREAM_MOST);
	struct cursor c = cursor_over(bytes, len);
	uint32_t count = unsigned5_read(&c, excluded);

	unsigned5_read(&c, excluded); /* the JVM's own fields come last */
	for (uint32_t i = 0; i < count && cursor_ok(&c); i++) {
		struct field field = { 0 };
		uint32_t flags;

		field.name_index = unsigned5_read(&c, excluded);
		field.signature_index = unsigned5_read(&c, excluded);
		field.offset = unsigned5_read(&c, excluded);
		field.is_static = unsigned5_read(&c, excluded) & ACC_STATIC;
		flags = unsigned5_read(&c, excluded);
		for (size_t k = 0; k < 3; k++) {
			if (has_flag(r, flags, optional[k]))
				unsigned5_read(&c, excluded);
		}
		if (cursor_ok(&c))
			add_field(f, &field);
	}
	free(bytes);
}

/* "" when it is longer than those that matter here. */
static void read_symbol(const struct reading *r, uint64_t pool, uint32_t index,
			char out[NAME_MOST])
{
	uint64_t slot = pool + r->pool_size + (uint64_t)index * WORD;
	uint64_t symbol = memory_u64(r->memory, slot);
	uint16_t len = 0;

	if (symbol < LEAST_ADDRESS ||
	    !memory_read(r->memory, symbol + r->symbol_length, &len,
			 sizeof(len)) ||
	    len >= NAME_MOST ||
	    !memory_read(r->memory, symbol + r->symbol_body, out, len))
		len = 0;
	out[len] = '\0';
}

static bool read_fields(const struct reading *r, uint64_t class_at,
			struct fields *f)
{
	uint64_t pool;
	uint32_t at;

	f->count = 0;
	if (class_at < LEAST_ADDRESS)
		return false;
	pool = memory_u64(r->memory, class_at + r->constants);
	if (offset(r, "InstanceKlass", "_fieldinfo_stream", &at))
		read_stream(r, class_at, at, f);
	else if (offset(r, "InstanceKlass", "_fields", &at))
		read_slots(r, class_at, at, f);
	for (size_t i = 0; i < f->count && pool >= LEAST_ADDRESS; i++) {
		struct field *field = &f->all[i];

		read_symbol(r, pool, field->name_index, field->name);
		read_symbol(r, pool, field->signature_index, field->signature);
	}
	return f->count > 0;
}

static bool find_field(const struct fields *f, const char *name,
		       const char *signature, uint32_t *out)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct field *field = &f->all[i];

		if (strcmp(field->name, name) == 0 &&
		    strcmp(field->signature, signature) == 0) {
			*out = field->offset;
			return true;
		}
	}
	return false;
}

static bool find_thread(struct name_layout *l, const struct fields *f)
{
	static const char string[] = "Ljava/lang/String;";

	l->name_is_chars = find_field(f, "name", "[C", &l->thread_name);
	if (!l->name_is_chars &&
	    !find_field(f, "name", string, &l->thread_name))
		return false;
	/* Its JavaThread, which its JavaThread is to agree with. */
	return find_field(f, "tid", "J", &l->thread_id) &&
	       find_field(f, "eetop", "J", &l->thread_address);
}

static bool find_string(struct name_layout *l, const struct fields *f)
{
	l->string_coder = 0;
	if (find_field(f, "value", "[C", &l->string_value))
		return true;
	return find_field(f, "value", "[B", &l->string_value) &&
	       find_field(f, "coder", "B", &l->string_coder);
}

/*
 * Fields begin where the header ends, and an array has its length there: 16
 * bytes, 12 with compressed class pointers, 8 with compact headers.
 */
static bool find_header(struct name_layout *l, const struct fields *string,
			uint32_t jdk)
{
	l->header = FIELD_OFFSET_MOST;
	for (size_t i = 0; i < string->count; i++) {
		if (string->all[i].offset < l->header)
			l->header = string->all[i].offset;
	}
	if (l->header != HEADER_LEAST && l->header != HEADER_NARROW &&
	    l->header != HEADER_MOST)
		return false;
	l->array_length = l->header;
	l->array_data = l->header + 4;
	if (jdk < JDK_OF_PACKED_ARRAYS)
		l->array_data = (l->array_data + WORD - 1) / WORD * WORD;
	return true;
}

/*
 * References of 8 bytes are aligned to 8; a Thread has many, one behind the
 * other, so that of those of 4 bytes some are not.
 */
static void find_narrow(struct name_layout *l, const struct reading *r,
			const struct fields *thread)
{
	static const char *const places[][3] = {
		{ "CompressedOops", "_base", "_shift" },
		{ "CompressedOops", "_narrow_oop._base", "_narrow_oop._shift" },
		{ "Universe", "_narrow_oop._base", "_narrow_oop._shift" },
	};
	uint64_t base, shift;

	l->is_narrow = false;
	for (size_t i = 0; i < thread->count; i++) {
		const struct field *f = &thread->all[i];

		if ((f->signature[0] == 'L' || f->signature[0] == '[') &&
		    f->offset % WORD)
			l->is_narrow = true;
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (!vm_structs_static(r->v, places[i][0], places[i][1],
				       &base) ||
		    !vm_structs_static(r->v, places[i][0], places[i][2],
				       &shift))
			continue;
		l->narrow_base = memory_u64(r->memory, base);
		l->narrow_shift = memory_u32(r->memory, shift) & 31;
		return;
	}
}

/* Returns a class as the headers of objects refer to it. */
static uint64_t class_in_header(const struct name_layout *l,
				const struct reading *r, uint64_t class_at)
{
	uint64_t base;
	uint32_t shift;

	if (l->header == HEADER_MOST ||
	    !class_encoding_read(r->v, r->memory, &base, &shift))
		return class_at;
	return (class_at - base) >> shift;
}

/* 0 of JDK 8, whose HotSpot has another number, and of those without one. */
static uint32_t jdk_of(const struct reading *r)
{
	uint32_t ignored;
	uint64_t at;

	if (vm_structs_offset(r->v, "Symbol", "_identity_hash", &ignored) ||
	    !vm_structs_static(r->v, "Abstract_VM_Version", "_vm_major_version",
			       &at))
		return 0;
	return memory_u32(r->memory, at);
}

int name_layout_read(struct name_layout *l, const struct vm_structs *v,
		     struct memory *memory, struct error *err)
{
	struct reading r = { .v = v, .memory = memory };
	struct fields *f = xcalloc(2, sizeof(*f));
	struct fields *thread = &f[0], *string = &f[1];
	uint64_t string_at;
	int64_t shift;
	int ret = -1;

	*l = (struct name_layout){ 0 };
	if (read_basics(&r, err))
		goto out;
	string_at = class_of(&r, "String");
	if (!read_fields(&r, class_of(&r, "Thread"), thread) ||
	    !read_fields(&r, string_at, string)) {
		unknown(err, "the fields of java.lang.Thread");
		goto out;
	}
	if (!find_thread(l, thread) || !find_string(l, string) ||
	    !find_header(l, string, jdk_of(&r))) {
		unknown(err, "what an object looks like");
		goto out;
	}
	find_narrow(l, &r, thread);
	l->string_class = class_in_header(l, &r, string_at);
	/* With compact headers it is in the mark word (JEP 450). */
	if (vm_structs_constant(v, "markWord::klass_shift", &shift))
		l->class_shift = (uint32_t)shift & 63;
	ret = 0;
out:
	free(f);
	return ret;
}

/*
 * Generational ZGC (JDK 21 on) keeps colours below an address that is shifted
 * by 13 to 16 bits, as one of four of them says (gc/z/zAddress.hpp), or by 16
 * (aarch64); there is no other reference that large.  Before, it had them
 * above the address, and mapped the heap at each of those.
 */
uint64_t name_layout_decode_wide(uint64_t value)
{
	enum { COLOUR_SHIFT = 12, COLOURS = 0xf, ADDRESS_BITS = 47 };
	uint64_t address = value;
	unsigned colour = value >> COLOUR_SHIFT & COLOURS;

	if (value >> ADDRESS_BITS) {
#ifdef __aarch64__
		address = value >> (COLOUR_SHIFT + 4);
#else
		if (colour == 0 || colour & (colour - 1))
			return 0;
		address = value >> (COLOUR_SHIFT + 1 + __builtin_ctz(colour));
#endif
	}
	(void)colour;
	return address >= LEAST_ADDRESS && address % WORD == 0 &&
			       address >> ADDRESS_BITS == 0
		       ? address
		       : 0;
}

uint64_t name_layout_decode(const struct name_layout *l, uint64_t value)
{
	if (!l->is_narrow)
		return name_layout_decode_wide(value);
	value &= UINT32_MAX;
	return value ? name_layout_decode_wide(l->narrow_base +
					       (value << l->narrow_shift))
		     : 0;
}

bool name_layout_is_string(const struct name_layout *l,
			   const uint8_t header[16])
{
	switch (l->header) {
	case HEADER_LEAST:
		return raw_u64(header, 0) >> l->class_shift == l->string_class;
	case HEADER_NARROW:
		return raw_u32(header, WORD) == (uint32_t)l->string_class;
	default:
		return raw_u64(header, WORD) == l->string_class;
	}
}
