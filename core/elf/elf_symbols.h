/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_symbols: a symbol table of an ELF file, .symtab or .dynsym.
 */
#ifndef CORE_ELF_ELF_SYMBOLS_H
#define CORE_ELF_ELF_SYMBOLS_H

#include "core/elf/elf_file.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Names have fewer bytes: longer ones are cut, some from half of it on, as are
 * names that are the end of a longer one.
 */
enum { ELF_NAME_MOST = 4096 };

struct elf_symbols {
	struct elf_part symbols, names;
	size_t count;
	uint64_t *ends; /* of code: where each section ends; else 0 */
	size_t section_count;
};

/*
 * Reads the table of that type, SHT_SYMTAB or SHT_DYNSYM; one that is not
 * there, or is damaged, has no symbols.  elf_symbols_release() is due.
 */
void elf_symbols_init(struct elf_symbols *s, const struct elf_file *f,
		      uint32_t type);
void elf_symbols_release(struct elf_symbols *s); /* zeroed storage is fine */

/* The one at i, below count; and its name, "" when it has none. */
static inline const Elf64_Sym *elf_symbols_at(const struct elf_symbols *s,
					      size_t i)
{
	return (const void *)(s->symbols.bytes + i * sizeof(Elf64_Sym));
}
const char *elf_symbols_name(const struct elf_symbols *s, size_t i);

/* True for functions and labels of code. */
bool elf_symbols_is_code(const struct elf_symbols *s, size_t i);

/* Where the section ends that has it, if that is code; else 0. */
uint64_t elf_symbols_limit(const struct elf_symbols *s, size_t i);

/* The address of a symbol that the file defines, by its name; 0 = none. */
uint64_t elf_symbols_find(const struct elf_symbols *s, const char *name);

#endif
