/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/nmethod_scopes.h"

#include "core/base/alloc.h"
#include "core/base/map64.h"
#include "core/hotspot/unsigned5.h"
#include "core/process/raw.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	MOST_PCS = 1 << 18,
	MOST_DATA_BYTES = 1 << 24,
	FIRST_OFFSET = -1, /* PcDesc::lower_offset_limit */
	NO_SCOPE = 0,      /* DebugInformationRecorder::serialized_null */
};

/* The three tables of an nmethod, and their bytes. */
struct table {
	uint64_t address;
	size_t len;
	uint8_t *bytes;
};

struct debug_info {
	struct table pcs, data, methods;
};

/* Decodes the scopes of an nmethod, each once. */
struct decoder {
	struct nmethod_scopes *out;
	const struct metadata_layout *l;
	struct debug_info *info;
	struct map64 known; /* index of a scope by its offset in data */
	size_t scope_cap;
	uint64_t method; /* the nmethod's own */
};

/*
 * Sets a range [begin, end) inside so many bytes; false when it is not inside.
 */
static bool tables_set(struct table *t, uint64_t base, uint64_t size,
		       uint64_t begin, uint64_t end, uint64_t most)
{
	if (begin > end || end > size || end - begin > most)
		return false;
	t->address = base + begin;
	t->len = (size_t)(end - begin);
	return true;
}

/* In the blob the tables are in a row: metadata, data, pcs. */
static bool find_in_blob(struct debug_info *d, const struct scopes_layout *l,
			 const struct code_blob *blob, const uint8_t *header)
{
	uint64_t size = raw_u32(header, l->blob_size);
	uint64_t metadata = raw_u32(header, l->metadata);
	uint64_t data = l->scopes_data_is_address
				? raw_u64(header, l->scopes_data_begin) -
					  blob->address
				: raw_u32(header, l->scopes_data);
	uint64_t pcs = raw_u32(header, l->scopes_pcs);
	uint64_t end = raw_u32(header, l->dependencies);

	return tables_set(&d->methods, blob->address, size, metadata, data,
			  (uint64_t)SCOPES_METHODS * WORD) &&
	       tables_set(&d->data, blob->address, size, data, pcs,
			  MOST_DATA_BYTES) &&
	       tables_set(&d->pcs, blob->address, size, pcs, end,
			  MOST_PCS * (uint64_t)l->pcdesc_size);
}

/*
 * JVMCI data may follow the metadata, and speculations the scopes. They are
 * read, too, because the JVM does not export where they begin.
 */
static bool find_in_datas(struct debug_info *d, const struct scopes_layout *l,
			  const uint8_t *header)
{
	uint64_t fixed = raw_u64(header, l->immutable_data);
	uint64_t fixed_size = raw_u32(header, l->immutable_size);
	uint64_t changing = raw_u64(header, l->mutable_data);
	uint64_t pcs = raw_u32(header, l->scopes_pcs);
	uint64_t data = raw_u32(header, l->scopes_data);

	return tables_set(&d->methods, changing,
			  raw_u32(header, l->mutable_size),
			  raw_u32(header, l->relocation_size),
			  raw_u32(header, l->mutable_size),
			  (uint64_t)SCOPES_METHODS * WORD) &&
	       tables_set(&d->data, fixed, fixed_size, data, fixed_size,
			  MOST_DATA_BYTES) &&
	       tables_set(&d->pcs, fixed, fixed_size, pcs, data,
			  MOST_PCS * (uint64_t)l->pcdesc_size);
}

/* The header must be the same before and after the tables are read. */
static bool is_of_blob(const struct scopes_layout *l,
		       const struct code_blob *blob, const uint8_t *header)
{
	return raw_u64(header, l->nmethod_method) == blob->method &&
	       raw_u32(header, l->nmethod_compile_id) == blob->compile_id;
}

static struct memory_range tables_range(struct table *t)
{
	t->bytes = xmalloc(t->len);
	return (struct memory_range){ t->address, t->bytes, t->len, false };
}

