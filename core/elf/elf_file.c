/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/elf_file.h"

#include "core/base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Linkers write a dozen segments and some forty sections. */
enum { SEGMENTS_MAX = 512, SECTIONS_MAX = 8192, NAMES_MAX = 1 << 20 };

void elf_part_release(struct elf_part *part)
{
	free(part->bytes);
	if (part->bytes)
		budget_return(part->budget, part->len);
	*part = (struct elf_part){ 0 };
}

/* Reads len bytes or fails. */
static bool source_read(const struct elf_source *s, uint64_t offset,
			void *bytes, size_t len)
{
	size_t have = 0;

	if (offset > s->len || len > s->len - offset)
		return false;
	if (s->fd < 0) {
		memcpy(bytes, s->bytes + offset, len);
		return true;
	}
	while (have < len) {
		ssize_t got = pread(s->fd, (uint8_t *)bytes + have, len - have,
				    (off_t)(offset + have));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		have += (size_t)got;
	}
	return true;
}

bool elf_file_read_into(const struct elf_file *f, uint64_t offset, void *bytes,
			size_t len)
{
	return source_read(&f->source, offset, bytes, len);
}

bool elf_file_read(const struct elf_file *f, uint64_t offset, uint64_t len,
		   size_t max, struct elf_part *part)
{
	*part = (struct elf_part){ 0 };
	/* Check the limits before allocating. */
	if (len == 0 || len > max || offset > f->source.len ||
	    len > f->source.len - offset ||
	    !budget_charge(f->source.budget, len))
		return false;
	/* Not xmalloc(), which may take more for huge pages. */
	part->bytes = xcalloc(1, len);
	part->len = len;
	part->budget = f->source.budget;
	if (elf_file_read_into(f, offset, part->bytes, len))
		return true;
	elf_part_release(part);
	return false;
}

bool elf_section_is_readable(const Elf64_Shdr *section)
{
	return section->sh_type != SHT_NOBITS &&
	       !(section->sh_flags & SHF_COMPRESSED);
}

bool elf_file_read_section(const struct elf_file *f, const Elf64_Shdr *section,
			   size_t max, struct elf_part *part)
{
	*part = (struct elf_part){ 0 };
	if (!section || !elf_section_is_readable(section))
		return false;
	if (!elf_file_read(f, section->sh_offset, section->sh_size, max, part))
		return false;
	part->address = section->sh_addr;
	return true;
}

/*
 * Reads a table of count entries of a size each.  Returns false when the file
 * has no such table.
 */
static bool file_read_table(const struct elf_file *f, uint64_t offset,
			    size_t count, size_t entry, size_t size,
			    struct elf_part *table)
{
	return entry == size &&
	       elf_file_read(f, offset, count * size, SIZE_MAX, table);
}

/*
 * A program runs without sections, and most information is available without
 * them, so damaged or oversized section tables count as missing.
 */
static void file_read_sections(struct elf_file *f, const Elf64_Ehdr *head)
{
	struct elf_part table;

	if (head->e_shnum > SECTIONS_MAX ||
	    !file_read_table(f, head->e_shoff, head->e_shnum, head->e_shentsize,
			     sizeof(*f->sections), &table))
		return;
	f->sections = (void *)table.bytes;
	f->section_count = head->e_shnum;
	if (head->e_shstrndx < f->section_count)
		elf_file_read_section(f, &f->sections[head->e_shstrndx],
				      NAMES_MAX, &f->names);
	/* Terminates the last name. */
	if (f->names.len)
		f->names.bytes[f->names.len - 1] = '\0';
}

static const uint8_t x86_64_preserved[] = {
	DWARF_BX, DWARF_BP, 12, 13, 14, 15
};

const struct elf_machine elf_x86_64 = {
	.type = EM_X86_64,
	.sp = DWARF_SP,
	.ra = DWARF_RA,
	.preserved = x86_64_preserved,
	.preserved_count = sizeof(x86_64_preserved),
};

static bool header_is_supported(const Elf64_Ehdr *head)
{
	return memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
	       head->e_ident[EI_CLASS] == ELFCLASS64 &&
	       head->e_ident[EI_DATA] == ELFDATA2LSB &&
	       head->e_machine == ELF_MACHINE.type &&
	       (head->e_type == ET_DYN || head->e_type == ET_EXEC);
}

int elf_file_init(struct elf_file *f, struct elf_source source,
		  struct error *err)
{
	struct elf_part table;
	Elf64_Ehdr head;
	struct stat st;

	*f = (struct elf_file){ .source = source };
	if (source.fd >= 0) {
		if (fstat(source.fd, &st) < 0)
			return fail_sys(err, ERROR_FAILED,
					"cannot stat the file");
		f->source.len = (uint64_t)st.st_size;
	}
	if (!source_read(&f->source, 0, &head, sizeof(head)) ||
	    !header_is_supported(&head))
		return fail(err, ERROR_INPUT,
			    "not an ELF file for this machine");
	if (head.e_phnum > SEGMENTS_MAX ||
	    !file_read_table(f, head.e_phoff, head.e_phnum, head.e_phentsize,
			     sizeof(*f->segments), &table))
		return fail(err, ERROR_INPUT,
			    "the program headers are damaged");
	f->segments = (void *)table.bytes;
	f->segment_count = head.e_phnum;
	f->entry = head.e_entry;
	file_read_sections(f, &head);
	return 0;
}

void elf_file_release(struct elf_file *f)
{
	free(f->segments);
	free(f->sections);
	budget_return(f->source.budget,
		      f->segment_count * sizeof(*f->segments) +
			      f->section_count * sizeof(*f->sections));
	elf_part_release(&f->names);
	*f = (struct elf_file){ 0 };
}

const Elf64_Phdr *elf_file_segment(const struct elf_file *f, uint32_t type)
{
	for (size_t i = 0; i < f->segment_count; i++)
		if (f->segments[i].p_type == type)
			return &f->segments[i];
	return NULL;
}

const Elf64_Phdr *elf_file_loaded(const struct elf_file *f, uint64_t address)
{
	for (size_t i = 0; i < f->segment_count; i++) {
		const Elf64_Phdr *s = &f->segments[i];

		if (s->p_type == PT_LOAD && address >= s->p_vaddr &&
		    address - s->p_vaddr < s->p_filesz)
			return s;
	}
	return NULL;
}

const Elf64_Shdr *elf_file_section(const struct elf_file *f, const char *name)
{
	for (size_t i = 0; i < f->section_count; i++) {
		const Elf64_Shdr *s = &f->sections[i];

		if (s->sh_name < f->names.len &&
		    strcmp((char *)f->names.bytes + s->sh_name, name) == 0)
			return s;
	}
	return NULL;
}

const Elf64_Shdr *elf_file_section_of_type(const struct elf_file *f,
					   uint32_t type)
{
	for (size_t i = 0; i < f->section_count; i++)
		if (f->sections[i].sh_type == type)
			return &f->sections[i];
	return NULL;
}
