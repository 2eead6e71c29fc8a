/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/hotspot_image.h"

#include "core/base/alloc.h"

#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	CODE_AT = 0x80000, /* offset in the image */
	CODE_BYTES = 0x40000,
	MAP_AT = 0x70000,
	SEGMENT_SHIFT = 7,
	HEADER = 0x180, /* bytes of a blob's header; its code follows */
	ENTRY_BYTES = 48,
	CONSTANT_BYTES = 16,
};

/* The symbols that libjvm exports; the pointers are addresses in the image. */
#define VALUE(name, value) static uint64_t name = (value);
VALUE(gHotSpotVMStructs, 0)
VALUE(gHotSpotVMStructEntryArrayStride, ENTRY_BYTES)
VALUE(gHotSpotVMStructEntryTypeNameOffset, 0)
VALUE(gHotSpotVMStructEntryFieldNameOffset, 8)
VALUE(gHotSpotVMStructEntryIsStaticOffset, 24)
VALUE(gHotSpotVMStructEntryOffsetOffset, 32)
VALUE(gHotSpotVMStructEntryAddressOffset, 40)
VALUE(gHotSpotVMTypes, 0)
VALUE(gHotSpotVMTypeEntryArrayStride, ENTRY_BYTES)
VALUE(gHotSpotVMTypeEntryTypeNameOffset, 0)
VALUE(gHotSpotVMTypeEntrySizeOffset, 32)
VALUE(gHotSpotVMIntConstants, 0)
VALUE(gHotSpotVMIntConstantEntryArrayStride, 16)
VALUE(gHotSpotVMIntConstantEntryNameOffset, 0)
VALUE(gHotSpotVMIntConstantEntryValueOffset, 8)
VALUE(gHotSpotVMLongConstants, 0)
VALUE(gHotSpotVMLongConstantEntryArrayStride, 16)
VALUE(gHotSpotVMLongConstantEntryNameOffset, 0)
VALUE(gHotSpotVMLongConstantEntryValueOffset, 8)

/* clang-format off */
#define SYMBOL(name) { #name, &(name) }
static const struct {
	const char *name;
	const uint64_t *value;
} exported[] = {
	SYMBOL(gHotSpotVMStructs),
	SYMBOL(gHotSpotVMStructEntryArrayStride),
	SYMBOL(gHotSpotVMStructEntryTypeNameOffset),
	SYMBOL(gHotSpotVMStructEntryFieldNameOffset),
	SYMBOL(gHotSpotVMStructEntryIsStaticOffset),
	SYMBOL(gHotSpotVMStructEntryOffsetOffset),
	SYMBOL(gHotSpotVMStructEntryAddressOffset),
	SYMBOL(gHotSpotVMTypes),
	SYMBOL(gHotSpotVMTypeEntryArrayStride),
	SYMBOL(gHotSpotVMTypeEntryTypeNameOffset),
	SYMBOL(gHotSpotVMTypeEntrySizeOffset),
	SYMBOL(gHotSpotVMIntConstants),
	SYMBOL(gHotSpotVMIntConstantEntryArrayStride),
	SYMBOL(gHotSpotVMIntConstantEntryNameOffset),
	SYMBOL(gHotSpotVMIntConstantEntryValueOffset),
	SYMBOL(gHotSpotVMLongConstants),
	SYMBOL(gHotSpotVMLongConstantEntryArrayStride),
	SYMBOL(gHotSpotVMLongConstantEntryNameOffset),
	SYMBOL(gHotSpotVMLongConstantEntryValueOffset),
};
/* clang-format on */

enum { EXPORTED = sizeof(exported) / sizeof(*exported), NAME_BYTES = 48 };

/*
 * Offsets of fields in JDK 8, 11, 17 and 25 on amd64, by their tables; -1 = the
 * JDK does not have the field.
 */
