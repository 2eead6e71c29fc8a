/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_structs: the tables in which a HotSpot JVM describes its structures.
 *
 * libjvm exports them for its serviceability agent: gHotSpotVMStructs (offsets
 * of fields, addresses of static fields), gHotSpotVMTypes (sizes of types),
 * gHotSpotVMIntConstants, gHotSpotVMLongConstants, and JVMCI's tables.  All
 * offsets come from these tables, so nothing depends on the JDK version.
 */
#ifndef CORE_HOTSPOT_VM_STRUCTS_H
#define CORE_HOTSPOT_VM_STRUCTS_H

#include "core/base/error.h"
#include "core/elf/elf_image.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct vm_structs;

/* The tables that JVMs with the same libjvm share; zeroed storage is empty. */
struct vm_structs_set {
	struct tables_of *first;
};

/*
 * Reads all tables of the JVM whose libjvm is loaded with that bias. If the
 * set, unless NULL, has equal ones, those are used. With is_trusted, the tables
 * are not even read if another process for which that was true has read them
 * for the image.  The image must be open until vm_structs_free().
 * ERROR_UNAVAILABLE names the missing symbol, or the defect.
 */
struct vm_structs *vm_structs_read(const struct elf_image *libjvm,
				   uint64_t bias, struct memory *memory,
				   struct vm_structs_set *set, bool is_trusted,
				   struct error *err);
void vm_structs_free(struct vm_structs *v); /* NULL is fine */

/*
 * Each returns false, with *out unchanged, when this JVM does not have the
 * entry.
 */
bool vm_structs_offset(const struct vm_structs *v, const char *type,
		       const char *field, uint32_t *out);
bool vm_structs_static(const struct vm_structs *v, const char *type,
		       const char *field, uint64_t *address);
bool vm_structs_size(const struct vm_structs *v, const char *type,
		     uint32_t *out);
bool vm_structs_constant(const struct vm_structs *v, const char *name,
			 int64_t *out);

#endif
