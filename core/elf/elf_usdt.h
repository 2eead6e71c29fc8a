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

/* Where an argument of a probe is. */
struct elf_usdt_argument {
	uint8_t bytes;    /* 1, 2, 4 or 8; 0 = unknown */
	bool is_signed;   /* the value is to be extended with its sign */
	bool is_constant; /* it is offset */
	bool is_memory;   /* it is at reg + offset, and otherwise in reg */
	uint8_t reg;      /* DWARF's number, 0 to 15: System V ABI, 3.6.2 */
	int64_t offset;
};

/*
 * Parses the first count arguments, such as "8@%rdi -4@-20(%rbp) 8@$64".
 * Returns false if there are fewer, or a place of another form.
 */
bool elf_usdt_parse(const char *text, struct elf_usdt_argument *out,
		    size_t count);

#endif
