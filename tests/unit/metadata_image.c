/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/metadata_image.h"

#include <stdlib.h>
#include <string.h>

enum { POOL_ENTRIES = 64, UTF8 = 1, WORD = 8, CODE_BYTES = 256, PAGE = 4096 };

/* The layouts from the vmStructs of each JDK on amd64. */
static const struct metadata_layout layout_8 = {
	.method = {
		.method_size = 88, .method_const = 8,
		.const_size = 48, .const_constants = 8, .const_words = 24,
		.const_flags = 28, .const_code_size = 32, .const_name = 34,
		.const_signature = 36,
		.pool_size = 80, .pool_tags = 8, .pool_holder = 24,
		.pool_length = 60,
		.array_length = 0, .array_bytes = 4,
		.klass_name = 16, .klass_constants = 216,
		.symbol_hash = 4, .symbol_refcount = 2,
		.symbol_length = 0, .symbol_body = 8,
		.tag_utf8 = UTF8, .lines_flag = 1, .excluded = 0,
	},
	.scopes = {
		.place = SCOPES_IN_BLOB,
		.nmethod_size = 296, .nmethod_method = 64,
		.nmethod_compile_id = 204, .scopes_pcs = 180, .blob_size = 16,
		.metadata = 172, .dependencies = 184, .scopes_data = 176,
		.pcdesc_size = 16, .pcdesc_pc = 0, .pcdesc_scope = 4,
	},
};

static const struct metadata_layout layout_11 = {
	.method = {
		.method_size = 88, .method_const = 8,
		.const_size = 56, .const_constants = 8, .const_words = 32,
		.const_flags = 36, .const_code_size = 40, .const_name = 42,
		.const_signature = 44,
		.pool_size = 64, .pool_tags = 8, .pool_holder = 24,
		.pool_length = 52,
		.array_length = 0, .array_bytes = 4,
		.klass_name = 24, .klass_constants = 232,
		.symbol_hash = 4, .symbol_refcount = 2,
		.symbol_length = 0, .symbol_body = 6,
		.tag_utf8 = UTF8, .lines_flag = 1, .excluded = 0,
	},
	.scopes = {
		.place = SCOPES_IN_BLOB,
		.nmethod_size = 376, .nmethod_method = 112,
		.nmethod_compile_id = 324, .scopes_pcs = 300, .blob_size = 12,
		.metadata = 292, .dependencies = 304, .scopes_data_begin = 120,
		.scopes_data_is_address = true,
		.pcdesc_size = 16, .pcdesc_pc = 0, .pcdesc_scope = 4,
	},
};

static const struct metadata_layout layout_17 = {
	.method = {
		.method_size = 88, .method_const = 8,
		.const_size = 48, .const_constants = 8, .const_words = 24,
		.const_flags = 28, .const_code_size = 32, .const_name = 34,
		.const_signature = 36,
		.pool_size = 72, .pool_tags = 8, .pool_holder = 24,
		.pool_length = 60,
		.array_length = 0, .array_bytes = 4,
		.klass_name = 24, .klass_constants = 232,
		.symbol_hash = 2, .symbol_refcount = 0,
		.symbol_length = 4, .symbol_body = 6,
		.tag_utf8 = UTF8, .lines_flag = 1, .excluded = 0,
	},
	.scopes = {
		.place = SCOPES_IN_BLOB,
		.nmethod_size = 352, .nmethod_method = 112,
		.nmethod_compile_id = 304, .scopes_pcs = 268, .blob_size = 12,
		.metadata = 260, .dependencies = 272, .scopes_data_begin = 120,
		.scopes_data_is_address = true,
		.pcdesc_size = 16, .pcdesc_pc = 0, .pcdesc_scope = 4,
	},
};

static const struct metadata_layout layout_25 = {
	.method = {
		.method_size = 88, .method_const = 8,
		.const_size = 56, .const_constants = 8, .const_words = 24,
		.const_flags = 28, .const_code_size = 34, .const_name = 36,
		.const_signature = 38,
		.pool_size = 72, .pool_tags = 8, .pool_holder = 24,
		.pool_length = 60,
		.array_length = 0, .array_bytes = 4,
		.klass_name = 24, .klass_constants = 224,
		.symbol_hash = 2, .symbol_refcount = 0,
		.symbol_length = 4, .symbol_body = 6,
		.tag_utf8 = UTF8, .lines_flag = 1, .excluded = 1,
	},
	.scopes = {
		.place = SCOPES_IN_DATAS,
		.nmethod_size = 224, .nmethod_method = 80,
		.nmethod_compile_id = 212, .scopes_pcs = 196, .blob_size = 24,
		.mutable_data = 16, .mutable_size = 48, .relocation_size = 28,
		.immutable_data = 96, .immutable_size = 160,
		.scopes_data = 200,
		.pcdesc_size = 16, .pcdesc_pc = 0, .pcdesc_scope = 4,
	},
};

