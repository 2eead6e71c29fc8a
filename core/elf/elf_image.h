/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_image: a program or library that a process has mapped: its symbols and
 * call frame information.
 *
 * With the right to open /proc/PID/map_files (target_files.h), exactly the
 * mapped file is read, even if it was unlinked or is in another mount
 * namespace.  A stripped file gets the symbols of its debug file (elf_debug.h).
 * Files are foreign.
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
 * read once.  Zeroed storage is an empty set.  The set holds no reference: an
 * image leaves the set when its last user closes it, and all images must be
 * closed before the set is discarded.
 */
struct elf_image_set {
	struct elf_image *first;
	struct budget budget;   /* of all images */
	uint64_t process_bytes; /* limit of each process */
};

/*
 * Opens the file of a mapping.  ERROR_INPUT when it is not an ELF file of this
 * machine.  If set is not NULL and has an image of the same unchanged file for
 * a process of the same user, or an image with the same contents, that image is
 * returned and has one more user.
 *
 * head is a hash of the start of the mapped file, or 0.  It identifies a file
 * that is on another device in each container; without it, such a file is read
 * for each container.
 */
struct elf_image *elf_image_open(struct target_files *files,
				 struct elf_image_set *set,
				 const struct mapping *mapping, uint64_t head,
				 struct error *err);
/* Opens a file by a descriptor, for tests and tools. */
struct elf_image *elf_image_open_fd(int fd, struct error *err);
/* Opens the vDSO or a file in memory; the bytes are copied. */
struct elf_image *elf_image_open_bytes(const void *bytes, size_t len,
				       struct error *err);
/* Frees the image with its last user.  NULL is fine. */
void elf_image_close(struct elf_image *image);

/*
 * Returns the number to add to addresses in the file to get addresses in the
 * process with this mapping.
 */
uint64_t elf_image_bias(const struct elf_image *image,
			const struct mapping *mapping);

/* Returns the address of a symbol in the file by its mangled name, or 0. */
uint64_t elf_image_symbol(const struct elf_image *image, const char *name);

/*
 * Returns the demangled name of the function that holds an address of the file,
 * or NULL. The name lives as long as the image. *start, unless NULL, is where
 * the function begins.
 */
const char *elf_image_function(struct elf_image *image, uint64_t address,
			       uint64_t *start);

/*
 * Returns a name for a function that no symbol covers, as in a stripped
 * library. glibc's functions that begin a thread or a program are recognized by
 * the stack trace: caller is the name of the calling function, NULL at the
 * root, and calls_out is true if the function calls code of another file. Any
 * other function is named by its start, "[libc.so.6+0x94ac3]". NULL when call
 * frame information does not give the start. The name lives as long as the
 * image.
 */
const char *elf_image_unnamed(struct elf_image *image, uint64_t address,
			      const char *caller, bool calls_out);

/*
 * Finds the row for an address of the file, in .eh_frame or else in
 * .debug_frame.  Returns false when there is none, or a row cannot express it.
 * The row holds for this address only: in a PLT, the next address has another
 * CFA.
 */
bool elf_image_cfi(struct elf_image *image, uint64_t address,
		   struct cfi_row *row);

/*
 * True if the users of a shared image map the same file of one file system, so
 * none of them is another container with a copy of the file.
 */
bool elf_image_is_of_one_place(const struct elf_image *image);

/*
 * True if the budget of the process (target_files.h) did not suffice for all of
 * the file's tables and names.
 */
bool elf_image_is_cut(const struct elf_image *image);

/* Returns the file name without directories; foreign. */
const char *elf_image_name(const struct elf_image *image);

#endif
