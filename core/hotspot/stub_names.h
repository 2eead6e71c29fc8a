/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stub_names: the routines that HotSpot generates as it starts, by name.
 *
 * All are in a few CodeBlobs ("StubRoutines (1)"); what is where in those is in
 * a list for debugging, StubCodeDesc::_list (runtime/stubCodeGenerator of
 * HotSpot, JDK 9 to 25 at least), from which JVMTI's DynamicCodeGenerated has
 * its names, too.  Neither the list nor its layout is exported: it is found
 * where libjvm has its symbols, and believed when all of it makes sense.
 */
#ifndef CORE_HOTSPOT_STUB_NAMES_H
#define CORE_HOTSPOT_STUB_NAMES_H

#include "core/process/memory.h"

#include <stddef.h>
#include <stdint.h>

#define STUB_NAMES_SYMBOL "_ZN12StubCodeDesc5_listE"

struct stub_name {
	uint64_t begin, end;
	const char *name; /* as long as the stub_names live */
};

struct stub_names;

/* list: the address of the symbol; memory is borrowed. */
struct stub_names *stub_names_new(struct memory *memory, uint64_t list);
void stub_names_free(struct stub_names *s); /* NULL is fine */

/*
 * All that there are, by address; valid until the next call.  The list is read
 * when it has grown, but no more once it has changed so often that it is none
 * of a JVM's: each time takes time, and names are kept.
 */
const struct stub_name *stub_names_all(struct stub_names *s, size_t *count);

/*
 * Cuts a routine's name, which need not be NUL-terminated, to what it is in
 * JDK 8 to 25: "call_stub".  JDK 26 and 27 have it as "Stub Generator
 * call_stub_stub", JDK 28 as "call_stub_stub (stub gen)".  NULL is fine.
 */
void stub_name_trim(const char **name, size_t *len);

/* The routine that holds the address, or NULL; reads nothing. */
const char *stub_names_at(const struct stub_names *s, uint64_t pc);

#endif