static void read_all(struct memory *self, struct memory_range *ranges,
		     size_t count)
{
	struct metadata_image *image = (struct metadata_image *)self;
	/* Memory has whole pages; the rest of the last is zero. */
	size_t used = (image->used + PAGE - 1) / PAGE * PAGE;

	image->reads++;
	for (size_t i = 0; i < count; i++) {
		uint64_t at = ranges[i].address - IMAGE_BASE;

		ranges[i].is_read = at <= used && ranges[i].len <= used - at;
		if (ranges[i].is_read && ranges[i].len)
			memcpy(ranges[i].bytes, image->bytes + at,
			       ranges[i].len);
	}
}

void image_init(struct metadata_image *image, int jdk)
{
	*image = (struct metadata_image){ .memory = { .read_all = read_all } };
	if (jdk < 17)
		image->layout = jdk < 11 ? layout_8 : layout_11;
	else
		image->layout = jdk < 20 ? layout_17 : layout_25;
	image->bytes = calloc(1, IMAGE_BYTES);
	if (!image->bytes)
		abort();
}

void image_release(struct metadata_image *image) { free(image->bytes); }

uint64_t image_add(struct metadata_image *image, size_t len)
{
	uint64_t address = IMAGE_BASE + image->used;

	len = (len + WORD - 1) / WORD * WORD;
	if (len > IMAGE_BYTES - image->used)
		abort();
	image->used += len;
	return address;
}

void image_put(struct metadata_image *image, uint64_t address, uint64_t value,
	       size_t len)
{
	memcpy(image->bytes + (address - IMAGE_BASE), &value, len);
}

uint64_t image_u64(struct metadata_image *image, uint64_t address)
{
	uint64_t value;

	memcpy(&value, image->bytes + (address - IMAGE_BASE), sizeof(value));
	return value;
}

static uint64_t add_symbol(struct metadata_image *image, const char *text)
{
	const struct method_layout *l = &image->layout.method;
	size_t len = strlen(text);
	uint64_t symbol = image_add(image, l->symbol_body + len);

	image_put(image, symbol + l->symbol_hash, 0x1234, 2);
	image_put(image, symbol + l->symbol_refcount, 1, 2);
	image_put(image, symbol + l->symbol_length, len, 2);
	memcpy(image->bytes + (symbol + l->symbol_body - IMAGE_BASE), text,
	       len);
	return symbol;
}

void image_class(struct metadata_image *image, const char *name)
{
	const struct method_layout *l = &image->layout.method;
	uint64_t tags = image_add(image, l->array_bytes + POOL_ENTRIES);

	image->holder = image_add(image, 464);
	image->constants = image_add(image, l->pool_size + POOL_ENTRIES * WORD);
	image->next_entry = 1;
	image_put(image, tags + l->array_length, POOL_ENTRIES, 4);
	memset(image->bytes + (tags + l->array_bytes - IMAGE_BASE), UTF8,
	       POOL_ENTRIES);
	image_put(image, image->constants + l->pool_tags, tags, WORD);
	image_put(image, image->constants + l->pool_holder, image->holder,
		  WORD);
	image_put(image, image->constants + l->pool_length, POOL_ENTRIES, 4);
	image_put(image, image->holder + l->klass_name, add_symbol(image, name),
		  WORD);
	image_put(image, image->holder + l->klass_constants, image->constants,
		  WORD);
}

static uint16_t add_entry(struct metadata_image *image, const char *text)
{
	uint16_t entry = image->next_entry++;

	image_put(image,
		  image->constants + image->layout.method.pool_size +
			  (uint64_t)entry * WORD,
		  add_symbol(image, text), WORD);
	return entry;
}

uint64_t image_method(struct metadata_image *image, const char *name,
		      const char *signature, uint16_t code_bytes,
		      const void *lines, size_t len)
{
	const struct method_layout *l = &image->layout.method;
	size_t size = l->const_size + code_bytes + len;
	uint64_t c = image_add(image, size);
	uint64_t method = image_add(image, l->method_size);

	image_put(image, method + l->method_const, c, WORD);
	image_put(image, c + l->const_constants, image->constants, WORD);
	image_put(image, c + l->const_words, (size + WORD - 1) / WORD, 4);
	image_put(image, c + l->const_flags, lines ? l->lines_flag : 0, 2);
	image_put(image, c + l->const_code_size, code_bytes, 2);
	image_put(image, c + l->const_name, add_entry(image, name), 2);
	image_put(image, c + l->const_signature, add_entry(image, signature),
		  2);
	if (lines)
		memcpy(image->bytes +
			       (c + l->const_size + code_bytes - IMAGE_BASE),
		       lines, len);
	return method;
}

size_t image_unsigned5(uint8_t *out, uint32_t value, unsigned excluded)
{
	uint32_t low = 192 - excluded;
	size_t len = 0;

	while (value >= low && len < 4) {
		value -= low;
		out[len++] = (uint8_t)(192 + value % 64);
		value /= 64;
	}
	out[len++] = (uint8_t)(value + excluded);
	return len;
}