enum { JDK_8, JDK_11, JDK_17, JDK_25, JDKS };
/* clang-format off */
static const struct field {
	const char *type, *name;
	int offset[JDKS];
} fields[] = {
	{ "CodeHeap", "_memory", { 0, 8, 0x08, 0x00 } },
	{ "CodeHeap", "_segmap", { 112, 120, 0x78, 0x70 } },
	{ "CodeHeap", "_log2_segment_size", { 248, 256, 0x100, 0xf8 } },
	{ "HeapBlock", "_header", { 0, 0, 0, 0 } },
	{ "HeapBlock::Header", "_used", { 8, 8, 8, 4 } },
	{ "VirtualSpace", "_low_boundary", { 0, 0, 0, 0 } },
	{ "VirtualSpace", "_high_boundary", { 8, 8, 8, 8 } },
	{ "GrowableArrayBase", "_len", { -1, -1, 0, 0 } },
	{ "GrowableArray<int>", "_data", { 24, 24, 8, 8 } },
	{ "CodeBlob", "_name", { 8, 96, 0x60, 0x08 } },
	{ "CodeBlob", "_frame_size", { 44, 28, 0x1c, 0x2c } },
	{ "CodeBlob", "_frame_complete_offset", { 36, 20, 0x14, 0x36 } },
	{ "CodeBlob", "_code_begin", { -1, 32, 0x20, -1 } },
	{ "CodeBlob", "_code_end", { -1, 40, 0x28, -1 } },
	{ "CodeBlob", "_code_offset", { 32, -1, -1, 0x24 } },
	{ "CodeBlob", "_data_offset", { 40, 24, -1, 0x28 } },
	{ "CompiledMethod", "_method", { -1, 112, 0x70, -1 } },
	{ "CompiledMethod", "_deopt_handler_begin", { -1, 128, 0x80, -1 } },
	{ "nmethod", "_method", { 64, -1, -1, 0x50 } },
	{ "nmethod", "_deopt_handler_offset", { -1, -1, -1, 0xb0 } },
	{ "nmethod", "_verified_entry_point", { 128, 256, 0xe0, -1 } },
	{ "nmethod", "_verified_entry_offset", { -1, -1, -1, 0x9a } },
	{ "nmethod", "_orig_pc_offset", { 200, 320, 0x12c, 0xd0 } },
	{ "nmethod", "_compile_id", { 204, 324, 0x130, 0xd4 } },
	{ "nmethod", "_comp_level", { 208, 328, 0x134, 0xd8 } },
	{ "Method", "_constMethod", { 8, 8, 8, 8 } },
	{ "ConstMethod", "_constants", { 8, 8, 8, 8 } },
	{ "ConstMethod", "_code_size", { 32, 40, 0x20, 0x22 } },
	{ "ConstantPool", "_pool_holder", { 24, 24, 0x18, 0x18 } },
	{ "InstanceKlass", "_constants", { 216, 232, 0xe8, 0xe0 } },
	{ "Klass", "_name", { 16, 24, 0x18, 0x18 } },
	{ "ConstMethod", "_constMethod_size", { 24, 32, 0x18, 0x18 } },
	{ "ConstMethod", "_flags", { 28, 36, 0x1c, -1 } },
	{ "ConstMethod", "_flags._flags", { -1, -1, -1, 0x1c } },
	{ "ConstMethod", "_name_index", { 34, 42, 0x22, 0x24 } },
	{ "ConstMethod", "_signature_index", { 36, 44, 0x24, 0x26 } },
	{ "ConstantPool", "_tags", { 8, 8, 8, 8 } },
	{ "ConstantPool", "_length", { 60, 52, 0x3c, 0x3c } },
	{ "Array<int>", "_length", { 0, 0, 0, 0 } },
	{ "Array<u1>", "_data", { 4, 4, 4, 4 } },
	{ "Symbol", "_hash_and_refcount", { -1, -1, 0, 0 } },
	{ "Symbol", "_length", { 0, 0, 4, 4 } },
	{ "Symbol", "_body", { 8, 6, 6, 6 } },
	{ "nmethod", "_scopes_pcs_offset", { 180, 300, 268, 196 } },
	{ "nmethod", "_metadata_offset", { 172, 292, 260, -1 } },
	{ "nmethod", "_dependencies_offset", { 184, 304, 272, -1 } },
	{ "nmethod", "_immutable_data", { -1, -1, -1, 96 } },
	{ "nmethod", "_immutable_data_size", { -1, -1, -1, 160 } },
	{ "nmethod", "_scopes_data_offset", { 176, -1, -1, 200 } },
	{ "CompiledMethod", "_scopes_data_begin", { -1, 120, 120, -1 } },
	{ "CodeBlob", "_size", { 16, 12, 12, 24 } },
	{ "CodeBlob", "_mutable_data", { -1, -1, -1, 16 } },
	{ "CodeBlob", "_mutable_data_size", { -1, -1, -1, 48 } },
	{ "CodeBlob", "_relocation_size", { 24, -1, -1, 28 } },
	{ "PcDesc", "_pc_offset", { 0, 0, 0, 0 } },
	{ "PcDesc", "_scope_decode_offset", { 4, 4, 4, 4 } },
	{ "GenericGrowableArray", "_len", { 0, 0, -1, -1 } },
	{ "Symbol", "_refcount", { 2, 2, -1, -1 } },
	{ "Symbol", "_identity_hash", { 4, 4, -1, -1 } },
	{ "nmethod", "_deoptimize_offset", { 148, -1, -1, -1 } },
	{ "JavaThread", "_next", { 560, 792, -1, -1 } },
	{ "JavaThread", "_threadObj", { 568, 808, 648, 1120 } },
	{ "JavaThread", "_osthread", { 392, 624, 560, -1 } },
	{ "Thread", "_osthread", { -1, -1, -1, 1016 } },
	{ "OSThread", "_thread_id", { 216, 216, 208, 12 } },
	{ "OopHandle", "_obj", { -1, -1, 0, 0 } },
	{ "ThreadsList", "_length", { -1, -1, 4, 4 } },
	{ "ThreadsList", "_threads", { -1, -1, 16, 16 } },
	{ "InstanceKlass", "_fields", { 432, 456, 456, -1 } },
	{ "InstanceKlass", "_java_fields_count", { 262, 302, 310, -1 } },
	{ "InstanceKlass", "_fieldinfo_stream", { -1, -1, -1, 448 } },
	{ "Array<u2>", "_data", { 4, 4, 4, 4 } },
};
static const struct {
	const char *name;
	int size[JDKS];
} sizes[] = {
	{ "HeapBlock", { 16, 16, 16, 8 } },
	{ "ConstMethod", { 48, 56, 0x30, 0x38 } },
	{ "Method", { 88, 88, 88, 88 } },
	{ "ConstantPool", { 80, 64, 72, 72 } },
	{ "nmethod", { 296, 376, 352, 224 } },
	{ "PcDesc", { 16, 16, 16, 16 } },
	{ "ContinuationEntry", { -1, -1, -1, 0x40 } },
};

