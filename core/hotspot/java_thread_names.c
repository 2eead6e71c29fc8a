/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/java_threads.h"

#include "core/base/alloc.h"
#include "core/base/cursor.h"
#include "core/base/map64.h"
#include "core/base/text.h"
#include "core/hotspot/metadata_layout.h"
#include "core/hotspot/unsigned5.h"
#include "core/process/raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * ---- the layout of Thread and String ----
 *
 * Field offsets come from the JVM's classes (InstanceKlass); the layout of
 * object headers follows from them.
 */

struct name_layout {
	/* java.lang.Thread; its name is a String, in early JDK 8 a char[]. */
	uint32_t thread_name, thread_id, thread_address;
	bool name_is_chars;
	/*
	 * java.lang.String; coder 0 = the field does not exist, and value is a
	 * char[] (JDK 8).
	 */
	uint32_t string_value, string_coder;
	uint32_t header; /* size of an object's header: 8, 12 or 16 bytes */
	uint32_t array_length, array_data;
	/* References in objects have 4 bytes, which must be decoded, or 8. */
	bool is_narrow;
	uint64_t narrow_base;
	uint32_t narrow_shift;
	uint64_t string_class; /* as in an object's header */
	uint32_t class_shift;  /* shift of the class in a header of 8 bytes */
};

enum {
	WORD = 8,
	LOWEST = 4096, /* all objects have higher addresses */
	SLOTS = 6,     /* number of u2 values of a field until JDK 20 */
	FIELDS_MOST = 128,
	STREAM_MOST = 4096,
	NAME_MOST = 32,
	FIELD_OFFSET_MOST = 1024,
	HEADER_LEAST = 8,
	HEADER_NARROW = 12,
	HEADER_MOST = 16,
	/* JDK-8139457: elements directly follow an array's length. */
	JDK_OF_PACKED_ARRAYS = 23,
};

/* A field of a class. */
struct class_field {
	uint32_t name_index, signature_index;
	uint32_t offset;
	bool is_static;
	char name[NAME_MOST], signature[NAME_MOST];
};

struct class_fields {
	struct class_field all[FIELDS_MOST];
	size_t count;
};

struct layout_reader {
	const struct vm_structs *v;
	struct memory *memory;
	uint32_t constants;                  /* of InstanceKlass */
	uint32_t pool_size;                  /* of ConstantPool */
	uint32_t symbol_length, symbol_body; /* of Symbol */
};

static bool layout_offset(const struct layout_reader *r, const char *type,
			  const char *field, uint32_t *out)
{
	return vm_structs_offset(r->v, type, field, out) &&
	       *out <= METADATA_STRUCT_MOST;
}

static int layout_fail(struct error *err, const char *what)
{
	return fail(err, ERROR_UNAVAILABLE,
		    "cannot read names of Java threads: this JVM's tables lack "
		    "%s",
		    what);
}

static int layout_read_basics(struct layout_reader *r, struct error *err)
{
	if (layout_offset(r, "InstanceKlass", "_constants", &r->constants) &&
	    vm_structs_size(r->v, "ConstantPool", &r->pool_size) &&
	    r->pool_size <= METADATA_STRUCT_MOST &&
	    layout_offset(r, "Symbol", "_length", &r->symbol_length) &&
	    layout_offset(r, "Symbol", "_body", &r->symbol_body))
		return 0;
	return layout_fail(err, "symbols");
}

/*
 * Returns the InstanceKlass of a class that the JVM lists by name; 0 = not
 * loaded.
 */
static uint64_t layout_class_of(const struct layout_reader *r, const char *name)
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
static size_t layout_read_array(const struct layout_reader *r,
				uint64_t class_at, uint32_t field,
				uint32_t size, uint8_t *out, size_t most)
{
	uint64_t array = memory_u64(r->memory, class_at + field);
	uint32_t length_at, data_at;
	size_t bytes;

	if (!layout_offset(r, "Array<int>", "_length", &length_at) ||
	    !layout_offset(r, size == 1 ? "Array<u1>" : "Array<u2>", "_data",
			   &data_at))
		return 0;
	bytes = (size_t)memory_u32(r->memory, array + length_at) * size;
	if (!array || bytes > most)
		return 0;
	return memory_read(r->memory, array + data_at, out, bytes) ? bytes : 0;
}

