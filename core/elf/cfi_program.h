/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfi_program: the instructions of call frame information; DWARF 5, sections
 * 6.4.2 and 7.24, and GNU's of the Linux Standard Base, Core, 10.5.2.
 *
 * They are foreign.  A run takes no memory, and time by their length.
 */
#ifndef CORE_ELF_CFI_PROGRAM_H
#define CORE_ELF_CFI_PROGRAM_H

#include "core/base/cursor.h"
#include "core/elf/elf_image.h"

#include <stdbool.h>
#include <stdint.h>

/* What a function's entry (FDE) has in common with others: its CIE. */
struct cfi_common {
	uint64_t section; /* the address of the cursors' base */
	uint64_t code_unit;
	int64_t data_unit;
	uint8_t pointers; /* how they are encoded, dwarf_cursor.h */
	bool has_sizes;   /* an FDE's augmentation has a length */
	bool is_signal;
	struct cursor instructions; /* that make the first row */
};

/*
 * The row for an address of the function that begins at start, whose
 * instructions they are.  False when they are damaged, or the row cannot be
 * said.
 */
bool cfi_program_row(const struct cfi_common *common,
		     struct cursor instructions, uint64_t start,
		     uint64_t address, struct cfi_row *row);

#endif