/* Static fields, by their kind in this image. */
static const struct {
	const char *type[JDKS], *name[JDKS];
} statics[HOTSPOT_STATICS] = {
	[HOTSPOT_VM_INFO] = {
		{ "Abstract_VM_Version", "Abstract_VM_Version",
		  "Abstract_VM_Version", "Abstract_VM_Version" },
		{ "_s_internal_vm_info_string", "_s_internal_vm_info_string",
		  "_s_internal_vm_info_string", "_s_internal_vm_info_string" },
	},
	[HOTSPOT_THREADS] = {
		{ "Threads", "Threads", "ThreadsSMRSupport",
		  "ThreadsSMRSupport" },
		{ "_thread_list", "_thread_list", "_java_thread_list",
		  "_java_thread_list" },
	},
	[HOTSPOT_THREAD_CLASS] = {
		{ "SystemDictionary", "SystemDictionary", "vmClasses",
		  "vmClasses" },
		{ "_well_known_klasses[SystemDictionary::Thread_klass_knum]",
		  "_well_known_klasses[SystemDictionary::Thread_klass_knum]",
		  "_klasses[static_cast<int>(vmClassID::Thread_klass_knum)]",
		  "_klasses[static_cast<int>(vmClassID::Thread_klass_knum)]" },
	},
	[HOTSPOT_STRING_CLASS] = {
		{ "SystemDictionary", "SystemDictionary", "vmClasses",
		  "vmClasses" },
		{ "_well_known_klasses[SystemDictionary::String_klass_knum]",
		  "_well_known_klasses[SystemDictionary::String_klass_knum]",
		  "_klasses[static_cast<int>(vmClassID::String_klass_knum)]",
		  "_klasses[static_cast<int>(vmClassID::String_klass_knum)]" },
	},
	[HOTSPOT_OOP_BASE] = {
		{ "Universe", "Universe", "CompressedOops", "CompressedOops" },
		{ "_narrow_oop._base", "_narrow_oop._base", "_narrow_oop._base",
		  "_base" },
	},
	[HOTSPOT_OOP_SHIFT] = {
		{ "Universe", "Universe", "CompressedOops", "CompressedOops" },
		{ "_narrow_oop._shift", "_narrow_oop._shift",
		  "_narrow_oop._shift", "_shift" },
	},
	[HOTSPOT_CLASS_BASE] = {
		{ "Universe", "Universe", "CompressedKlassPointers",
		  "CompressedKlassPointers" },
		{ "_narrow_klass._base", "_narrow_klass._base",
		  "_narrow_klass._base", "_base" },
	},
	[HOTSPOT_CLASS_SHIFT] = {
		{ "Universe", "Universe", "CompressedKlassPointers",
		  "CompressedKlassPointers" },
		{ "_narrow_klass._shift", "_narrow_klass._shift",
		  "_narrow_klass._shift", "_shift" },
	},
};

