/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_usdt: the USDT probes of an ELF file (.note.stapsdt, as sys/sdt.h of
 * SystemTap writes it).
 */
#ifndef CORE_ELF_ELF_USDT_H
#define CORE_ELF_ELF_USDT_H

#include "core/elf/elf_file.h"

#include <stdbool.h>
#include <stdint.h>

struct elf_usdt {
	/* Addresses in the file; semaphore is 0 if the probe has none. */
	uint64_t address, semaphore;
	const char *provider, *name, *arguments;
};

/* Receives a probe, whose strings are valid in the call; false = stop. */
typedef bool elf_usdt_fn(void *self, const struct elf_usdt *probe);

/*
 * Reads the notes up to the first damaged one.  Returns false if the file has
 * none, or they cannot be read.
 */
bool elf_usdt_each(const struct elf_file *f, elf_usdt_fn *each, void *self);

#endif
