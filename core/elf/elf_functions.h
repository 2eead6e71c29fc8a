/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_functions: the function that holds an address, by symbol tables.
 *
 * Of several names for one place the best-known is used: global, without a
 * version, without leading underscores.  A function is as long as its symbol
 * says; one without a size (assembly) ends where the next begins.
 */
#ifndef CORE_ELF_ELF_FUNCTIONS_H
#define CORE_ELF_ELF_FUNCTIONS_H

#include "core/elf/elf_cfi.h"
#include "core/elf/elf_symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_TABLES = 4 };

struct elf_functions {
	const struct elf_symbols *tables[ELF_TABLES]; /* borrowed */
	size_t table_count;
	struct elf_cfi *cfi; /* likewise */
	bool is_complete;
	struct elf_place *places; /* by address */
	size_t place_count;
};

/*
 * Sorts the functions of the tables, some of which may be empty: 7 ms for the
 * 60,000 of libjvm.  is_complete says that the tables have all functions of the
 * file; otherwise a function without a size ends where its call frame
 * information does.  The tables and cfi are borrowed.
 */
void elf_functions_init(struct elf_functions *f,
			const struct elf_symbols *const *tables, size_t count,
			bool is_complete, struct elf_cfi *cfi);
void elf_functions_release(struct elf_functions *f);

/*
 * Returns the mangled name of the function that holds an address, which lives
 * as long as the tables, or NULL.  *start is where the function begins.
 */
const char *elf_functions_at(const struct elf_functions *f, uint64_t address,
			     uint64_t *start);

#endif
