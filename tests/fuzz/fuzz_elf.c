/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/elf_image.h"

#include "core/elf/elf_file.h"

#include <string.h>

enum { TRIES = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t look_at(struct elf_image *image, uint64_t address)
{
	struct cfi_row row = { 0 };
	uint64_t start = address;
	const char *name = elf_image_function(image, address, &start);

	/* A function must contain its addresses. */
	if (name && start > address)
		__builtin_trap();
	if (elf_image_cfi(image, address, &row))
		for (size_t i = 0; i < DWARF_REGISTERS; i++)
			if (row.registers[i].base >= DWARF_REGISTERS)
				__builtin_trap();
	return name ? strlen(name) : 0;
}

/* Looks up addresses all over the segments, which an image does not export. */
static size_t look_over(struct elf_image *image, const uint8_t *data,
			size_t size)
{
	struct elf_source source = { .fd = -1, .bytes = data, .len = size };
	struct elf_file f;
	struct error err;
	size_t len = 0;

	if (elf_file_init(&f, source, &err) == 0) {
		for (size_t i = 0; i < f.segment_count && i < 16; i++) {
			const Elf64_Phdr *s = &f.segments[i];
			uint64_t step = s->p_filesz / TRIES + 1;

			for (uint64_t k = 0; k < TRIES; k++)
				len += look_at(image, s->p_vaddr + k * step);
		}
	}
	elf_file_release(&f);
	return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mapping m = { .start = 0x7f0000000000,
			     .end = 0x7f0000001000,
			     .is_executable = true };
	struct elf_image *image;
	struct error err;
	size_t len;

	image = elf_image_open_bytes(data, size, &err);
	if (!image)
		return 0;
	len = strlen(elf_image_name(image));
	len += elf_image_bias(image, &m) != 0;
	len += elf_image_symbol(image, "shown") != 0;
	len += look_over(image, data, size);
	elf_image_close(image);
	return len == SIZE_MAX;
}