static void fields_add(struct class_fields *f, const struct class_field *field)
{
	if (f->count < FIELDS_MOST && !field->is_static &&
	    field->offset <= FIELD_OFFSET_MOST)
		f->all[f->count++] = *field;
}

enum { ACC_STATIC = 0x0008 };

/* JDK 8 to 20: six numbers per field (oops/fieldInfo.hpp). */
static void fields_read_slots(const struct layout_reader *r, uint64_t class_at,
			      uint32_t at, struct class_fields *f)
{
	uint8_t bytes[FIELDS_MOST * SLOTS * 2];
	int64_t tag_bits = 2;
	uint32_t count_at;
	uint16_t count = 0;
	size_t len = layout_read_array(r, class_at, at, 2, bytes,
				       sizeof(bytes));

	vm_structs_constant(r->v, "FIELDINFO_TAG_SIZE", &tag_bits);
	if (!layout_offset(r, "InstanceKlass", "_java_fields_count",
			   &count_at) ||
	    tag_bits < 0 || tag_bits > 8 ||
	    !memory_read(r->memory, class_at + count_at, &count, sizeof(count)))
		return;
	for (size_t i = 0; i < count && (i + 1) * SLOTS * 2 <= len; i++) {
		const uint8_t *slot = bytes + i * SLOTS * 2;
		const struct class_field field = {
			.name_index = raw_u16(slot, 2),
			.signature_index = raw_u16(slot, 4),
			.offset = raw_u32(slot, 8) >> tag_bits,
			.is_static = raw_u16(slot, 0) & ACC_STATIC,
		};

		fields_add(f, &field);
	}
}

static bool layout_has_flag(const struct layout_reader *r, uint32_t flags,
			    const char *name)
{
	int64_t bit;

	return vm_structs_constant(r->v, name, &bit) && bit >= 0 && bit < 32 &&
	       flags >> bit & 1;
}

/* JDK 21 and later: numbers of a few bytes (oops/fieldInfo.hpp). */
static void fields_read_stream(const struct layout_reader *r, uint64_t class_at,
			       uint32_t at, struct class_fields *f)
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

	unsigned5_read(&c,
		       excluded); /* fields that the JVM injects come last */
	for (uint32_t i = 0; i < count && cursor_ok(&c); i++) {
		struct class_field field = { 0 };
		uint32_t flags;

		field.name_index = unsigned5_read(&c, excluded);
		field.signature_index = unsigned5_read(&c, excluded);
		field.offset = unsigned5_read(&c, excluded);
		field.is_static = unsigned5_read(&c, excluded) & ACC_STATIC;
		flags = unsigned5_read(&c, excluded);
		for (size_t k = 0; k < 3; k++) {
			if (layout_has_flag(r, flags, optional[k]))
				unsigned5_read(&c, excluded);
		}
		if (cursor_ok(&c))
			fields_add(f, &field);
	}
	free(bytes);
}

/* A symbol of a field while it is read. */
struct layout_symbol {
	uint64_t address;
	uint16_t len;
	char *out; /* NAME_MOST bytes; "" when unreadable, or too long */
};

static void layout_read_ranges(const struct layout_reader *r,
			       struct memory_range *ranges, size_t count)
{
	if (count)
		r->memory->read_all(r->memory, ranges, count);
}

/*
 * Reads all symbols in three steps, each with one request: a request costs
 * about the same for one range as for many.
 */
static void layout_read_symbols(const struct layout_reader *r,
				const uint64_t *slots,
				struct layout_symbol *symbols, size_t count)
{
	struct memory_range *ranges = xcalloc(count + 1, sizeof(*ranges));
	size_t *of = xcalloc(count + 1, sizeof(*of)), wanted = 0;

