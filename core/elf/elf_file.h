/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_file: the tables of an ELF file of this machine, and parts of the file.
 *
 * A file is foreign: it may have any size and inconsistent tables, and its
 * owner may truncate it during a read.  So it is never mapped; each part is
 * read into memory, with a limit.
 */
#ifndef CORE_ELF_ELF_FILE_H
#define CORE_ELF_ELF_FILE_H

#include "core/base/error.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * ---- budget.c ----
 *
 * A limit of the memory that one party causes sjkc to use.
 *
 * Memory is charged before it is allocated, so a party that asks for too much
 * is refused before the memory is used.  A budget may be a part of another one:
 * a file's is a part of its process's, and that is a part of the session's.
 */

/* Zeroed storage is a budget without a limit. */
struct budget {
	struct budget *whole; /* the budget that this one is a part of */
	uint64_t limit;       /* bytes; 0 = only those of the whole */
	uint64_t used;
	uint64_t refused; /* number of charges that were refused */
	unsigned users;   /* of a budget on the heap */
};

/*
 * Charges bytes to a budget and to all that it is a part of.  Returns false,
 * with nothing charged, if any of them has less left.  NULL has no limit.
 */
bool budget_charge(struct budget *b, uint64_t bytes);
void budget_return(struct budget *b, uint64_t bytes);

/* Returns the number of bytes that can still be charged. */
uint64_t budget_left(const struct budget *b);

/*
 * Allocates a part of a budget that has one user.  Things that outlive the
 * process that they are charged to keep its budget.
 */
struct budget *budget_new(struct budget *whole, uint64_t limit);
struct budget *budget_keep(struct budget *b); /* one more user; NULL is fine */
void budget_free(struct budget *b);           /* one user less; NULL is fine */

/* x86-64's registers by their DWARF numbers (System V ABI AMD64, figure 3.36).
 */
enum {
	DWARF_AX = 0,
	DWARF_BX = 3,
	DWARF_BP = 6,
	DWARF_SP = 7,
	DWARF_RA = 16,       /* the return address, which has its own column */
	DWARF_REGISTERS = 17 /* columns of a row, for any machine supported */
};

/*
 * The properties of a machine that ELF files and call frame information depend
 * on.
 */
struct elf_machine {
	uint16_t type; /* EM_... */
	/* DWARF numbers of the stack pointer and of the return address. */
	uint8_t sp, ra;
	/* Registers that calls preserve, at most ELF_PRESERVED. */
	const uint8_t *preserved;
	size_t preserved_count;
};

enum { ELF_PRESERVED = 6 };

extern const struct elf_machine elf_x86_64;
/* The machine of this build; files of other machines are rejected. */
#define ELF_MACHINE elf_x86_64

/* The contents of a file: a descriptor or, if that is -1, memory. */
struct elf_source {
	int fd;
	const uint8_t *bytes;
	uint64_t len;
	struct budget *budget; /* pays for all that is read; NULL = no limit */
};

/* A part of the file in memory, and the address that it is mapped at. */
struct elf_part {
	uint8_t *bytes; /* NULL = no such part */
	size_t len;
	uint64_t address;
	struct budget *budget; /* that paid for it */
};

void elf_part_release(struct elf_part *part); /* zeroed storage is fine */

struct elf_file {
	struct elf_source source; /* borrowed; only elf_file_read…() use it */
	Elf64_Phdr *segments;
	size_t segment_count;
	Elf64_Shdr *sections;
	size_t section_count;
	struct elf_part names; /* the names of sections */
	uint64_t entry;        /* the entry point of a program, or 0 */
};

/*
 * Reads the tables. ERROR_INPUT when the file is not an ELF file of this
 * machine, or is too damaged. After success, elf_file_release() must
 * follow; it leaves the source open.
 */
int elf_file_init(struct elf_file *f, struct elf_source source,
		  struct error *err);
void elf_file_release(struct elf_file *f); /* zeroed storage is fine */

/* Returns the first segment of a type (PT_…), or NULL. */
const Elf64_Phdr *elf_file_segment(const struct elf_file *f, uint32_t type);

/*
 * Returns the PT_LOAD segment that maps bytes of the file to the address, or
 * NULL.
 */
const Elf64_Phdr *elf_file_loaded(const struct elf_file *f, uint64_t address);

/* Return a section by its name or type (SHT_…), or NULL. */
const Elf64_Shdr *elf_file_section(const struct elf_file *f, const char *name);
const Elf64_Shdr *elf_file_section_of_type(const struct elf_file *f,
					   uint32_t type);

/*
 * Reads len bytes at an offset in the file.  Returns false, with *part empty,
 * when len exceeds max or the rest of the budget, or the file is shorter.
 * elf_part_release() must follow.
 */
bool elf_file_read(const struct elf_file *f, uint64_t offset, uint64_t len,
		   size_t max, struct elf_part *part);

/* Reads len bytes into the caller's memory; false when the file is shorter. */
bool elf_file_read_into(const struct elf_file *f, uint64_t offset, void *bytes,
			size_t len);

/* False for a section that is compressed or has no bytes in the file. */
bool elf_section_is_readable(const Elf64_Shdr *section);

/*
 * Reads a section the same way.  Fails for a section that is compressed or has
 * no bytes in the file.
 */
bool elf_file_read_section(const struct elf_file *f, const Elf64_Shdr *section,
			   size_t max, struct elf_part *part);

#endif