/* Writes scopes data; stores the start of each scope in offsets. */
static size_t write_scopes(const struct metadata_image *image, uint8_t *out,
			   const struct image_scope *scopes, size_t count,
			   uint32_t *offsets)
{
	unsigned excluded = image->layout.method.excluded;
	size_t len = 1;

	out[0] = 0xff; /* offset 0 is not a scope */
	for (size_t i = 0; i < count; i++) {
		const struct image_scope *s = &scopes[i];

		offsets[i] = (uint32_t)len;
		len += image_unsigned5(out + len,
				       s->sender < 0 ? 0 : offsets[s->sender],
				       excluded);
		len += image_unsigned5(out + len, (uint32_t)s->method + 1,
				       excluded);
		len += image_unsigned5(out + len, (uint32_t)(s->bci + 1),
				       excluded);
	}
	return (len + WORD - 1) / WORD * WORD;
}

static void put_pc(struct metadata_image *image, uint64_t at, int32_t offset,
		   uint32_t scope)
{
	image_put(image, at, (uint32_t)offset, 4);
	image_put(image, at + 4, scope, 4);
}

static void write_pcs(struct metadata_image *image, uint64_t at,
		      const struct image_pc *pcs, size_t count,
		      const uint32_t *offsets)
{
	put_pc(image, at, -1, 0);
	for (size_t i = 0; i < count; i++)
		put_pc(image, at + (i + 1) * 16, pcs[i].offset,
		       pcs[i].scope < 0 ? 0 : offsets[pcs[i].scope]);
	put_pc(image, at + (count + 1) * 16, CODE_BYTES + 1, 0);
}

/* Writes the places of the tables into the header, as each JDK does. */
static void write_header(struct metadata_image *image, uint64_t blob,
			 uint64_t metadata, uint64_t data, uint64_t pcs,
			 uint64_t end)
{
	const struct scopes_layout *l = &image->layout.scopes;

	image_put(image, blob + l->blob_size, end - blob, 4);
	if (l->place == SCOPES_IN_BLOB) {
		image_put(image, blob + l->metadata, metadata - blob, 4);
		if (l->scopes_data_is_address)
			image_put(image, blob + l->scopes_data_begin, data,
				  WORD);
		else
			image_put(image, blob + l->scopes_data, data - blob, 4);
		image_put(image, blob + l->scopes_pcs, pcs - blob, 4);
		image_put(image, blob + l->dependencies, end - blob, 4);
		return;
	}
	/* In this JDK, pcs precede data; 16 bytes of relocations are first. */
	image_put(image, blob + l->mutable_data, metadata - 16, WORD);
	image_put(image, blob + l->relocation_size, 16, 4);
	image_put(image, blob + l->immutable_data, pcs - 8, WORD);
	image_put(image, blob + l->scopes_pcs, 8, 4);
	image_put(image, blob + l->scopes_data, data - pcs + 8, 4);
	image_put(image, blob + l->immutable_size, end - pcs + 8, 4);
}

struct code_blob image_nmethod(struct metadata_image *image,
			       const uint64_t *methods, size_t method_count,
			       const struct image_scope *scopes,
			       size_t scope_count, const struct image_pc *pcs,
			       size_t pc_count)
{
	static uint32_t identity = 0;
	const struct scopes_layout *l = &image->layout.scopes;
	bool in_blob = l->place == SCOPES_IN_BLOB;
	uint32_t offsets[IMAGE_SCOPES];
	uint8_t data[IMAGE_SCOPES * 16] = { 0 };
	size_t len = write_scopes(image, data, scopes, scope_count, offsets);
	size_t pcs_len = (pc_count + 2) * 16;
	uint64_t blob = image_add(image, l->nmethod_size + CODE_BYTES + 16);
	uint64_t metadata = image_add(image, method_count * WORD);
	uint64_t mutable_end = IMAGE_BASE + image->used;
	uint64_t first = image_add(image, len + pcs_len + 8);
	uint64_t data_at = in_blob ? first : first + 8 + pcs_len;
	uint64_t pcs_at = in_blob ? first + len : first + 8;

	for (size_t i = 0; i < method_count; i++)
		image_put(image, metadata + i * WORD, methods[i], WORD);
	memcpy(image->bytes + (data_at - IMAGE_BASE), data, len);
	write_pcs(image, pcs_at, pcs, pc_count, offsets);
	write_header(image, blob, metadata, data_at, pcs_at,
		     in_blob ? pcs_at + pcs_len : data_at + len);
	if (!in_blob)
		image_put(image, blob + l->mutable_size,
			  mutable_end - metadata + 16, 4);
	image_put(image, blob + l->nmethod_method, methods[0], WORD);
	image_put(image, blob + l->nmethod_compile_id, 77, 4);
	identity++;
	return (struct code_blob){
		.kind = BLOB_NMETHOD,
		.address = blob,
		.begin = blob + l->nmethod_size,
		.end = blob + l->nmethod_size + CODE_BYTES,
		.method = methods[0],
		.compile_id = 77,
		.tier = 4,
		.identity = identity,
		.name = "nmethod",
	};
}
