/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the tables that describe a JVM's structures, and its code cache.  The
 * input replaces parts of them: three bytes of an offset, whose highest bit
 * limits it to the tables, and two bytes of a value each.  The first byte
 * selects the JDK.
 */
#include "core/hotspot/code_cache.h"
#include "core/hotspot/method_check.h"
#include "core/hotspot/vm_structs.h"
#include "core/hotspot/vm_symbols.h"
#include "tests/unit/hotspot_image.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATCH = 5, ANYWHERE = 1 << 23 };

/* An intact image, and a Method in it. */
struct world {
	struct hotspot_image image;
	uint8_t *before;
	uint64_t method;
	uint64_t structs, types, constants; /* addresses of its tables */
};

static void make(struct world *w, int jdk)
{
	static const char *const names[] = { "nmethod", "native nmethod",
					     "StubRoutines (1)" };
	static const uint8_t code[16];
	uint64_t bytecodes;

	hotspot_image_init(&w->image, jdk);
	w->method = hotspot_image_method(&w->image, 40, &bytecodes);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct image_blob b = { .name = names[i],
					      .code = code,
					      .len = sizeof(code),
					      .method = w->method };

		hotspot_image_blob(&w->image, &b);
	}
	hotspot_image_open(&w->image);
	w->structs = gHotSpotVMStructs;
	w->types = gHotSpotVMTypes;
	w->constants = gHotSpotVMIntConstants;
	w->before = xmalloc(HOTSPOT_IMAGE_BYTES);
	memcpy(w->before, w->image.bytes, HOTSPOT_IMAGE_BYTES);
}

static void damage(struct hotspot_image *image, const uint8_t *data,
		   size_t size)
{
	for (; size >= PATCH; data += PATCH, size -= PATCH) {
		size_t at = data[0] | data[1] << 8 | (size_t)data[2] << 16;

		at %= at & ANYWHERE ? HOTSPOT_IMAGE_BYTES : image->used;
		if (at < HOTSPOT_IMAGE_BYTES - 1)
			memcpy(image->bytes + at, data + 3, 2);
	}
}

/* Checks that the listed blobs are sorted and consistent. */
static void check_list(const struct code_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->blobs[i].begin >= list->blobs[i].end ||
		    (i && list->blobs[i].begin < list->blobs[i - 1].end))
			__builtin_trap();
}

/* Looks up names by the layout in the tables, which may be anything. */
static void name_methods(const struct world *w, struct vm_symbols *s,
			 const struct code_list *list)
{
	struct java_symbols *symbols = vm_symbols_of(s);
	struct java_frame frames[16];

	for (int round = 0; round < 2; round++) {
		vm_symbols_begin(s);
		vm_symbols_method(s, w->method, frames);
		for (size_t i = 0; i < list->count && i < 4; i++) {
			const struct code_blob *blob = &list->blobs[i];
			const struct unwound_frame at = {
				.kind = UNWOUND_COMPILED,
				.pc = blob->begin + 1,
				.blob = blob,
			};

			symbols->frames(symbols, &at, 0, frames, 16);
		}
	}
}

static void list_code(const struct world *w, const struct vm_structs *v,
		      struct memory *memory)
{
	struct vm_symbols *s;
	struct code_list list;
	struct error err;

	code_list_read(&list, v, memory, &err);
	check_list(&list);
	s = vm_symbols_open(v, memory, &err);
	if (s)
		name_methods(w, s, &list);
	vm_symbols_close(s);
	code_list_release(&list);
}

static void look(const struct world *w, const struct vm_structs *v,
		 struct memory *memory)
{
	struct method_check *methods;
	struct error err;
	uint32_t offset;
	int64_t constant;

	vm_structs_offset(v, "CodeBlob", "_name", &offset);
	vm_structs_size(v, "HeapBlock", &offset);
	vm_structs_constant(v, "none", &constant);
	code_cache_close(code_cache_open(v, memory, &err));
	list_code(w, v, memory);
	methods = method_check_open(v, memory, &err);
	for (uint64_t i = 0; methods && i < 4; i++) {
		method_check_find(methods, w->method + 8 * (i / 2));
		method_check_begin(methods);
	}
	method_check_close(methods);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct world worlds[2];
	struct world *w = &worlds[size ? data[0] & 1 : 0];
	struct hotspot_image *image = &w->image;
	struct vm_structs *v;
	struct error err;

	if (!w->before)
		make(w, w == worlds ? 17 : 25);
	gHotSpotVMStructs = w->structs;
	gHotSpotVMTypes = w->types;
	gHotSpotVMIntConstants = w->constants;
	gHotSpotVMStructEntryArrayStride = ENTRY_BYTES;
	gHotSpotVMStructEntryTypeNameOffset = 0;
	/* The values of the symbols come from the input as well. */
	if (size > 24 && data[2] & 4)
		memcpy(&gHotSpotVMStructEntryArrayStride, data + 1, 1);
	if (size > 24 && data[2] & 1)
		memcpy(&gHotSpotVMStructEntryTypeNameOffset, data + 3, 8);
	if (size > 24 && data[2] & 2)
		memcpy(&gHotSpotVMIntConstants, data + 11, 8);
	damage(image, data + (size ? 1 : 0), size ? size - 1 : 0);
	v = vm_structs_read(image->program, image->bias, &image->memory, NULL,
			    false, &err);
	if (v)
		look(w, v, &image->memory);
	vm_structs_free(v);
	memcpy(image->bytes, w->before, HOTSPOT_IMAGE_BYTES);
	return 0;
}
