/* SPDX-License-Identifier: Apache-2.0 */
/*
 * self_maps: this very process as a target whose files are looked at.
 */
#ifndef TESTS_UNIT_SELF_MAPS_H
#define TESTS_UNIT_SELF_MAPS_H

#include "core/elf/elf_image.h"
#include "core/jvm/jvm.h"
#include "core/process/mappings.h"

struct self_maps {
	struct jvm jvm;
	struct mappings maps;
};

/* As they are now; a test fails when they cannot be had. */
void self_maps_open(struct self_maps *s);
void self_maps_close(struct self_maps *s);

/*
 * The image that an address of ours is in, opened anew; *in_file is what that
 * address is in it.
 */
struct elf_image *self_maps_image(struct self_maps *s, uintptr_t address,
				  uint64_t *in_file);

/* A file of ours, or NULL when there is none of that name. */
struct elf_image *self_maps_open_file(const char *path);

#endif
