/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_debug: where the symbols of a stripped file are.
 *
 * Debug files that packages install, found by build id or by .gnu_debuglink
 * (GDB manual, Separate Debug Files), in the target's root and in ours; or
 * .gnu_debugdata (MiniDebugInfo), compressed in the file itself.  All are data,
 * believed only when they are of this very file, and owned by root or by the
 * target's user.
 */
#ifndef CORE_ELF_ELF_DEBUG_H
#define CORE_ELF_ELF_DEBUG_H

#include "core/elf/elf_file.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>

/*
 * Opens the debug file of f, which has that path in the JVM's root; the
 * descriptor is the caller's.  -1: there is none.
 */
int elf_debug_open(const struct jvm *jvm, const char *path,
		   const struct elf_file *f);

/*
 * Unpacks .gnu_debugdata; false when there is none.  The caller frees
 * out->bytes: an ELF file.
 */
bool elf_debug_unpack(const struct elf_file *f, struct elf_part *out);

/* The build id, in lower-case hexadecimal, "" when there is none. */
enum { ELF_BUILD_ID_TEXT = 129 };
void elf_debug_build_id(const struct elf_file *f, char text[ELF_BUILD_ID_TEXT]);

#endif
