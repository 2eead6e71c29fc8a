/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/elf_symbols.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* libjvm has 60,000 symbols in 6 MB. */
enum { SYMBOLS_MAX = 32 << 20, NAMES_MAX = 128 << 20 };
enum { WINDOW = ELF_NAME_MOST / 2 };

/* Where the sections end that hold code. */
static void read_ends(struct elf_symbols *s, const struct elf_file *f)
{
	s->section_count = f->section_count;
	s->ends = xcalloc(f->section_count, sizeof(*s->ends));
	for (size_t i = 0; i < f->section_count; i++)
		if (f->sections[i].sh_flags & SHF_EXECINSTR)
			s->ends[i] = f->sections[i].sh_addr +
				     f->sections[i].sh_size;
}

/*
 * Names end within their table, and after two windows at the latest: names may
 * be the ends of others, so that a table without a NUL has a million names of
 * many megabytes each, which are compared with each other.
 */
static void end_names(struct elf_part *names)
{
	for (size_t at = 0; at + WINDOW <= names->len; at += WINDOW)
		if (!memchr(names->bytes + at, '\0', WINDOW))
			names->bytes[at + WINDOW - 1] = '\0';
	names->bytes[names->len - 1] = '\0';
}

void elf_symbols_init(struct elf_symbols *s, const struct elf_file *f,
		      uint32_t type)
{
	const Elf64_Shdr *section = elf_file_section_of_type(f, type);

	*s = (struct elf_symbols){ 0 };
	if (!section || section->sh_entsize != sizeof(Elf64_Sym) ||
	    section->sh_link >= f->section_count ||
	    !elf_file_read_section(f, section, SYMBOLS_MAX, &s->symbols) ||
	    !elf_file_read_section(f, &f->sections[section->sh_link], NAMES_MAX,
				   &s->names)) {
		elf_symbols_release(s);
		return;
	}
	s->count = s->symbols.len / sizeof(Elf64_Sym);
	read_ends(s, f);
	end_names(&s->names);
}

void elf_symbols_release(struct elf_symbols *s)
{
	free(s->symbols.bytes);
	free(s->names.bytes);
	free(s->ends);
	*s = (struct elf_symbols){ 0 };
}

const char *elf_symbols_name(const struct elf_symbols *s, size_t i)
{
	uint32_t at = elf_symbols_at(s, i)->st_name;

	return at < s->names.len ? (const char *)s->names.bytes + at : "";
}

uint64_t elf_symbols_limit(const struct elf_symbols *s, size_t i)
{
	size_t section = elf_symbols_at(s, i)->st_shndx;

	return section < s->section_count ? s->ends[section] : 0;
}

bool elf_symbols_is_code(const struct elf_symbols *s, size_t i)
{
	const Elf64_Sym *symbol = elf_symbols_at(s, i);

	if (symbol->st_value >= elf_symbols_limit(s, i))
		return false;
	/* Most names are not looked at: they stand far from one another. */
	if (!symbol->st_name || symbol->st_name >= s->names.len)
		return false;
	switch (ELF64_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE: /* of assembly; those of the compiler's own begin so */
		return *elf_symbols_name(s, i) != '.';
	default:
		return false;
	}
}

static uint64_t find_among(const struct elf_symbols *s, const char *name,
			   bool is_object)
{
	for (size_t i = 0; i < s->count; i++) {
		const Elf64_Sym *symbol = elf_symbols_at(s, i);

		if ((ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT) ==
			    is_object &&
		    symbol->st_shndx != SHN_UNDEF &&
		    strcmp(elf_symbols_name(s, i), name) == 0)
			return symbol->st_value;
	}
	return 0;
}

/* Functions are most, and seldom what is looked for: each name is far off. */
uint64_t elf_symbols_find(const struct elf_symbols *s, const char *name)
{
	uint64_t address = find_among(s, name, true);

	return address ? address : find_among(s, name, false);
}
