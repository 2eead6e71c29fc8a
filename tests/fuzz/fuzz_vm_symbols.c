/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes compiled code and methods in a JVM's memory.  The input replaces parts
 * of them: three bytes of an offset and one of a value each.  The first byte
 * selects the JDK; its upper bits are the number of replacements between two
 * lookups of the same names.
 */
#include "core/hotspot/vm_symbols.h"
#include "tests/unit/metadata_image.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FRAMES = 300, PATCH = 4 };

/* bci 0: line 5, bci 3: line 7; before JDK 20 and since. */
static const uint8_t lines[2][5] = { { 0xff, 0, 10, 3 << 3 | 2, 0 },
				     { 0xff, 1, 11, 3 << 3 | 2, 0 } };
static const struct image_scope scopes[] = {
	{ -1, 0, -1 }, { -1, 0, 3 }, { 1, 1, 2 }, { 2, 2, 4 }, { -1, 0, 0 },
};
static const struct image_pc pcs[] = {
	{ 16, 0 }, { 40, 3 }, { 80, 2 }, { 81, 4 }, { 200, 1 },
};

static void check(const struct java_frame *f)
{
	if (!f->class_name || !f->method || !f->signature ||
	    !strchr(f->signature, ')') || f->line > UINT16_MAX)
		abort();
}

static void ask(struct vm_symbols *s, const struct code_blob *blob)
{
	struct java_symbols *symbols = vm_symbols_of(s);
	struct java_frame frames[FRAMES];

	for (uint64_t offset = 0; offset < 264; offset += 8) {
		struct unwound_frame at = { .kind = UNWOUND_COMPILED,
					    .pc = blob->begin + offset,
					    .blob = blob };
		size_t count = symbols->frames(symbols, &at, 0, frames, FRAMES);

		for (size_t i = 0; i < count; i++)
			check(&frames[i]);
	}
	for (int32_t bci = -1; bci < 12; bci++) {
		struct unwound_frame at = { .kind = UNWOUND_INTERPRETED,
					    .method = blob->method,
					    .bci = bci };

		if (symbols->frames(symbols, &at, 0, frames, FRAMES))
			check(&frames[0]);
	}
}

static struct code_blob build(struct metadata_image *image)
{
	const uint8_t *l = lines[image->layout.method.excluded];
	uint64_t methods[3];

	image_class(image, "a/B");
	methods[0] = image_method(image, "outer", "(I[La/C;)V", 10, l, 5);
	methods[1] = image_method(image, "middle", "()[[J", 10, l, 5);
	image_class(image, "c/D$$Lambda+0x00007f41a5000a08");
	methods[2] = image_method(image, "inner", "()Lx/Y;", 10, l, 5);
	return image_nmethod(image, methods, 3, scopes,
			     sizeof(scopes) / sizeof(*scopes), pcs,
			     sizeof(pcs) / sizeof(*pcs));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct metadata_image image;
	struct vm_symbols *s;
	struct code_blob blob;
	static const int jdks[] = { 17, 25, 8, 11 };
	uint8_t first = size ? data[0] : 0;

	image_init(&image, jdks[first & 3]);
	blob = build(&image);
	s = vm_symbols_open_with(&image.layout, &image.memory);
	for (size_t at = 1; at + PATCH <= size; at += PATCH) {
		size_t offset = data[at] | (size_t)data[at + 1] << 8 |
				(size_t)data[at + 2] << 16;

		image.bytes[offset % image.used] = data[at + 3];
		if (first >> 2 && at / PATCH % (first >> 2) == 0) {
			ask(s, &blob);
			vm_symbols_begin(s);
			blob.identity++;
		}
	}
	ask(s, &blob);
	vm_symbols_close(s);
	image_release(&image);
	return 0;
}
