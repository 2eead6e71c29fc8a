/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_images: the mappings of a process and the ELF files behind them.
 *
 * Mappings are read again when an address is in none of them, and every few
 * seconds, because a library may be replaced by another at the same address.
 */
#ifndef CORE_ELF_PROCESS_IMAGES_H
#define CORE_ELF_PROCESS_IMAGES_H

#include "core/base/error.h"
#include "core/elf/elf_image.h"
#include "core/elf/target_files.h"
#include "core/jvm/jvm.h"
#include "core/process/mappings.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file, identified by its inode and the address where it is mapped. */
struct process_image {
	uint64_t dev, inode;
	uint64_t bias;         /* to add to the file's addresses */
	struct elf_image *elf; /* NULL: the file could not be opened */
};

/* Only process_images.c writes the fields. */
struct process_images {
	const struct jvm *jvm;
	struct memory *memory;
	struct elf_image_set *shared; /* NULL: images are not shared */
	struct target_files files;    /* .missed counts files that stalled */
	struct mappings mappings;
	int64_t read_ns;  /* when mappings were read, CLOCK_MONOTONIC */
	int64_t cost_ns;  /* how long that took */
	int64_t again_ns; /* wait so long before reading them again */
	bool may_read_again;
	uint32_t generation; /* changes when executable mappings do; never 0 */
	struct process_image *all;
	size_t count, cap;
	uint64_t unopened; /* files for which no memory was left */
};

/*
 * Reads the mappings of the process.  All is borrowed; shared may be NULL.
 * Returns NULL and sets *err when the mappings are not readable.
 */
struct process_images *process_images_open(const struct jvm *jvm,
					   struct memory *memory,
					   struct elf_image_set *shared,
					   struct error *err);
void process_images_close(struct process_images *p); /* NULL is fine */

/*
 * Call before a batch of samples: allows mappings to be read again, and reads
 * them if they are 15 seconds old.
 */
void process_images_begin(struct process_images *p);

/*
 * Returns the mapping that holds an address, or NULL.  Reads the mappings again
 * if the address is in none of them, at most once a batch.
 */
const struct mapping *process_images_mapping(struct process_images *p,
					     uint64_t address);

/*
 * Returns the image of a mapping as an index into p->all plus 1; 0 when the
 * mapping has no file.  Opens the file on first use.
 */
uint32_t process_images_of(struct process_images *p, const struct mapping *m);

/*
 * Returns the image and the bias of the first executable mapping whose file
 * name begins with name; NULL when there is none that can be read.  The image
 * lives as long as p.
 */
struct elf_image *process_images_library(struct process_images *p,
					 const char *name, uint64_t *bias);

/*
 * Returns the number of files whose tables and names exceed the memory limit,
 * shared->process_bytes, and the name of one of them; foreign.
 */
uint64_t process_images_cut(const struct process_images *p, const char **name);

#endif