static bool tables_read(struct debug_info *d, struct memory *memory,
			const struct scopes_layout *l,
			const struct code_blob *blob)
{
	uint8_t after[METADATA_STRUCT_MOST + WORD] = { 0 };
	struct memory_range ranges[] = {
		tables_range(&d->pcs),
		tables_range(&d->data),
		tables_range(&d->methods),
		{ blob->address, after, l->nmethod_size, false },
	};
	const size_t count = sizeof(ranges) / sizeof(*ranges);

	memory->read_all(memory, ranges, count);
	for (size_t i = 0; i < count; i++) {
		if (!ranges[i].is_read)
			return false;
	}
	return is_of_blob(l, blob, after);
}

static bool find_and_read(struct debug_info *d, struct memory *memory,
			  const struct scopes_layout *l,
			  const struct code_blob *blob)
{
	uint8_t header[METADATA_STRUCT_MOST + WORD] = { 0 };
	bool is_found;

	if (!memory_read(memory, blob->address, header, l->nmethod_size) ||
	    !is_of_blob(l, blob, header))
		return false;
	is_found = l->place == SCOPES_IN_BLOB ? find_in_blob(d, l, blob, header)
					      : find_in_datas(d, l, header);
	return is_found && tables_read(d, memory, l, blob);
}

/* Decodes a scope; sender is the offset of its sender. */
static bool scope_read(struct decoder *d, uint32_t offset, struct scope *scope,
		       uint32_t *sender)
{
	const struct table *data = &d->info->data;
	struct cursor whole = cursor_over(data->bytes, data->len);
	struct cursor c = cursor_from(&whole, offset);
	unsigned excluded = d->l->method.excluded;
	uint32_t bci;

	*sender = unsigned5_read(&c, excluded);
	scope->method = unsigned5_read(&c, excluded);
	bci = unsigned5_read(&c, excluded);
	if (!cursor_ok(&c) || *sender >= offset || scope->method == 0 ||
	    scope->method > d->info->methods.len / WORD ||
	    bci > (uint32_t)UINT16_MAX + 1)
		return false;
	scope->method--;
	scope->bci = (int32_t)bci - 1;
	return true;
}

/* The outermost scope must be the compiled method itself. */
static bool scope_is_root(struct decoder *d, const struct scope *scope)
{
	return raw_u64(d->info->methods.bytes, (size_t)scope->method * WORD) ==
	       d->method;
}

static uint32_t scope_add(struct decoder *d, const struct scope *scope,
			  uint32_t offset)
{
	struct nmethod_scopes *out = d->out;

	array_reserve(out->scopes, d->scope_cap, out->scope_count + 1);
	out->scopes[out->scope_count] = *scope;
	map64_add(&d->known, offset, (uint32_t)out->scope_count);
	return (uint32_t)out->scope_count++;
}

static uint32_t scope_depth(const struct decoder *d, uint32_t sender)
{
	return sender == SCOPE_NONE ? 0 : d->out->scopes[sender].depth + 1;
}

/*
 * Decodes the scope at an offset and the scopes that it is inlined into, which
 * precede it. Returns its index; false on an inconsistency.
 */
static bool scope_decode(struct decoder *d, uint32_t offset, uint32_t *index)
{
	struct scope chain[SCOPE_DEPTH];
	uint32_t offsets[SCOPE_DEPTH];
	size_t depth = 0;

	*index = SCOPE_NONE;
	while (offset != NO_SCOPE) {
		uint32_t sender;

		*index = map64_get(&d->known, offset);
		if (*index != MAP64_NONE)
			break;
		if (depth == SCOPE_DEPTH ||
		    !scope_read(d, offset, &chain[depth], &sender))
			return false;
		if (sender == NO_SCOPE && !scope_is_root(d, &chain[depth]))
			return false;
		offsets[depth++] = offset;
		offset = sender;
		*index = SCOPE_NONE;
	}
	while (depth--) {
		chain[depth].sender = *index;
		chain[depth].depth = scope_depth(d, *index);
		if (chain[depth].depth >= SCOPE_DEPTH)
			return false;
		*index = scope_add(d, &chain[depth], offsets[depth]);
	}
	return true;
}

