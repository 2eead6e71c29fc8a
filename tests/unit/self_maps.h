/* SPDX-License-Identifier: Apache-2.0 */
/* self_maps: the test process as a target. */
#ifndef TESTS_UNIT_SELF_MAPS_H
#define TESTS_UNIT_SELF_MAPS_H

#include "core/elf/elf_image.h"
#include "core/jvm/jvm.h"
#include "core/process/mappings.h"

struct self_maps {
	struct jvm jvm;
	struct mappings maps;
};

/* Reads the mappings of this process; fails the test if they are unreadable. */
void self_maps_open(struct self_maps *s);
void self_maps_close(struct self_maps *s);

/*
 * Opens the image that holds an address of this process; *in_file is the
 * address in the file.
 */
struct elf_image *self_maps_image(struct self_maps *s, uintptr_t address,
				  uint64_t *in_file);

/* Opens a file; returns NULL if it does not exist. */
struct elf_image *self_maps_open_file(const char *path);

#endif