static const struct {
	const char *name[JDKS];
	int value;
} constants[] = {
	{ { "ConstMethod::_has_linenumber_table",
	    "ConstMethod::_has_linenumber_table",
	    "ConstMethod::_has_linenumber_table",
	    "ConstMethodFlags::_misc_has_linenumber_table" }, 1 },
	{ { "FIELDINFO_TAG_SIZE", "FIELDINFO_TAG_SIZE", "FIELDINFO_TAG_SIZE",
	    "FieldInfo::FieldFlags::_ff_generic" }, 2 },
	{ { "x1", "x1", "x1", "FieldInfo::FieldFlags::_ff_initialized" }, 0 },
	{ { "x2", "x2", "x2", "FieldInfo::FieldFlags::_ff_contended" }, 4 },
	{ { "x3", "x3", "x3", "markWord::klass_shift" }, 42 },
};
/* clang-format on */

static int which(const struct hotspot_image *i)
{
	if (i->jdk < 17)
		return i->jdk < 11 ? JDK_8 : JDK_11;
	return i->jdk < 25 ? JDK_17 : JDK_25;
}

static bool is_new(const struct hotspot_image *i) { return which(i) == JDK_25; }

/* Returns the size of a block's header, which precedes its blob. */
static uint64_t block_header(const struct hotspot_image *i)
{
	return is_new(i) ? 8 : 16;
}

static void put(struct hotspot_image *i, uint64_t address, uint64_t value,
		size_t len)
{
	memcpy(i->bytes + (address - HOTSPOT_IMAGE), &value, len);
}

static uint64_t add(struct hotspot_image *i, size_t len)
{
	uint64_t address = HOTSPOT_IMAGE + i->used;

	i->used += (len + 7) & ~(size_t)7;
	if (i->used > MAP_AT)
		abort();
	return address;
}

static uint64_t add_text(struct hotspot_image *i, const char *text)
{
	uint64_t address = add(i, strlen(text) + 1);

	memcpy(i->bytes + (address - HOTSPOT_IMAGE), text, strlen(text) + 1);
	return address;
}

static void put_field(struct hotspot_image *i, uint64_t address,
		      const char *type, const char *name, uint64_t value,
		      size_t len)
{
	for (size_t k = 0; k < sizeof(fields) / sizeof(*fields); k++) {
		const struct field *f = &fields[k];

		if (strcmp(f->type, type) == 0 && strcmp(f->name, name) == 0 &&
		    f->offset[which(i)] >= 0)
			put(i, address + (uint64_t)f->offset[which(i)], value,
			    len);
	}
}