	for (size_t i = 0; i < count; i++)
		ranges[i] = (struct memory_range){ slots[i],
						   &symbols[i].address, WORD,
						   false };
	layout_read_ranges(r, ranges, count);
	for (size_t i = 0; i < count; i++) {
		if (!ranges[i].is_read || symbols[i].address < LOWEST)
			continue;
		of[wanted] = i;
		ranges[wanted++] = (struct memory_range){
			symbols[i].address + r->symbol_length, &symbols[i].len,
			sizeof(symbols[i].len), false
		};
	}
	layout_read_ranges(r, ranges, wanted);
	count = wanted;
	wanted = 0;
	for (size_t i = 0; i < count; i++) {
		struct layout_symbol *s = &symbols[of[i]];

		if (!ranges[i].is_read || !s->len || s->len >= NAME_MOST)
			continue;
		of[wanted] = of[i];
		ranges[wanted++] = (struct memory_range){
			s->address + r->symbol_body, s->out, s->len, false
		};
	}
	layout_read_ranges(r, ranges, wanted);
	for (size_t i = 0; i < wanted; i++)
		symbols[of[i]].out[ranges[i].is_read ? ranges[i].len : 0] = 0;
	free(of);
	free(ranges);
}

/* Reads the names and the signatures of the fields. */
static void fields_read_symbols(const struct layout_reader *r, uint64_t pool,
				struct class_fields *f)
{
	struct layout_symbol symbols[FIELDS_MOST * 2] = { 0 };
	uint64_t slots[FIELDS_MOST * 2], first = pool + r->pool_size;

	for (size_t i = 0; i < f->count; i++) {
		struct class_field *field = &f->all[i];

		slots[2 * i] = first + (uint64_t)field->name_index * WORD;
		slots[2 * i + 1] = first +
				   (uint64_t)field->signature_index * WORD;
		symbols[2 * i].out = field->name;
		symbols[2 * i + 1].out = field->signature;
	}
	layout_read_symbols(r, slots, symbols, 2 * f->count);
}

static bool fields_read(const struct layout_reader *r, uint64_t class_at,
			struct class_fields *f)
{
	uint64_t pool;
	uint32_t at;

	f->count = 0;
	if (class_at < LOWEST)
		return false;
	pool = memory_u64(r->memory, class_at + r->constants);
	if (layout_offset(r, "InstanceKlass", "_fieldinfo_stream", &at))
		fields_read_stream(r, class_at, at, f);
	else if (layout_offset(r, "InstanceKlass", "_fields", &at))
		fields_read_slots(r, class_at, at, f);
	if (pool >= LOWEST)
		fields_read_symbols(r, pool, f);
	return f->count > 0;
}

static bool fields_find(const struct class_fields *f, const char *name,
			const char *signature, uint32_t *out)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct class_field *field = &f->all[i];

		if (strcmp(field->name, name) == 0 &&
		    strcmp(field->signature, signature) == 0) {
			*out = field->offset;
			return true;
		}
	}
	return false;
}

static bool layout_find_thread(struct name_layout *l,
			       const struct class_fields *f)
{
	static const char string[] = "Ljava/lang/String;";

	l->name_is_chars = fields_find(f, "name", "[C", &l->thread_name);
	if (!l->name_is_chars &&
	    !fields_find(f, "name", string, &l->thread_name))
		return false;
	/* The address of its JavaThread, which must match. */
	return fields_find(f, "tid", "J", &l->thread_id) &&
	       fields_find(f, "eetop", "J", &l->thread_address);
}

static bool layout_find_string(struct name_layout *l,
			       const struct class_fields *f)
{
	l->string_coder = 0;
	if (fields_find(f, "value", "[C", &l->string_value))
		return true;
	return fields_find(f, "value", "[B", &l->string_value) &&
	       fields_find(f, "coder", "B", &l->string_coder);
}

/*
 * Fields begin where the header ends, and an array has its length there: after
 * 16 bytes, 12 with compressed class pointers, 8 with compact headers.
 */
