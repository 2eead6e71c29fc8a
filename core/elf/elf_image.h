/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_image: a program or library that a process has mapped: its symbols and
 * its call frame information.
 *
 * Its file is the very one that is mapped, unlinked or not, in whatever mount
 * namespace, where we have the right to that (target_files.h).  Debug
 * information elsewhere (build id, .gnu_debuglink) is taken for symbols where
 * it is.  Files are foreign.
 */
#ifndef CORE_ELF_ELF_IMAGE_H
#define CORE_ELF_ELF_IMAGE_H

#include "core/base/error.h"
#include "core/elf/elf_cfi.h"
#include "core/elf/target_files.h"
#include "core/jvm/jvm.h"
#include "core/process/mappings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_image;

/*
 * The open images of several processes, so that a file that all of them map is
 * read once.  Zeroed storage is an empty set.  It holds no reference: an image
 * leaves the set when its last user closes it, and all do before the set goes.
 */
struct elf_image_set {
	struct elf_image *first;
};

/*
 * The file of a mapping; ERROR_INPUT when it is not an ELF file of this
 * machine.  If set is not NULL and has an image of the same unchanged file for
 * a process of the same user, that image is returned and has one more user.
 */
struct elf_image *elf_image_open(struct target_files *files,
				 struct elf_image_set *set,
				 const struct mapping *mapping,
				 struct error *err);
/* A file of ours, for tests and tools. */
struct elf_image *elf_image_open_fd(int fd, struct error *err);
/* The vDSO or a file's bytes that are in memory; they are copied. */
struct elf_image *elf_image_open_bytes(const void *bytes, size_t len,
				       struct error *err);
/* Frees the image with its last user.  NULL is fine. */
void elf_image_close(struct elf_image *image);

/*
 * What to add to the file's addresses to get the process's, where the file is
 * mapped so.
 */
uint64_t elf_image_bias(const struct elf_image *image,
			const struct mapping *mapping);

/* The address of a symbol by its (mangled) name, in the file; 0 = none. */
uint64_t elf_image_symbol(const struct elf_image *image, const char *name);

/*
 * The function that holds a file's address: demangled, it lives as long as the
 * image; NULL when none does.  *start, unless NULL, is where it begins.
 */
const char *elf_image_function(struct elf_image *image, uint64_t address,
			       uint64_t *start);

/*
 * A name for the function that holds an address that no symbol covers, as in a
 * stripped library.  glibc's functions that begin a thread or a program are
 * recognised in a stack trace: caller is the name of the calling function, NULL
 * at the root, and calls_out says whether it calls code of another file.  Any
 * other function is "[libc.so.6+0x94ac3]", by its start.  NULL when call frame
 * information does not give the start.  The name lives as long as the image.
 */
const char *elf_image_unnamed(struct elf_image *image, uint64_t address,
			      const char *caller, bool calls_out);

/*
 * The row for an address of the file, of .eh_frame, else .debug_frame; false
 * when there is none, or it needs what a row cannot say.  It is of that very
 * address: of one in a PLT, the next has another CFA.
 */
bool elf_image_cfi(struct elf_image *image, uint64_t address,
		   struct cfi_row *row);

/* Its name, without folders; foreign. */
const char *elf_image_name(const struct elf_image *image);

#endif