static void read_all(struct memory *self, struct memory_range *ranges,
		     size_t count)
{
	const struct hotspot_image *i = (struct hotspot_image *)self;

	for (size_t k = 0; k < count; k++) {
		struct memory_range *r = &ranges[k];
		uint64_t offset = r->address - HOTSPOT_IMAGE;

		r->is_read = r->address >= HOTSPOT_IMAGE &&
			     offset <= HOTSPOT_IMAGE_BYTES &&
			     r->len <= HOTSPOT_IMAGE_BYTES - offset;
		if (r->is_read)
			memcpy(r->bytes, i->bytes + offset, r->len);
		for (size_t n = 0; n < EXPORTED && !r->is_read && r->len == 8;
		     n++) {
			r->is_read = r->address == (uintptr_t)exported[n].value;
			if (r->is_read)
				memcpy(r->bytes, exported[n].value, 8);
		}
	}
}

static void add_field(struct hotspot_image *i, const char *type,
		      const char *name, int offset, uint64_t address)
{
	uint64_t entry = add(i, ENTRY_BYTES);

	put(i, entry, 0, 8);
	put(i, entry + 24, address != 0, 4);
	put(i, entry + 32, (uint64_t)offset, 8);
	put(i, entry + 40, address, 8);
	/* Texts are outside the table: a table is one piece. */
	put(i, entry, (uint64_t)(uintptr_t)type, 8);
	put(i, entry + 8, (uint64_t)(uintptr_t)name, 8);
}

/* Replaces pointers to texts of the test by pointers to copies in the image. */
static void move_texts(struct hotspot_image *i, uint64_t from, uint64_t to,
		       size_t step, size_t count)
{
	for (; from < to; from += step)
		for (size_t k = 0; k < count; k++) {
			uint64_t *at = (uint64_t *)(i->bytes +
						    (from - HOTSPOT_IMAGE) +
						    8 * k);
			const char *text = (const char *)(uintptr_t)*at;

			if (text)
				*at = add_text(i, text);
		}
}

static uint64_t add_constants(struct hotspot_image *i)
{
	const size_t count = sizeof(constants) / sizeof(*constants);
	uint64_t table = add(i, (count + 1) * CONSTANT_BYTES);

	for (size_t k = 0; k < count; k++) {
		uint64_t at = table + k * CONSTANT_BYTES;

		put(i, at, add_text(i, constants[k].name[which(i)]), 8);
		put(i, at + 8, (uint64_t)constants[k].value, 4);
	}
	return table;
}

static void add_tables(struct hotspot_image *i, uint64_t heaps)
{
	uint64_t version = add(i, 8), structs, types, end;

	for (size_t k = 0; k < HOTSPOT_STATICS; k++)
		i->statics[k] = add(i, 8);

	/* HotSpot's own version, which was 25 in JDK 8. */
	put(i, version, which(i) == JDK_8 ? 25 : (uint64_t)i->jdk, 4);
	structs = HOTSPOT_IMAGE + i->used;
	for (size_t k = 0; k < sizeof(fields) / sizeof(*fields); k++)
		if (fields[k].offset[which(i)] >= 0)
			add_field(i, fields[k].type, fields[k].name,
				  fields[k].offset[which(i)], 0);
	if (which(i) == JDK_8)
		add_field(i, "CodeCache", "_heap", 0, heaps);
	else
		add_field(i, "CodeCache", "_heaps", 0, heaps);
	add_field(i, "Abstract_VM_Version", "_vm_major_version", 0, version);
	for (size_t k = 0; k < HOTSPOT_STATICS; k++)
		add_field(i, statics[k].type[which(i)],
			  statics[k].name[which(i)], 0, i->statics[k]);
	if (is_new(i))
		add_field(i, "ContinuationEntry", "_return_pc", 0, i->entry);
	end = add(i, ENTRY_BYTES);
	types = HOTSPOT_IMAGE + i->used;
	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
		if (sizes[k].size[which(i)] >= 0)
			add_field(i, sizes[k].name, NULL,
				  sizes[k].size[which(i)], 0);
	add(i, ENTRY_BYTES);
	move_texts(i, structs, end, ENTRY_BYTES, 2);
	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
		move_texts(i, types + k * ENTRY_BYTES,
			   types + (k + 1) * ENTRY_BYTES, ENTRY_BYTES, 1);
	gHotSpotVMStructs = structs;
	gHotSpotVMTypes = types;
	gHotSpotVMLongConstants = end;
	gHotSpotVMIntConstants = add_constants(i);
}

