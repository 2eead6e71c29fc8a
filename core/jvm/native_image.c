/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/native_image.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define SECTIONS_MAX 4096

static const char heap[] = ".svm_heap";

/* Reads all of it or fails. */
static bool read_at(int fd, uint64_t offset, void *bytes, size_t len)
{
	ssize_t got;

	if (offset > INT64_MAX - len)
		return false;
	do {
		got = pread(fd, bytes, len, (off_t)offset);
	} while (got < 0 && errno == EINTR);
	return got >= 0 && (size_t)got == len;
}

static bool read_section(int fd, const Elf64_Ehdr *header, uint32_t index,
			 Elf64_Shdr *section)
{
	uint64_t offset;

	return !__builtin_add_overflow(header->e_shoff,
				       (uint64_t)index * sizeof(*section),
				       &offset) &&
	       read_at(fd, offset, section, sizeof(*section));
}

static bool is_heap(int fd, const Elf64_Shdr *names, const Elf64_Shdr *section)
{
	char name[sizeof(heap)];
	uint64_t offset;

	return !__builtin_add_overflow(names->sh_offset, section->sh_name,
				       &offset) &&
	       read_at(fd, offset, name, sizeof(name)) &&
	       memcmp(name, heap, sizeof(heap)) == 0;
}

bool native_image_is(int fd)
{
	Elf64_Ehdr header;
	Elf64_Shdr names, section;

	if (!read_at(fd, 0, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_shentsize != sizeof(section) ||
	    header.e_shnum > SECTIONS_MAX ||
	    !read_section(fd, &header, header.e_shstrndx, &names))
		return false;
	for (uint32_t i = 0; i < header.e_shnum; i++) {
		if (!read_section(fd, &header, i, &section))
			return false;
		if (is_heap(fd, &names, &section))
			return true;
	}
	return false;
}
