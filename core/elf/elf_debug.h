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

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { ELF_BUILD_ID_TEXT = 129 };

/* How to find the debug file of a file. */
struct elf_debug_search {
	char id[ELF_BUILD_ID_TEXT]; /* build ID in hexadecimal; "" = none */
	char directory[PATH_MAX];   /* of the file, in the JVM's root */
	char link[NAME_MAX + 1];    /* the name in .gnu_debuglink, or "" */
	uint32_t crc;
};

/*
 * Reads how to find the debug file of f, whose path in the JVM's root is given;
 * returns false if nothing tells.
 */
bool elf_debug_search_init(struct elf_debug_search *s, const char *path,
			   const struct elf_file *f);

/*
 * Opens the debug file.  Returns a descriptor, which the caller closes, or -1
 * when there is none.  Any file system may be mounted where a path leads, so
 * this runs only in the opener.
 */
int elf_debug_open(const struct jvm *jvm, const struct elf_debug_search *s);

/*
 * Unpacks .gnu_debugdata, an ELF file; returns false when there is none. The
 * caller frees out->bytes.
 */
bool elf_debug_unpack(const struct elf_file *f, struct elf_part *out);

#endif