bool hotspot_image_set_offset(struct hotspot_image *i, const char *type,
			      const char *field, uint64_t offset)
{
	for (uint64_t entry = gHotSpotVMStructs;; entry += ENTRY_BYTES) {
		uint64_t names[2];

		memcpy(names, i->bytes + (entry - HOTSPOT_IMAGE),
		       sizeof(names));
		if (!names[0])
			return false;
		if (strcmp((char *)i->bytes + (names[0] - HOTSPOT_IMAGE),
			   type) == 0 &&
		    strcmp((char *)i->bytes + (names[1] - HOTSPOT_IMAGE),
			   field) == 0) {
			put(i, entry + 32, offset, 8);
			return true;
		}
	}
}

void hotspot_image_init(struct hotspot_image *i, int jdk)
{
	uint64_t heap, array, heaps;

	*i = (struct hotspot_image){ .memory = { .read_all = read_all },
				     .jdk = jdk };
	i->bytes = xcalloc(1, HOTSPOT_IMAGE_BYTES);
	i->used = 64;
	memset(i->bytes + MAP_AT, 0xff, CODE_BYTES >> SEGMENT_SHIFT);
	heap = add(i, 0x200);
	array = add(i, 48);
	heaps = add(i, 8);
	i->entry = add(i, 8);
	put(i, heaps, which(i) == JDK_8 ? heap : array, 8);
	put(i, array, 1, 4);
	put_field(i, array, "GrowableArray<int>", "_data", array + 40, 8);
	put(i, array + 40, heap, 8);
	put_field(i, heap, "CodeHeap", "_memory", HOTSPOT_IMAGE + CODE_AT, 8);
	put_field(i, heap + 8, "CodeHeap", "_memory",
		  HOTSPOT_IMAGE + CODE_AT + CODE_BYTES, 8);
	put_field(i, heap, "CodeHeap", "_segmap", HOTSPOT_IMAGE + MAP_AT, 8);
	put_field(i, heap, "CodeHeap", "_log2_segment_size", SEGMENT_SHIFT, 4);
	add_tables(i, heaps);
}

/* A library with only a few dynamic symbols. */
struct library {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	Elf64_Shdr sections[3]; /* none, symbols, names */
	Elf64_Sym symbols[EXPORTED];
	char names[1 + EXPORTED][NAME_BYTES]; /* the first is empty */
};

static void fill_library(struct library *l)
{
	*l = (struct library){
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
				     ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_DYN,
			.e_machine = EM_X86_64,
			.e_phoff = offsetof(struct library, segment),
			.e_phentsize = sizeof(l->segment),
			.e_phnum = 1,
			.e_shoff = offsetof(struct library, sections),
			.e_shentsize = sizeof(*l->sections),
			.e_shnum = 3,
		},
		.sections[1] = {
			.sh_type = SHT_DYNSYM,
			.sh_offset = offsetof(struct library, symbols),
			.sh_size = sizeof(l->symbols),
			.sh_entsize = sizeof(*l->symbols),
			.sh_link = 2,
		},
		.sections[2] = {
			.sh_type = SHT_STRTAB,
			.sh_offset = offsetof(struct library, names),
			.sh_size = sizeof(l->names),
		},
	};
	for (size_t k = 0; k < EXPORTED; k++) {
		snprintf(l->names[1 + k], NAME_BYTES, "%s", exported[k].name);
		l->symbols[k] = (Elf64_Sym){
			.st_name = (Elf64_Word)((1 + k) * NAME_BYTES),
			.st_shndx = SHN_ABS,
			.st_value = (uintptr_t)exported[k].value,
		};
	}
}

void hotspot_image_open(struct hotspot_image *i)
{
	struct library library;
	struct error err;

	if (jvm_open(&i->jvm, getpid(), &err))
		abort();
	fill_library(&library);
	i->program = elf_image_open_bytes(&library, sizeof(library), &err);
	if (!i->program)
		abort();
	i->view = process_view_open_with(&i->jvm, &i->memory, i->program,
					 i->bias, &err);
	if (!i->view)
		abort();
	i->unwinder = unwinder_new(&arch_x86_64, i->view);
}

