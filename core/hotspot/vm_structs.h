/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_structs: what a HotSpot JVM says of its own structures.
 *
 * libjvm exports tables for its serviceability agent: gHotSpotVMStructs (where
 * in a type a field stands, or where a static one is), gHotSpotVMTypes (how
 * large a type is), gHotSpotVMIntConstants and gHotSpotVMLongConstants, and
 * those of JVMCI.  All offsets come from there: no table of JDK versions.
 */
#ifndef CORE_HOTSPOT_VM_STRUCTS_H
#define CORE_HOTSPOT_VM_STRUCTS_H

#include "core/base/error.h"
#include "core/elf/elf_image.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct vm_structs;

/*
 * Reads all tables of the JVM whose libjvm is loaded with that bias.
 * ERROR_UNAVAILABLE names the symbol that is missing, or what is wrong.
 */
struct vm_structs *vm_structs_read(const struct elf_image *libjvm,
				   uint64_t bias, struct memory *memory,
				   struct error *err);
void vm_structs_free(struct vm_structs *v); /* NULL is fine */

/* Each false, and *out untouched, when this JVM has no such thing. */
bool vm_structs_offset(const struct vm_structs *v, const char *type,
		       const char *field, uint32_t *out);
bool vm_structs_static(const struct vm_structs *v, const char *type,
		       const char *field, uint64_t *address);
bool vm_structs_size(const struct vm_structs *v, const char *type,
		     uint32_t *out);
bool vm_structs_constant(const struct vm_structs *v, const char *name,
			 int64_t *out);

#endif
