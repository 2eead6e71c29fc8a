/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metadata_image: memory laid out like a JVM's metadata of JDK 8, 11, 17 or 25.
 * Tests may damage it.
 */
#ifndef TESTS_UNIT_METADATA_IMAGE_H
#define TESTS_UNIT_METADATA_IMAGE_H

#include "core/hotspot/code_cache.h"
#include "core/hotspot/metadata_layout.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IMAGE_BYTES = 1 << 18, IMAGE_SCOPES = 512 };
#define IMAGE_BASE UINT64_C(0x7f0000000000)

struct metadata_image {
	struct memory memory; /* first member */
	struct metadata_layout layout;
	uint8_t *bytes; /* from IMAGE_BASE on, used of them */
	size_t used;
	size_t reads;               /* calls of read_all so far */
	uint64_t constants, holder; /* of the class added last */
	uint16_t next_entry;
};

/* jdk is 8, 11, 17 or 25. image_release() must follow. */
void image_init(struct metadata_image *image, int jdk);
void image_release(struct metadata_image *image);

/* Adds len zeroed bytes, 8-byte aligned, and returns their address. */
uint64_t image_add(struct metadata_image *image, size_t len);
void image_put(struct metadata_image *image, uint64_t address, uint64_t value,
	       size_t len);
uint64_t image_u64(struct metadata_image *image, uint64_t address);

/*
 * Adds a class with a name such as "a/B"; the methods that are added next
 * belong to it.
 */
void image_class(struct metadata_image *image, const char *name);
/*
 * Adds a method and returns its Method*; lines is a compressed table, or NULL.
 */
uint64_t image_method(struct metadata_image *image, const char *name,
		      const char *signature, uint16_t code_bytes,
		      const void *lines, size_t len);

/* A PcDesc, and a scope that is inlined into an earlier one, or -1. */
struct image_pc {
	int32_t offset;
	int scope; /* index, or -1 */
};

struct image_scope {
	int sender; /* index, or -1 */
	int method; /* index in the methods */
	int bci;
};

/*
 * Adds compiled code of methods[0], tier 4, of 256 bytes, with at most
 * IMAGE_SCOPES scopes.  pcs are written unchanged, including the first and the
 * last.
 */
struct code_blob image_nmethod(struct metadata_image *image,
			       const uint64_t *methods, size_t method_count,
			       const struct image_scope *scopes,
			       size_t scope_count, const struct image_pc *pcs,
			       size_t pc_count);

/* Appends a number as UNSIGNED5 and returns its length. */
size_t image_unsigned5(uint8_t *out, uint32_t value, unsigned excluded);

#endif