void hotspot_image_release(struct hotspot_image *i)
{
	unwinder_free(i->unwinder);
	process_view_close(i->view);
	elf_image_close(i->program);
	jvm_close(&i->jvm);
	free(i->bytes);
	*i = (struct hotspot_image){ 0 };
}

static void put_blob(struct hotspot_image *i, uint64_t blob,
		     const struct image_blob *b)
{
	uint64_t code = blob + HEADER;
	uint64_t deopt = b->deopt ? code + b->deopt : blob + HEADER + b->len;

	put_field(i, blob - block_header(i), "HeapBlock::Header", "_used", 1,
		  1);
	put_field(i, blob, "CodeBlob", "_name", add_text(i, b->name), 8);
	put_field(i, blob, "CodeBlob", "_frame_size", b->frame_words, 4);
	put_field(i, blob, "CodeBlob", "_frame_complete_offset",
		  (uint64_t)b->frame_complete, is_new(i) ? 2 : 4);
	put_field(i, blob, "CodeBlob", "_code_begin", code, 8);
	put_field(i, blob, "CodeBlob", "_code_end", code + b->len, 8);
	put_field(i, blob, "CodeBlob", "_code_offset", HEADER, 4);
	put_field(i, blob, "CodeBlob", "_data_offset", HEADER + b->len, 4);
	put_field(i, blob, "CompiledMethod", "_method", b->method, 8);
	put_field(i, blob, "nmethod", "_method", b->method, 8);
	put_field(i, blob, "CompiledMethod", "_deopt_handler_begin", deopt, 8);
	put_field(i, blob, "nmethod", "_deopt_handler_offset", deopt - blob, 4);
	put_field(i, blob, "nmethod", "_deoptimize_offset", deopt - blob, 4);
	put_field(i, blob, "nmethod", "_verified_entry_point", code, 8);
	put_field(i, blob, "nmethod", "_orig_pc_offset",
		  (uint64_t)b->original_pc, 4);
	put_field(i, blob, "nmethod", "_compile_id", b->compile_id, 4);
	put_field(i, blob, "nmethod", "_comp_level", 4, 1);
	memcpy(i->bytes + (code - HOTSPOT_IMAGE), b->code, b->len);
}

uint64_t hotspot_image_blob(struct hotspot_image *i, const struct image_blob *b)
{
	uint64_t block = HOTSPOT_IMAGE + CODE_AT + i->code_used;
	uint64_t blob = block + block_header(i);
	size_t segments = (16 + HEADER + b->len + 127) >> SEGMENT_SHIFT;
	size_t first = i->code_used >> SEGMENT_SHIFT;

	if (i->code_used + (segments << SEGMENT_SHIFT) > CODE_BYTES)
		abort();
	for (size_t k = 0; k < segments; k++)
		i->bytes[MAP_AT + first + k] = (uint8_t)(k == 0 ? 0
							 : k % 254 == 0
								 ? 254
								 : k % 254);
	i->code_used += segments << SEGMENT_SHIFT;
	put_blob(i, blob, b);
	return blob + HEADER;
}

uint64_t hotspot_image_split(struct hotspot_image *i, uint64_t code,
			     size_t segments, const struct image_blob *b)
{
	uint64_t header = block_header(i);
	uint64_t old = code - HEADER - header;
	uint64_t block = old + (segments << SEGMENT_SHIFT);
	size_t first = (block - HOTSPOT_IMAGE - CODE_AT) >> SEGMENT_SHIFT;
	size_t count = (16 + HEADER + b->len + 127) >> SEGMENT_SHIFT;

	put_field(i, old, "HeapBlock::Header", "_used", 0, 1);
	for (size_t k = 0; k < count; k++)
		i->bytes[MAP_AT + first + k] = (uint8_t)k;
	put_blob(i, block + header, b);
	return block + header + HEADER;
}

