/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metadata_layout: the offsets in HotSpot's metadata that names depend on.
 *
 * All offsets come from the tables that the JVM exports (vm_structs.h). Members
 * are named after HotSpot's fields; offsets are in bytes.
 */
#ifndef CORE_HOTSPOT_METADATA_LAYOUT_H
#define CORE_HOTSPOT_METADATA_LAYOUT_H

#include "core/base/error.h"
#include "core/hotspot/vm_structs.h"

#include <stdbool.h>
#include <stdint.h>

/* The largest structure that is read completely. */
enum { METADATA_STRUCT_MOST = 1024 };

/* As vm_structs_offset(); false also if the offset is larger than that. */
bool metadata_offset(const struct vm_structs *v, const char *type,
		     const char *field, uint32_t *out);

/* The path from Method to Symbol; names need all fields. */
struct method_layout {
	uint32_t method_size, method_const;
	uint32_t const_size, const_constants, const_words, const_flags,
		const_code_size, const_name, const_signature;
	uint32_t pool_size, pool_tags, pool_holder, pool_length;
	uint32_t array_length, array_bytes; /* of an Array<u1> */
	uint32_t klass_name, klass_constants;
	/* Two bytes each, in the first eight bytes of a symbol. */
	uint32_t symbol_hash, symbol_refcount, symbol_length;
	uint32_t symbol_body;
	uint32_t tag_utf8;   /* tag of an entry of the constant pool */
	uint32_t lines_flag; /* a bit of const_flags; 0 = lines are unknown */
	unsigned excluded; /* number of byte values that UNSIGNED5 does not use
			    */
};

/* The place of an nmethod's debug information. */
enum scopes_place {
	SCOPES_UNKNOWN,
	SCOPES_IN_BLOB,  /* JDK 8 to 22: after the code */
	SCOPES_IN_DATAS, /* JDK 25: in separate mutable and immutable blocks */
};

struct scopes_layout {
	enum scopes_place place;
	uint32_t nmethod_size, nmethod_method, nmethod_compile_id;
	/*
	 * In both places: the offset of a field that holds an offset from the
	 * blob or from the immutable data.
	 */
	uint32_t scopes_pcs;
	/*
	 * In the blob: the scopes end where the dependencies begin.  The
	 * metadata end where scopes_data begins, an address (JDK 9 to 22) or an
	 * offset.
	 */
	uint32_t blob_size, metadata, dependencies, scopes_data_begin;
	bool scopes_data_is_address;
	/* In the blocks. */
	uint32_t mutable_data, mutable_size, relocation_size, immutable_data,
		immutable_size;
	uint32_t scopes_data; /* an offset; in JDK 8 it is in the blob */
	uint32_t pcdesc_size, pcdesc_pc, pcdesc_scope;
};

struct metadata_layout {
	struct method_layout method;
	struct scopes_layout scopes;
	const char *scopes_why; /* why place is unknown; or NULL */
};

/*
 * Reads the offsets. ERROR_UNAVAILABLE names what is missing for names;
 * scopes_why names what is missing for scopes.
 */
int metadata_layout_read(struct metadata_layout *l, const struct vm_structs *v,
			 struct memory *memory, struct error *err);

/*
 * Reads how a narrow Klass* is widened: base + (narrow << shift).  Returns
 * false when the JVM does not export it.
 */
bool class_encoding_read(const struct vm_structs *v, struct memory *memory,
			 uint64_t *base, uint32_t *shift);

/*
 * Returns the hash and the length of a symbol from its first eight bytes, to
 * distinguish it from another symbol at its address.  Returns 0 when the JVM
 * holds no reference to the symbol.
 */
uint32_t symbol_mark(const struct method_layout *l, const uint8_t *head);

#endif
