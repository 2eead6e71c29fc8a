/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_debug: finds the symbols of a stripped file.
 *
 * Symbols are in debug files that packages install, found by build ID or
 * .gnu_debuglink (GDB manual, Separate Debug Files) in the target's root and in
 * the root of sjkc, or compressed in the file itself (.gnu_debugdata,
 * MiniDebugInfo).  A debug file must belong to exactly this file, and root or
 * the target's user must own it.
 */
#ifndef CORE_ELF_ELF_DEBUG_H
#define CORE_ELF_ELF_DEBUG_H

#include "core/elf/elf_file.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>

/*
 * Opens the debug file of f, whose path in the JVM's root is given.  Returns a
 * descriptor, which the caller closes, or -1 when there is none.
 */
int elf_debug_open(const struct jvm *jvm, const char *path,
		   const struct elf_file *f);

/*
 * Unpacks .gnu_debugdata, an ELF file; returns false when there is none. The
 * caller frees out->bytes.
 */
bool elf_debug_unpack(const struct elf_file *f, struct elf_part *out);

#endif
