/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_library.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

extern const uint8_t agent_library_start[], agent_library_end[];

const void *agent_library_bytes(size_t *len)
{
	*len = (size_t)(agent_library_end - agent_library_start);
	return agent_library_start;
}

/* Hashes with FNV-1a, which gives the same name in every process. */
const char *agent_library_name(void)
{
	static char name[AGENT_NAMES];
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	if (name[0])
		return name;
	for (const uint8_t *at = agent_library_start; at < agent_library_end;
	     at++)
		hash = (hash ^ *at) * UINT64_C(0x100000001b3);
	snprintf(name, sizeof(name), "agent-%016llx.so",
		 (unsigned long long)hash);
	return name;
}

/* The bytes were linked into this binary, so they are well-formed. */
static const void *library_at_offset(uint64_t offset)
{
	return agent_library_start + offset;
}

static const Elf64_Shdr *library_find_section(uint32_t type)
{
	const Elf64_Ehdr *head = library_at_offset(0);
	const Elf64_Shdr *all = library_at_offset(head->e_shoff);

	for (unsigned i = 0; i < head->e_shnum; i++)
		if (all[i].sh_type == type)
			return &all[i];
	return NULL;
}

static bool library_find_offset(uint64_t address, uint64_t *offset)
{
	const Elf64_Ehdr *head = library_at_offset(0);
	const Elf64_Phdr *all = library_at_offset(head->e_phoff);

	for (unsigned i = 0; i < head->e_phnum; i++) {
		if (all[i].p_type == PT_LOAD && address >= all[i].p_vaddr &&
		    address - all[i].p_vaddr < all[i].p_filesz) {
			*offset = address - all[i].p_vaddr + all[i].p_offset;
			return true;
		}
	}
	return false;
}

bool agent_library_function(const char *name, uint64_t *offset)
{
	const Elf64_Ehdr *head = library_at_offset(0);
	const Elf64_Shdr *all = library_at_offset(head->e_shoff);
	const Elf64_Shdr *table = library_find_section(SHT_DYNSYM);
	const Elf64_Sym *symbols;
	const char *names;

	if (!table)
		return false;
	symbols = library_at_offset(table->sh_offset);
	names = library_at_offset(all[table->sh_link].sh_offset);
	for (size_t i = 0; i < table->sh_size / sizeof(*symbols); i++)
		if (strcmp(names + symbols[i].st_name, name) == 0)
			return library_find_offset(symbols[i].st_value, offset);
	return false;
}
