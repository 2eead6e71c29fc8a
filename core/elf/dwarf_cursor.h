/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dwarf_cursor: reads DWARF's encodings from a cursor: little-endian integers,
 * LEB128 (DWARF 5, section 7.6), and pointers of .eh_frame (Linux Standard
 * Base, Core, 10.5.1).
 */
#ifndef CORE_ELF_DWARF_CURSOR_H
#define CORE_ELF_DWARF_CURSOR_H

#include "core/base/cursor.h"

#include <stdint.h>

uint16_t dwarf_u16(struct cursor *c);
uint32_t dwarf_u32(struct cursor *c);

/* Read at most ten bytes and drop bits above the 64th. */
uint64_t dwarf_uleb(struct cursor *c);
int64_t dwarf_sleb(struct cursor *c);

enum {
	DWARF_POINTER_ABSOLUTE = 0x00, /* eight bytes, DW_EH_PE_absptr */
	DWARF_POINTER_FORMAT = 0x0f,   /* bits for the format */
	DWARF_POINTER_BASE = 0x70,     /* bits for the base */
};

/*
 * Reads a pointer; section is the address of the cursor's base. Fails the
 * cursor for encodings that .eh_frame does not have on this machine.
 */
uint64_t dwarf_pointer(struct cursor *c, uint8_t encoding, uint64_t section);

#endif