static bool layout_find_header(struct name_layout *l,
			       const struct class_fields *string, uint32_t jdk)
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
 * References of 8 bytes are aligned to 8.  A Thread has many references in
 * sequence, so some references of 4 bytes are not aligned to 8.
 */
static void layout_find_narrow(struct name_layout *l,
			       const struct layout_reader *r,
			       const struct class_fields *thread)
{
	static const char *const places[][3] = {
		{ "CompressedOops", "_base", "_shift" },
		{ "CompressedOops", "_narrow_oop._base", "_narrow_oop._shift" },
		{ "Universe", "_narrow_oop._base", "_narrow_oop._shift" },
	};
	uint64_t base, shift;

	l->is_narrow = false;
	for (size_t i = 0; i < thread->count; i++) {
		const struct class_field *f = &thread->all[i];

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
static uint64_t layout_class_in_header(const struct name_layout *l,
				       const struct layout_reader *r,
				       uint64_t class_at)
{
	uint64_t base;
	uint32_t shift;

	if (l->header == HEADER_MOST ||
	    !class_encoding_read(r->v, r->memory, &base, &shift))
		return class_at;
	return (class_at - base) >> shift;
}

/*
 * Returns the JDK version; 0 for JDK 8, whose HotSpot has another version, and
 * for JVMs without a version.
 */
static uint32_t layout_jdk(const struct layout_reader *r)
{
	uint32_t ignored;
	uint64_t at;

	if (vm_structs_offset(r->v, "Symbol", "_identity_hash", &ignored) ||
	    !vm_structs_static(r->v, "Abstract_VM_Version", "_vm_major_version",
			       &at))
		return 0;
	return memory_u32(r->memory, at);
}

/*
 * Fails with ERROR_UNAVAILABLE if the JVM does not export the layout.  A JVM
 * creates the classes shortly after its start.
 */
static int name_layout_read(struct name_layout *l, const struct vm_structs *v,
			    struct memory *memory, struct error *err)
{
	struct layout_reader r = { .v = v, .memory = memory };
	struct class_fields *f = xcalloc(2, sizeof(*f));
	struct class_fields *thread = &f[0], *string = &f[1];
	uint64_t string_at;
	int64_t shift;
	int ret = -1;

	*l = (struct name_layout){ 0 };
	if (layout_read_basics(&r, err))
		goto out;
	string_at = layout_class_of(&r, "String");
	if (!fields_read(&r, layout_class_of(&r, "Thread"), thread) ||
	    !fields_read(&r, string_at, string)) {
		layout_fail(err, "the fields of java.lang.Thread");
		goto out;
	}
	if (!layout_find_thread(l, thread) || !layout_find_string(l, string) ||
	    !layout_find_header(l, string, layout_jdk(&r))) {
		layout_fail(err, "the layout of objects");
		goto out;
	}
	layout_find_narrow(l, &r, thread);
	l->string_class = layout_class_in_header(l, &r, string_at);
	/* With compact headers, the class is in the mark word (JEP 450). */
	if (vm_structs_constant(v, "markWord::klass_shift", &shift))
		l->class_shift = (uint32_t)shift & 63;
	ret = 0;
out:
	free(f);
	return ret;
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
	return address >= LOWEST && address % WORD == 0 &&
			       address >> ADDRESS_BITS == 0
		       ? address
		       : 0;
}

/* Returns the address that a reference of 4 or 8 bytes leads to, or 0. */
static uint64_t name_layout_decode(const struct name_layout *l, uint64_t value)
{
	if (!l->is_narrow)
		return java_reference_decode(value);
	value &= UINT32_MAX;
	return value ? java_reference_decode(l->narrow_base +
					     (value << l->narrow_shift))
		     : 0;
}

/* Returns true when the first 16 bytes of an object are those of a String. */
static bool name_layout_is_string(const struct name_layout *l,
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

/* ---- reading names ---- */

enum {
	RANGES = 4,  /* maximum ranges of a thread in a step */
	HEADER = 16, /* of an object */
	LATIN1 = 0,  /* String.coder */
	NAME_CHARS_MOST = 1 << 16,
};

/* The offsets in a JavaThread. */
struct thread_places {
	uint32_t os_thread, tid, object;
	bool is_handle; /* object is an OopHandle, not a reference */
	struct java_thread_list list;
};

struct java_thread_names {
	struct memory *memory;
	struct thread_places at;
	struct name_layout objects;
};

/* A thread while its name is read. */
struct name_work {
	struct java_thread_name *out;
	bool is_alive; /* false once a step has failed */
	uint64_t java_thread;
	uint64_t slot; /* the address of the reference to the Thread */
	uint64_t object, name, value;
	uint64_t object_was, name_was, value_was; /* the references */
	uint64_t eetop, java_id;
	uint8_t header[HEADER];
	uint8_t coder;
	uint32_t length; /* length of the array */
	uint32_t bytes;  /* bytes of the array to read */
	uint8_t text[2 * JAVA_THREAD_NAME_CHARS];
	uint64_t object_is, name_is, value_is;
};

struct name_batch {
	const struct java_thread_names *t;
	struct name_work *all;
	size_t count;
	/* The ranges of a step, and the thread of each. */
	struct memory_range *ranges;
	struct name_work **of;
	size_t range_count;
};

static bool names_read_places(struct thread_places *l,
			      const struct vm_structs *v)
{
	uint32_t ignored;

	*l = (struct thread_places){ 0 };
	if (!java_thread_list_find(&l->list, v))
		return false;
	l->is_handle = vm_structs_offset(v, "OopHandle", "_obj", &ignored);
	return (vm_structs_offset(v, "JavaThread", "_osthread",
				  &l->os_thread) ||
		vm_structs_offset(v, "Thread", "_osthread", &l->os_thread)) &&
	       vm_structs_offset(v, "OSThread", "_thread_id", &l->tid) &&
	       vm_structs_offset(v, "JavaThread", "_threadObj", &l->object);
}

struct java_thread_names *java_thread_names_open(const struct vm_structs *v,
						 struct memory *memory,
						 struct error *err)
{
	struct java_thread_names *t = xcalloc(1, sizeof(*t));

	t->memory = memory;
	if (!names_read_places(&t->at, v))
		fail(err, ERROR_UNAVAILABLE,
		     "cannot read names of Java threads: this JVM's tables "
		     "lack the list of its threads");
	else if (name_layout_read(&t->objects, v, memory, err) == 0)
		return t;
	free(t);
	return NULL;
}

void java_thread_names_close(struct java_thread_names *t) { free(t); }

/*
 * Reads an integer of `bytes` bytes at an offset from each address; 0 where it
 * is unreadable.
 */
static void names_read_each(struct memory *memory, const uint64_t *addresses,
			    size_t count, uint32_t offset, uint64_t *out,
			    size_t bytes)
{
	struct memory_range *ranges = xcalloc(count, sizeof(*ranges));
	size_t wanted = 0;

	memset(out, 0, count * sizeof(*out));
	for (size_t i = 0; i < count; i++) {
		if (addresses[i] >= LOWEST && !(addresses[i] >> 47))
			ranges[wanted++] = (struct memory_range){
				addresses[i] + offset, &out[i], bytes, false
			};
	}
	if (wanted)
		memory->read_all(memory, ranges, wanted);
	free(ranges);
}

/* Finds the JavaThread of each requested tid. */
static void names_find_threads(struct java_thread_names *t,
			       struct name_work *all, size_t count)
{
	uint64_t *threads = NULL, *os_threads, *tids;
	size_t n = java_thread_list_read(&t->at.list, t->memory, &threads);
	struct map64 by_tid = { 0 };

	os_threads = xcalloc(n + 1, sizeof(*os_threads));
	tids = xcalloc(n + 1, sizeof(*tids));
	names_read_each(t->memory, threads, n, t->at.os_thread, os_threads,
			WORD);
	names_read_each(t->memory, os_threads, n, t->at.tid, tids,
			sizeof(pid_t));
	for (size_t i = 0; i < n; i++) {
		if (tids[i] && map64_get(&by_tid, tids[i]) == MAP64_NONE)
			map64_add(&by_tid, tids[i], (uint32_t)i);
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t at = map64_get(&by_tid, (uint64_t)all[i].out->tid);

		all[i].is_alive = at != MAP64_NONE;
		all[i].out->is_listed = all[i].is_alive;
		if (all[i].is_alive)
			all[i].java_thread = threads[at];
	}
	map64_release(&by_tid);
	free(threads);
	free(os_threads);
	free(tids);
}

static void batch_add_range(struct name_batch *b, struct name_work *w,
			    uint64_t address, void *bytes, size_t len)
{
	if (address < LOWEST || address >> 47) {
		w->is_alive = false;
		return;
	}
	b->of[b->range_count] = w;
	b->ranges[b->range_count++] = (struct memory_range){ address, bytes,
							     len, false };
}

static size_t batch_reference_bytes(const struct name_batch *b)
{
	return b->t->objects.is_narrow ? 4 : WORD;
}

static void batch_request_handle(struct name_batch *b, struct name_work *w)
{
	w->slot = w->java_thread + b->t->at.object;
	if (b->t->at.is_handle)
		batch_add_range(b, w, w->slot, &w->slot, WORD);
}

static void batch_request_object(struct name_batch *b, struct name_work *w)
{
	batch_add_range(b, w, w->slot, &w->object_was, WORD);
}

static void batch_check_object(struct name_batch *b, struct name_work *w)
{
	(void)b;
	w->object = java_reference_decode(w->object_was);
	w->is_alive = w->object != 0;
}

static void batch_request_thread(struct name_batch *b, struct name_work *w)
{
	const struct name_layout *l = &b->t->objects;

	batch_add_range(b, w, w->object + l->thread_address, &w->eetop, WORD);
	batch_add_range(b, w, w->object + l->thread_id, &w->java_id, WORD);
	batch_add_range(b, w, w->object + l->thread_name, &w->name_was,
			batch_reference_bytes(b));
}

static void batch_check_thread(struct name_batch *b, struct name_work *w)
{
	w->name = name_layout_decode(&b->t->objects, w->name_was);
	w->is_alive = w->eetop == w->java_thread && w->name != 0;
}

static void batch_request_string(struct name_batch *b, struct name_work *w)
{
	const struct name_layout *l = &b->t->objects;

	if (l->name_is_chars)
		return;
	batch_add_range(b, w, w->name, w->header, HEADER);
	batch_add_range(b, w, w->name + l->string_value, &w->value_was,
			batch_reference_bytes(b));
	if (l->string_coder)
		batch_add_range(b, w, w->name + l->string_coder, &w->coder, 1);
}

static void batch_check_string(struct name_batch *b, struct name_work *w)
{
	const struct name_layout *l = &b->t->objects;

	if (l->name_is_chars) {
		w->value = w->name;
		return;
	}
	w->value = name_layout_decode(l, w->value_was);
	w->is_alive = name_layout_is_string(l, w->header) && w->value &&
		      w->coder <= 1;
}

static void batch_request_length(struct name_batch *b, struct name_work *w)
{
	batch_add_range(b, w, w->value + b->t->objects.array_length, &w->length,
			sizeof(w->length));
}

/*
 * Returns true for characters of two bytes, which all strings without a coder
 * have.
 */
static bool batch_is_wide(const struct name_batch *b, const struct name_work *w)
{
	return !b->t->objects.string_coder || w->coder != LATIN1;
}

static void batch_check_length(struct name_batch *b, struct name_work *w)
{
	uint32_t chars = w->length;

	w->is_alive = w->length <= 2 * NAME_CHARS_MOST;
	if (b->t->objects.string_coder && batch_is_wide(b, w))
		chars /= 2;
	if (chars > JAVA_THREAD_NAME_CHARS)
		chars = JAVA_THREAD_NAME_CHARS;
	w->bytes = batch_is_wide(b, w) ? 2 * chars : chars;
}

/* Reads the text, and the references that led to it a second time. */
static void batch_request_text(struct name_batch *b, struct name_work *w)
{
	const struct name_layout *l = &b->t->objects;

	if (w->bytes)
		batch_add_range(b, w, w->value + l->array_data, w->text,
				w->bytes);
	batch_add_range(b, w, w->slot, &w->object_is, WORD);
	batch_add_range(b, w, w->object + l->thread_name, &w->name_is,
			batch_reference_bytes(b));
	if (!l->name_is_chars)
		batch_add_range(b, w, w->name + l->string_value, &w->value_is,
				batch_reference_bytes(b));
}

static void text_add_utf16(struct text *t, const uint8_t *bytes, uint32_t len)
{
	for (uint32_t i = 0; i + 1 < len; i += 2) {
		uint32_t unit = raw_u16(bytes, i);
		uint32_t low = i + 3 < len ? raw_u16(bytes, i + 2) : 0;

		if ((unit & 0xfc00) == 0xd800 && (low & 0xfc00) == 0xdc00) {
			unit = 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
			i += 2;
		} else if (unit == 0 || (unit & 0xf800) == 0xd800) {
			unit = 0xfffd;
		}
		text_utf8(t, unit);
	}
}

static void batch_check_text(struct name_batch *b, struct name_work *w)
{
	struct text t = { 0 };

	w->is_alive = w->object_is == w->object_was &&
		      w->name_is == w->name_was && w->value_is == w->value_was;
	if (!w->is_alive)
		return;
	text_puts(&t, "");
	if (batch_is_wide(b, w)) {
		text_add_utf16(&t, w->text, w->bytes);
	} else {
		for (uint32_t i = 0; i < w->bytes; i++)
			text_utf8(&t, w->text[i] ? w->text[i] : 0xfffd);
	}
	memcpy(w->out->name, t.bytes, t.len + 1);
	text_release(&t);
	w->out->java_id = w->java_id;
	w->out->is_known = true;
}

static const struct {
	void (*request)(struct name_batch *b, struct name_work *w);
	void (*check)(struct name_batch *b, struct name_work *w); /* or NULL */
} steps[] = {
	{ batch_request_handle, NULL },
	{ batch_request_object, batch_check_object },
	{ batch_request_thread, batch_check_thread },
	{ batch_request_string, batch_check_string },
	{ batch_request_length, batch_check_length },
	{ batch_request_text, batch_check_text },
};

static void batch_read_wanted(struct name_batch *b)
{
	if (b->range_count)
		b->t->memory->read_all(b->t->memory, b->ranges, b->range_count);
	for (size_t i = 0; i < b->range_count; i++) {
		if (!b->ranges[i].is_read)
			b->of[i]->is_alive = false;
	}
	b->range_count = 0;
}

static void batch_run(struct name_batch *b)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		for (size_t k = 0; k < b->count; k++) {
			if (b->all[k].is_alive)
				steps[i].request(b, &b->all[k]);
		}
		batch_read_wanted(b);
		for (size_t k = 0; k < b->count && steps[i].check; k++) {
			if (b->all[k].is_alive)
				steps[i].check(b, &b->all[k]);
		}
	}
}

void java_thread_names_read(struct java_thread_names *t,
			    struct java_thread_name *all, size_t count)
{
	struct name_batch b = { .t = t };

	b.count = count < JAVA_THREAD_NAMES_AT_ONCE ? count
						    : JAVA_THREAD_NAMES_AT_ONCE;
	for (size_t i = 0; i < count; i++)
		all[i].is_listed = all[i].is_known = false;
	if (!b.count)
		return;
	b.all = xcalloc(b.count, sizeof(*b.all));
	b.ranges = xcalloc(b.count * RANGES, sizeof(*b.ranges));
	b.of = xcalloc(b.count * RANGES, sizeof(*b.of));
	for (size_t i = 0; i < b.count; i++)
		b.all[i].out = &all[i];
	names_find_threads(t, b.all, b.count);
	batch_run(&b);
	free(b.all);
	free(b.ranges);
	free(b.of);
}
