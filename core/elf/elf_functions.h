/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_functions: which function holds an address, by symbol tables.
 *
 * Of several names for one place the one that people know is taken: not a local
 * one, without a version, without underscores in front.  A function is as long
 * as its symbol says; one that does not say (assembly) reaches to the next.
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
	uint32_t *all; /* symbols of code, by the blocks that they are in */
	size_t count;
	uint64_t first, last; /* of them; the first block begins there */
	unsigned shift;       /* a block has 1 << shift bytes */
	struct elf_block *blocks;
	size_t block_count;
	/* Of all blocks, if they had to be sorted together; or NULL. */
	struct elf_place *places;
	size_t place_count;
};

/*
 * Takes in the functions of the tables, of which some may be empty, to sort
 * them where they are asked for; is_complete says whether they have all
 * functions together.  Where they have not, one without a size ends where its
 * call frame information does.  cfi is used until it is released.
 */
void elf_functions_init(struct elf_functions *f,
			const struct elf_symbols *const *tables, size_t count,
			bool is_complete, struct elf_cfi *cfi);
void elf_functions_release(struct elf_functions *f);

/*
 * The (mangled) name of the function that holds an address, which lives as
 * long as the tables, or NULL; *start is where it begins.
 */
const char *elf_functions_at(struct elf_functions *f, uint64_t address,
			     uint64_t *start);

#endif