static bool places_decode(struct decoder *d, uint64_t code_bytes)
{
	const struct scopes_layout *l = &d->l->scopes;
	const struct table *pcs = &d->info->pcs;
	size_t count = pcs->len / l->pcdesc_size;
	int64_t before = FIRST_OFFSET;

	if (count < 2 ||
	    (int32_t)raw_u32(pcs->bytes, l->pcdesc_pc) != FIRST_OFFSET)
		return false;
	d->out->places = xmalloc(count * sizeof(*d->out->places));
	for (size_t i = 1; i < count; i++) {
		const uint8_t *pc = pcs->bytes + i * l->pcdesc_size;
		int32_t offset = (int32_t)raw_u32(pc, l->pcdesc_pc);
		uint32_t scope;

		/*
		 * The last PcDesc is after the code (nmethod::copy_scopes_pcs),
		 * as is the padding of the table.
		 */
		if (offset > 0 && (uint64_t)offset > code_bytes)
			return true;
		if (offset < before || offset < 0 ||
		    !scope_decode(d, raw_u32(pc, l->pcdesc_scope), &scope))
			return false;
		before = offset;
		if (scope == SCOPE_NONE)
			continue; /* no scope, as JVMTI reports */
		d->out->places[d->out->place_count++] = (struct scope_place){
			(uint32_t)offset, scope
		};
	}
	return false; /* the last PcDesc is missing */
}

/* Removes methods that no scope has; keeps the order. */
static void scopes_keep_methods(struct nmethod_scopes *s,
				const struct table *methods)
{
	size_t count = methods->len / WORD;
	uint32_t *index = xmalloc(count * sizeof(*index));

	memset(index, 0xff, count * sizeof(*index));
	s->methods = xmalloc(count * sizeof(*s->methods));
	for (size_t i = 0; i < s->scope_count; i++) {
		struct scope *scope = &s->scopes[i];
		uint32_t *at = &index[scope->method];

		if (*at == SCOPE_NONE) {
			*at = (uint32_t)s->method_count;
			s->methods[s->method_count++] = raw_u64(
				methods->bytes, (size_t)scope->method * WORD);
		}
		scope->method = *at;
	}
	free(index);
}

static void scopes_shrink(struct nmethod_scopes *s)
{
	s->scopes = xrealloc(s->scopes, s->scope_count, sizeof(*s->scopes));
	s->places = xrealloc(s->places, s->place_count, sizeof(*s->places));
	s->methods = xrealloc(s->methods, s->method_count, sizeof(*s->methods));
}

bool nmethod_scopes_read(struct nmethod_scopes *s,
			 const struct metadata_layout *l, struct memory *memory,
			 const struct code_blob *blob)
{
	struct debug_info info = { 0 };
	struct decoder d = { .out = s, .l = l, .info = &info };
	bool is_good = false;

	*s = (struct nmethod_scopes){ 0 };
	d.method = blob->method;
	if (l->scopes.place != SCOPES_UNKNOWN && blob->begin <= blob->end &&
	    find_and_read(&info, memory, &l->scopes, blob) &&
	    places_decode(&d, blob->end - blob->begin)) {
		scopes_keep_methods(s, &info.methods);
		scopes_shrink(s);
		is_good = true;
	}
	if (!is_good)
		nmethod_scopes_release(s);
	map64_release(&d.known);
	free(info.pcs.bytes);
	free(info.data.bytes);
	free(info.methods.bytes);
	return is_good;
}

void nmethod_scopes_release(struct nmethod_scopes *s)
{
	free(s->scopes);
	free(s->places);
	free(s->methods);
	*s = (struct nmethod_scopes){ 0 };
}

uint32_t nmethod_scopes_at(const struct nmethod_scopes *s, uint64_t offset)
{
	size_t low = 0, high = s->place_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->places[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->place_count ? s->places[low].scope : SCOPE_NONE;
}
