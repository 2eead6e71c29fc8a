/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blob_layout: what the header of a CodeBlob means.
 *
 * Up to JDK 22 or so code_begin and kin are addresses, later ones offsets; an
 * nmethod's fields were CompiledMethod's for a while (code/codeBlob.hpp,
 * nmethod.hpp, compiledMethod.hpp of HotSpot).  Which it is, vmStructs say.
 */
#ifndef CORE_HOTSPOT_BLOB_LAYOUT_H
#define CORE_HOTSPOT_BLOB_LAYOUT_H

#include "core/base/error.h"
#include "core/hotspot/code_cache.h"
#include "core/hotspot/vm_structs.h"

#include <stdbool.h>
#include <stdint.h>

enum { BLOB_HEADER_BYTES = 1024 };

/* A field; width 0 = this JVM has none. */
struct blob_field {
	uint32_t offset;
	uint8_t width;
	bool is_address; /* else relative to what the field's use says */
};

struct blob_layout {
	struct blob_field name, frame_size, frame_complete, begin, end;
	struct blob_field method, compile_id, tier, original_pc;
	struct blob_field entry, deopt, deopt_mh;
	uint32_t header_bytes; /* as many have to be read */
};

int blob_layout_read(struct blob_layout *l, const struct vm_structs *v,
		     struct error *err);

/* The address of the blob's name, for blob_layout_parse(). */
uint64_t blob_layout_name(const struct blob_layout *l, const uint8_t *header);

/*
 * Fills what the header says of the blob at address, whose name is there
 * already; false when that cannot be a blob.
 */
bool blob_layout_parse(const struct blob_layout *l, const uint8_t *header,
		       uint64_t address, struct code_blob *blob);

#endif
