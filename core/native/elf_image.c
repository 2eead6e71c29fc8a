/* SPDX-License-Identifier: Apache-2.0 */
#include "core/native/elf_image.h"

#include "core/base/alloc.h"
#include "core/jvm/procfs.h"
#include "core/native/elf_cfi.h"
#include "core/native/elf_file.h"
#include "core/native/elf_symbols.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_SIZE 4096

struct elf_image {
	char *name;
	struct elf_file file; /* its tables: the source is gone */
	struct elf_symbols symbols, dynamic_symbols;
	struct elf_cfi eh_frame, debug_frame;
};

/* Takes all that is wanted of a source. */
static struct elf_image *image_of(struct elf_source source, const char *name,
				  struct error *err)
{
	struct elf_image *image = xcalloc(1, sizeof(*image));

	if (elf_file_init(&image->file, source, err) < 0) {
		fail_in(err, "%s", name);
		elf_file_release(&image->file);
		free(image);
		return NULL;
	}
	image->name = xstrdup(name);
	elf_symbols_init(&image->symbols, &image->file, SHT_SYMTAB);
	elf_symbols_init(&image->dynamic_symbols, &image->file, SHT_DYNSYM);
	elf_cfi_init_eh(&image->eh_frame, &image->file);
	elf_cfi_init_debug(&image->debug_frame, &image->file);
	return image;
}

struct elf_image *elf_image_open_fd(int fd, struct error *err)
{
	return image_of((struct elf_source){ .fd = fd }, "file", err);
}

struct elf_image *elf_image_open_bytes(const void *bytes, size_t len,
				       struct error *err)
{
	return image_of((struct elf_source){ -1, bytes, len }, "memory", err);
}

/* The very file, which only who may inspect all of the system can open. */
static int open_mapped(const struct jvm *jvm, const struct mapping *m,
		       struct error *err)
{
	char name[64];
	int held, fd;

	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, m->start,
		 m->end);
	held = procfs_open(jvm->pid, name, O_PATH, err);
	if (held < 0)
		return -1;
	fd = jvm_open_held(held, O_RDONLY);
	if (fd < 0)
		fail_sys(err, ERROR_INPUT, "%s", m->path);
	close(held);
	return fd;
}

/* What has the file's path by now may be another. */
static int open_path(const struct jvm *jvm, const struct mapping *m,
		     struct error *err)
{
	int fd = jvm_open_file(jvm, m->path, O_RDONLY, err);
	struct stat st;

	if (fd < 0)
		return -1;
	/* A union file system has the inode's number, but another device. */
	if (fstat(fd, &st) == 0 && st.st_ino == m->inode)
		return fd;
	close(fd);
	return fail(err, ERROR_UNAVAILABLE, "%s: it was replaced", m->path);
}

struct elf_image *elf_image_open(const struct jvm *jvm,
				 const struct mapping *mapping,
				 struct error *err)
{
	const char *slash = strrchr(mapping->path, '/');
	struct elf_image *image = NULL;
	int fd;

	if (!mapping->inode || !slash) {
		fail(err, ERROR_INPUT, "no file is mapped there");
		return NULL;
	}
	fd = open_mapped(jvm, mapping, err);
	if (fd < 0)
		fd = open_path(jvm, mapping, err);
	if (fd < 0)
		return NULL;
	image = image_of((struct elf_source){ .fd = fd }, slash + 1, err);
	close(fd);
	return image;
}

void elf_image_close(struct elf_image *image)
{
	if (!image)
		return;
	elf_cfi_release(&image->eh_frame);
	elf_cfi_release(&image->debug_frame);
	elf_symbols_release(&image->symbols);
	elf_symbols_release(&image->dynamic_symbols);
	elf_file_release(&image->file);
	free(image->name);
	free(image);
}

/* True when the segment, in whole pages, has that part of the file. */
static bool holds(const Elf64_Phdr *s, const struct mapping *m)
{
	uint64_t begin = s->p_offset & ~(uint64_t)(PAGE_SIZE - 1);

	return s->p_type == PT_LOAD && m->offset >= begin &&
	       m->offset - begin < s->p_filesz + (s->p_offset - begin);
}

uint64_t elf_image_bias(const struct elf_image *image,
			const struct mapping *mapping)
{
	const Elf64_Phdr *found = NULL;

	/* The page where two segments meet is mapped for each. */
	for (size_t i = 0; i < image->file.segment_count; i++) {
		const Elf64_Phdr *s = &image->file.segments[i];

		if (!holds(s, mapping))
			continue;
		if (!found || !!(s->p_flags & PF_X) == mapping->is_executable)
			found = s;
	}
	if (!found)
		found = elf_file_segment(&image->file, PT_LOAD);
	if (!found)
		return 0;
	return mapping->start - mapping->offset + found->p_offset -
	       found->p_vaddr;
}

uint64_t elf_image_symbol(const struct elf_image *image, const char *name)
{
	uint64_t address = elf_symbols_find(&image->dynamic_symbols, name);

	return address ? address : elf_symbols_find(&image->symbols, name);
}

bool elf_image_cfi(struct elf_image *image, uint64_t address,
		   struct cfi_row *row)
{
	return elf_cfi_row(&image->eh_frame, address, row) ||
	       elf_cfi_row(&image->debug_frame, address, row);
}

const char *elf_image_name(const struct elf_image *image)
{
	return image->name;
}
