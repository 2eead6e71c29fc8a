/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_cfi: the call frame information of an address: .eh_frame with its table,
 * or .debug_frame (Linux Standard Base, Core, 10.6; DWARF 5, 6.4.1).
 *
 * sjkc has its own reader because files are foreign: libdw reads beyond the end
 * of a damaged entry and allocates gigabytes for a register number.  A test
 * compares both on intact files.
 */
#ifndef CORE_ELF_ELF_CFI_H
#define CORE_ELF_ELF_CFI_H

#include "core/elf/elf_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The place of a register's value in the caller. */
enum cfi_rule {
	CFI_SAME,        /* unchanged */
	CFI_AT_CFA,      /* in memory, at the CFA + offset */
	CFI_IS_CFA,      /* the CFA + offset itself */
	CFI_AT_REGISTER, /* in memory, at this frame's base + offset */
	CFI_IS_REGISTER, /* this frame's base + offset itself */
	CFI_UNDEFINED,   /* lost; for the return address: this is the root */
};

/*
 * The way from a frame to its caller.  The CFA is a register + offset, or the
 * word in memory there: in a signal frame (SP, as the kernel saved it), or in a
 * frame that was realigned.  A row may name any register; a walk ends if it
 * does not know the register's value.
 */
struct cfi_row {
	uint8_t cfa_register;
	bool cfa_is_memory;
	bool is_signal; /* the caller was interrupted and made no call */
	int32_t cfa_offset;
	struct {
		uint8_t rule; /* enum cfi_rule */
		uint8_t base; /* register of CFI_AT_REGISTER, CFI_IS_REGISTER */
		int32_t offset;
	} registers[DWARF_REGISTERS];
};

struct elf_cfi {
	struct elf_part frames; /* the section's bytes */
	bool is_debug;          /* from .debug_frame */
	struct elf_part
		table; /* .eh_frame_hdr, if it has the usual encodings */
	size_t table_count;
	struct cfi_place *places; /* otherwise created on first use */
	size_t place_count;
	bool has_places;
};

/* Reads the section of the file, if any; elf_cfi_release() must follow. */
void elf_cfi_init_eh(struct elf_cfi *cfi, const struct elf_file *f);
void elf_cfi_init_debug(struct elf_cfi *cfi, const struct elf_file *f);
void elf_cfi_release(struct elf_cfi *cfi); /* zeroed storage is fine */

/* Finds the row of an address; see elf_image_cfi(). */
bool elf_cfi_row(struct elf_cfi *cfi, uint64_t address, struct cfi_row *row);

/* Returns the end of the function that begins at start, or 0. */
uint64_t elf_cfi_end(struct elf_cfi *cfi, uint64_t start);

/* Finds the start of the function that holds an address. */
bool elf_cfi_start(struct elf_cfi *cfi, uint64_t address, uint64_t *start);

#endif
