/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/blob_layout.h"

#include <string.h>

#define MAX_BLOB_BYTES  (UINT64_C(64) << 20)
#define MAX_FRAME_WORDS (1 << 17)

enum { PLACES = 5 };

/* Where a field may stand in; the first that there is counts. */
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
	{ FIELD(name), "a name", true,
	  { { "CodeBlob", "_name", 8, true } } },
	{ FIELD(frame_size), "the size of a frame", true,
	  { { "CodeBlob", "_frame_size", 4, false } } },
	/* An int that became a short: two bytes are in both. */
	{ FIELD(frame_complete), "the end of a prologue", true,
	  { { "CodeBlob", "_frame_complete_offset", 2, false } } },
	{ FIELD(begin), "where code begins", true,
	  { { "CodeBlob", "_code_begin", 8, true },
	    { "CodeBlob", "_code_offset", 4, false } } },
	{ FIELD(end), "where code ends", true,
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
	{ FIELD(original_pc), "a deoptimised frame's pc", false,
	  { { "nmethod", "_orig_pc_offset", 4, false } } },
	{ FIELD(entry), "an entry", false,
	  { { "nmethod", "_verified_entry_point", 8, true },
	    { "nmethod", "_verified_entry_offset", 2, false } } },
	{ FIELD(deopt), "the handler of deoptimised frames", false,
	  { { "nmethod", "_deopt_handler_begin", 8, true },
	    { "CompiledMethod", "_deopt_handler_begin", 8, true },
	    { "nmethod", "_deoptimize_offset", 4, false }, /* JDK 8 */
	    { "nmethod", "_deopt_handler_entry_offset", 4, false },
	    { "nmethod", "_deopt_handler_offset", 4, false } } },
	{ FIELD(deopt_mh), "the handler of deoptimised frames", false,
	  { { "nmethod", "_deopt_mh_handler_begin", 8, true },
	    { "CompiledMethod", "_deopt_mh_handler_begin", 8, true },
	    { "nmethod", "_deoptimize_mh_offset", 4, false },
	    { "nmethod", "_deopt_mh_handler_offset", 4, false } } },
};
/* clang-format on */

static void find_field(struct blob_field *f, const struct wanted *w,
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

		find_field(f, &wanted[i], v);
		if (!f->width && wanted[i].is_vital)
			return fail(err, ERROR_UNAVAILABLE,
				    "the JVM does not say of a CodeBlob %s",
				    wanted[i].what);
		if (f->width && f->offset + f->width > l->header_bytes)
			l->header_bytes = f->offset + f->width;
	}
	return 0;
}

static uint64_t unsigned_at(const uint8_t *header, const struct blob_field *f)
{
	uint64_t value = 0;

	/* Both ends of a field are little-endian: x86-64 is. */
	memcpy(&value, header + f->offset, f->width);
	return value;
}

static int64_t signed_at(const uint8_t *header, const struct blob_field *f)
{
	unsigned bits = 64 - 8u * f->width;

	return (int64_t)(unsigned_at(header, f) << bits) >> bits;
}

uint64_t blob_layout_name(const struct blob_layout *l, const uint8_t *header)
{
	return unsigned_at(header, &l->name);
}

/* An address, or 0 when there is none: offsets of -1 say so. */
static uint64_t address_at(const uint8_t *header, const struct blob_field *f,
			   uint64_t base)
{
	int64_t offset;

	if (!f->width)
		return 0;
	if (f->is_address)
		return unsigned_at(header, f);
	offset = f->width == 2 ? (int64_t)unsigned_at(header, f)
			       : signed_at(header, f);
	return offset < 0 ? 0 : base + (uint64_t)offset;
}

static void parse_nmethod(const struct blob_layout *l, const uint8_t *header,
			  struct code_blob *blob)
{
	uint64_t entry = address_at(header, &l->entry, blob->begin);
	uint64_t address = blob->address;

	blob->entry = entry >= blob->begin && entry < blob->end ? entry
								: blob->begin;
	blob->deopt_handler = address_at(header, &l->deopt, address);
	blob->deopt_mh_handler = address_at(header, &l->deopt_mh, address);
	blob->original_pc = -1;
	if (l->method.width)
		blob->method = unsigned_at(header, &l->method);
	if (l->compile_id.width)
		blob->compile_id = (uint32_t)unsigned_at(header,
							 &l->compile_id);
	if (l->tier.width)
		blob->tier = (uint8_t)unsigned_at(header, &l->tier);
	if (l->original_pc.width)
		blob->original_pc = (int32_t)signed_at(header, &l->original_pc);
}

static enum blob_kind kind_of(const char *name)
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
	int64_t words = signed_at(header, &l->frame_size);

	blob->kind = kind_of(blob->name);
	blob->address = address;
	blob->begin = address_at(header, &l->begin, address);
	blob->end = address_at(header, &l->end, address);
	blob->frame_complete = (int32_t)signed_at(header, &l->frame_complete);
	if (blob->begin < address || blob->end <= blob->begin ||
	    blob->end - address > MAX_BLOB_BYTES)
		return false;
	if (words > 0 && words <= MAX_FRAME_WORDS)
		blob->frame_bytes = (uint32_t)words * 8;
	if (blob->kind == BLOB_NMETHOD || blob->kind == BLOB_NATIVE)
		parse_nmethod(l, header, blob);
	return true;
}
