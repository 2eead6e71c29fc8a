/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_flags: the boolean -XX flags of a JVM, from its own table of flags.
 */
#ifndef CORE_HOTSPOT_VM_FLAGS_H
#define CORE_HOTSPOT_VM_FLAGS_H

#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>

struct vm_flag {
	const char *name;
	bool *value; /* unchanged if this JVM does not have the flag */
};

/*
 * Reads the flags.  Returns false, with all values unchanged, if the table is
 * not exported or unreadable.
 */
bool vm_flags_read(const struct vm_structs *v, struct memory *memory,
		   const struct vm_flag *flags, size_t count);

#endif
