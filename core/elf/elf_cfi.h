/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_cfi: finds the call frame information of an address: .eh_frame with its
 * table, or .debug_frame; Linux Standard Base, Core, 10.6, DWARF 5, 6.4.1.
 *
 * It is read by code of ours, since files are foreign: libdw reads beyond a
 * damaged entry's end, and takes gigabytes for a register's number.  What it
 * says of sound files is what a test compares with.
 */
#ifndef CORE_ELF_ELF_CFI_H
#define CORE_ELF_ELF_CFI_H

#include "core/elf/elf_file.h"
#include "core/elf/elf_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_cfi {
	struct elf_part frames; /* the section's bytes */
	bool is_debug;          /* they are .debug_frame's */
	struct elf_part table; /* .eh_frame_hdr, when it is of the usual kind */
	size_t table_count;
	struct cfi_place *places; /* else the same, made when first needed */
	size_t place_count, place_cap;
	bool has_places;
};

/* Each takes what the file has, which may be nothing; elf_cfi_release(). */
void elf_cfi_init_eh(struct elf_cfi *cfi, const struct elf_file *f);
void elf_cfi_init_debug(struct elf_cfi *cfi, const struct elf_file *f);
void elf_cfi_release(struct elf_cfi *cfi); /* zeroed storage is fine */

/* As elf_image_cfi(). */
bool elf_cfi_row(struct elf_cfi *cfi, uint64_t address, struct cfi_row *row);

/* Where the function that begins at start ends, by its entry; else 0. */
uint64_t elf_cfi_end(struct elf_cfi *cfi, uint64_t start);

/* Where the function that holds an address begins; false without an entry. */
bool elf_cfi_start(struct elf_cfi *cfi, uint64_t address, uint64_t *start);

#endif
