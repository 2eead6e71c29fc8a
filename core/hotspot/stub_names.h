/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stub_names: names of the routines that HotSpot generates when it starts.
 *
 * The routines are in a few CodeBlobs ("StubRoutines (1)").  A list for
 * debugging, StubCodeDesc::_list (runtime/stubCodeGenerator, JDK 9 to 25 at
 * least), has the address of each routine; JVMTI's DynamicCodeGenerated takes
 * names from the same list.  Neither the list nor its layout is exported.  A
 * symbol of libjvm, if present, leads to the list, which is used only if all of
 * it is consistent.
 */
#ifndef CORE_HOTSPOT_STUB_NAMES_H
#define CORE_HOTSPOT_STUB_NAMES_H

#include "core/process/memory.h"

#include <stddef.h>
#include <stdint.h>

#define STUB_NAMES_SYMBOL "_ZN12StubCodeDesc5_listE"

struct stub_name {
	uint64_t begin, end;
	const char *name; /* lives as long as the stub_names */
};

struct stub_names;

/* list is the address of the symbol; memory is borrowed. */
struct stub_names *stub_names_new(struct memory *memory, uint64_t list);
void stub_names_free(struct stub_names *s); /* NULL is fine */

/*
 * Returns all routines, by address; valid until the next call.  Reads the list
 * again when it has grown, at most a limited number of times: a list that
 * changes more often is forged.
 */
const struct stub_name *stub_names_all(struct stub_names *s, size_t *count);

/*
 * Shortens a routine's name, which need not be NUL-terminated, to the name in
 * JDK 8 to 25: "call_stub".  JDK 26 and 27 have "Stub Generator
 * call_stub_stub", JDK 28 "call_stub_stub (stub gen)".  NULL is allowed.
 */
void stub_name_trim(const char **name, size_t *len);

/* Returns the routine that holds the address, or NULL; reads nothing. */
const char *stub_names_at(const struct stub_names *s, uint64_t pc);

#endif