void hotspot_image_lie(struct hotspot_image *i, uint8_t back)
{
	memset(i->bytes + MAP_AT, back, CODE_BYTES >> SEGMENT_SHIFT);
}

void hotspot_image_entry(struct hotspot_image *i, uint64_t pc)
{
	put(i, i->entry, pc, 8);
}

void hotspot_image_replace(struct hotspot_image *i, uint64_t code,
			   const struct image_blob *b)
{
	put_blob(i, code - HEADER, b);
}

void hotspot_image_vm(struct hotspot_image *i, const char *name)
{
	put(i, i->statics[HOTSPOT_VM_INFO], add_text(i, name), 8);
}

static uint64_t add_symbol(struct hotspot_image *i, const char *text)
{
	size_t body = which(i) == JDK_8 ? 8 : 6;
	uint64_t symbol = add(i, body + strlen(text));

	put_field(i, symbol, "Symbol", "_hash_and_refcount", 0x10001, 4);
	put_field(i, symbol, "Symbol", "_refcount", 1, 2);
	put_field(i, symbol, "Symbol", "_identity_hash", 1, 2);
	put_field(i, symbol, "Symbol", "_length", strlen(text), 2);
	memcpy(i->bytes + (symbol + body - HOTSPOT_IMAGE), text, strlen(text));
	return symbol;
}

static uint64_t size_of(const struct hotspot_image *i, const char *type)
{
	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
		if (strcmp(sizes[k].name, type) == 0)
			return (uint64_t)sizes[k].size[which(i)];
	abort();
}

/* Adds a ConstantPool with a name and a signature, 1 and 2, both Utf8. */
static uint64_t add_pool(struct hotspot_image *i)
{
	uint64_t size = size_of(i, "ConstantPool");
	uint64_t pool = add(i, size + 3 * 8), tags = add(i, 4 + 3);

	put(i, tags, 3, 4);
	put(i, tags + 5, 0x0101, 2);
	put_field(i, pool, "ConstantPool", "_tags", tags, 8);
	put_field(i, pool, "ConstantPool", "_length", 3, 4);
	put(i, pool + size + 8, add_symbol(i, "run"), 8);
	put(i, pool + size + 16, add_symbol(i, "()V"), 8);
	return pool;
}

uint64_t hotspot_image_method(struct hotspot_image *i, uint16_t len,
			      uint64_t *code)
{
	uint64_t method = add(i, 0x60), const_method = add(i, 0x40 + len);
	uint64_t pool = add_pool(i), klass = add(i, 0x1d8);
	const char *flags = is_new(i) ? "_flags._flags" : "_flags";

	put_field(i, method, "Method", "_constMethod", const_method, 8);
	put_field(i, const_method, "ConstMethod", "_constants", pool, 8);
	put_field(i, const_method, "ConstMethod", "_code_size", len, 2);
	put_field(i, const_method, "ConstMethod", "_constMethod_size",
		  (0x40u + len) / 8, 4);
	put_field(i, const_method, "ConstMethod", flags, 1, 2);
	put_field(i, const_method, "ConstMethod", "_name_index", 1, 2);
	put_field(i, const_method, "ConstMethod", "_signature_index", 2, 2);
	put_field(i, pool, "ConstantPool", "_pool_holder", klass, 8);
	put_field(i, klass, "InstanceKlass", "_constants", pool, 8);
	put_field(i, klass, "Klass", "_name", add_symbol(i, "a/B"), 8);
	*code = const_method + size_of(i, "ConstMethod");
	return method;
}

uint64_t hotspot_image_add(struct hotspot_image *i, size_t len)
{
	return add(i, len);
}

void hotspot_image_put(struct hotspot_image *i, uint64_t address,
		       uint64_t value, size_t len)
{
	put(i, address, value, len);
}

void hotspot_image_put_field(struct hotspot_image *i, uint64_t address,
			     const char *type, const char *name, uint64_t value,
			     size_t len)
{
	put_field(i, address, type, name, value, len);
}

uint64_t hotspot_image_symbol(struct hotspot_image *i, const char *text)
{
	return add_symbol(i, text);
}

uint64_t hotspot_image_size(const struct hotspot_image *i, const char *type)
{
	return size_of(i, type);
}
