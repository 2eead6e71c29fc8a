/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_symbols: the symbol tables of an ELF file, .symtab and .dynsym, and the
 * function at an address.
 */
#ifndef CORE_ELF_ELF_SYMBOLS_H
#define CORE_ELF_ELF_SYMBOLS_H

#include "core/elf/elf_cfi.h"
#include "core/elf/elf_file.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Maximum length of a name.  Longer names are truncated, some at half of this
 * length, as are names that are the end of a longer name.
 */
enum { ELF_NAME_MOST = 4096 };

struct elf_symbols {
	struct elf_part symbols, names;
	size_t count;
	struct budget *budget;
	uint64_t *ends; /* ends of sections with code; 0 for other sections */
	size_t section_count;
};

/*
 * Reads the table of a type, SHT_SYMTAB or SHT_DYNSYM: the functions and
 * variables that the file defines.  A missing or damaged table has no symbols,
 * nor has one that exceeds the budget of the file's source.
 * elf_symbols_release() must follow.
 */
void elf_symbols_init(struct elf_symbols *s, const struct elf_file *f,
		      uint32_t type);
void elf_symbols_release(struct elf_symbols *s); /* zeroed storage is fine */

/* Returns symbol i, below count. */
static inline const Elf64_Sym *elf_symbols_at(const struct elf_symbols *s,
					      size_t i)
{
	return (const void *)(s->symbols.bytes + i * sizeof(Elf64_Sym));
}

/* Returns the mangled name of symbol i, "" when it has none. */
const char *elf_symbols_name(const struct elf_symbols *s, size_t i);

/* Returns the address of a symbol that the file defines; 0 = none. */
uint64_t elf_symbols_find(const struct elf_symbols *s, const char *name);

/*
 * ---- functions by their addresses ----
 *
 * If several names have one address, the best-known name is used: global,
 * without a version, without leading underscores.  A function is as long as its
 * symbol says.  A function without a size (assembly) ends where the next one
 * begins.
 */
enum { ELF_TABLES = 4 };

struct elf_functions {
	const struct elf_symbols *tables[ELF_TABLES]; /* borrowed */
	size_t table_count;
	struct elf_cfi *cfi; /* borrowed */
	bool is_complete;
	uint64_t first;            /* address of the first symbol */
	struct elf_candidate *all; /* symbols of code by address */
	size_t count;
	struct budget *budget;
};

/*
 * Sorts the functions of the tables, some of which may be empty: 6 ms for the
 * 60,000 of libjvm.  Names are compared when an address is looked up, because
 * few addresses are.  is_complete tells that the tables have all functions of
 * the file; otherwise a function without a size ends where its call frame
 * information ends.  A function 4 GiB or more after the first is not found. The
 * tables, cfi and budget are borrowed; without enough budget, no function is
 * found.
 */
void elf_functions_init(struct elf_functions *f,
			const struct elf_symbols *const *tables, size_t count,
			bool is_complete, struct elf_cfi *cfi,
			struct budget *budget);
void elf_functions_release(struct elf_functions *f);

/*
 * Returns the mangled name of the function that holds an address, which lives
 * as long as the tables, or NULL.  *start is where the function begins.
 */
const char *elf_functions_at(const struct elf_functions *f, uint64_t address,
			     uint64_t *start);

#endif
