/* SPDX-License-Identifier: Apache-2.0 */
/* The written library, read by the readers of ELF files. */
#include "jvmti/client/client_probes.h"

#include "core/elf/elf_cfi.h"
#include "core/elf/elf_symbols.h"
#include "core/elf/elf_usdt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { FIRST = 64, COUNT = 3 };

/* One id is not published. */
static const struct usdt_probe probes[COUNT] = {
	{ "submit", "com.acme.Orders.submit", FIRST },
	{ "submit_2", "com.acme.Orders.submit", FIRST + 1 },
	{ "init", "com.acme.Orders.<init>", FIRST + 3 },
};

static struct text library;
static struct usdt_layout layout;
static struct elf_file file;

static int open_library(void **state)
{
	struct error err;

	(void)state;
	assert_true(usdt_write(&library, "java4711", FIRST, probes, COUNT,
			       &layout));
	assert_int_equal(
		elf_file_init(&file,
			      (struct elf_source){ -1, (uint8_t *)library.bytes,
						   library.len, NULL },
			      &err),
		0);
	return 0;
}

static int close_library(void **state)
{
	(void)state;
	elf_file_release(&file);
	text_release(&library);
	return 0;
}

/* The number of notes, which are in the order of the probes. */
static size_t notes;

static const uint8_t *at_address(uint64_t address)
{
	const Elf64_Phdr *s = elf_file_loaded(&file, address);

	assert_non_null(s);
	return (uint8_t *)library.bytes + address - s->p_vaddr + s->p_offset;
}

static bool check_note(void *self, const struct elf_usdt *n)
{
	const struct usdt_probe *p = &probes[notes / 2];
	unsigned which = notes++ % 2;
	const uint8_t *code = at_address(n->address);
	uint64_t stub = layout.stubs_at +
			((p->id - FIRST) * 2 + which) * (uint64_t)PROBE_STUB;
	int32_t distance;
	char name[64];

	(void)self;
	snprintf(name, sizeof(name), "%s__%s", p->name,
		 which ? "return" : "entry");
	assert_string_equal(n->provider, "java4711");
	assert_string_equal(n->name, name);
	assert_string_equal(n->arguments, which ? "-8@%rdi -8@%rsi 8@%rdx "
						  "-8@%rcx"
						: "-8@%rdi 8@%rsi");
	/* lea distance(%rip); nop; ret */
	assert_int_equal(n->address, stub + 7);
	assert_memory_equal(code - 7, which ? "\x48\x8d\x15" : "\x48\x8d\x35",
			    3);
	assert_memory_equal(code, "\x90\xc3", 2);
	memcpy(&distance, code - 4, sizeof(distance));
	assert_string_equal((const char *)at_address(
				    n->address + (uint64_t)(int64_t)distance),
			    p->title);
	assert_int_equal(n->semaphore,
			 PROBE_STUBS + (uint64_t)p->id * 4 + which * 2U);
	assert_memory_equal(at_address(n->semaphore), "\0\0", 2);
	return true;
}

static void each_method_has_an_entry_and_a_return(void **state)
{
	(void)state;
	notes = 0;
	assert_true(elf_usdt_each(&file, check_note, NULL));
	assert_int_equal(notes, 2 * COUNT);
}

static void segments_are_mapped_as_the_agent_maps_them(void **state)
{
	const Elf64_Phdr *code = elf_file_loaded(&file, layout.stubs_at);
	const Elf64_Phdr *data = elf_file_loaded(&file, PROBE_STUBS);

	(void)state;
	assert_non_null(code);
	assert_non_null(data);
	assert_int_equal(code->p_vaddr, 0);
	assert_int_equal(code->p_flags, PF_R | PF_X);
	assert_int_equal(code->p_filesz, layout.stubs_end);
	assert_int_equal(layout.stubs_end % 4096, 0);
	assert_int_equal(data->p_flags, PF_R | PF_W);
	assert_int_equal(data->p_offset, layout.semaphores_at);
	assert_int_equal(data->p_filesz, PROBE_SEMAPHORES);
	assert_int_equal(data->p_offset % 4096, 0);
}

static void stubs_have_names_and_call_frame_information(void **state)
{
	struct elf_symbols symbols;
	struct elf_cfi cfi;
	struct cfi_row row;

	(void)state;
	elf_symbols_init(&symbols, &file, SHT_SYMTAB);
	assert_int_equal(symbols.count, 2 * COUNT);
	assert_string_equal(elf_symbols_name(&symbols, 0), "submit__entry");
	assert_string_equal(elf_symbols_name(&symbols, 2 * COUNT - 1),
			    "init__return");
	assert_int_equal(elf_symbols_at(&symbols, 2 * COUNT - 1)->st_value,
			 layout.stubs_at + 7 * PROBE_STUB);
	elf_symbols_release(&symbols);
	elf_cfi_init_eh(&cfi, &file);
	for (unsigned i = 0; i < 8 * PROBE_STUB; i++) {
		assert_true(elf_cfi_row(&cfi, layout.stubs_at + i, &row));
		assert_int_equal(row.cfa_register, DWARF_SP);
		assert_int_equal(row.cfa_offset, 8);
		assert_int_equal(row.registers[DWARF_RA].rule, CFI_AT_CFA);
		assert_int_equal(row.registers[DWARF_RA].offset, -8);
	}
	assert_false(elf_cfi_row(&cfi, layout.stubs_at + 8 * PROBE_STUB, &row));
	elf_cfi_release(&cfi);
}

/* Woven code of a method without a published probe may still call a stub. */
static void stubs_of_unpublished_ids_return(void **state)
{
	(void)state;
	for (unsigned which = 0; which < 2; which++)
		assert_int_equal(*at_address(layout.stubs_at +
					     (2U * 2 + which) * PROBE_STUB),
				 0xc3);
}

static bool count_notes(void *self, const struct elf_usdt *probe)
{
	(void)probe;
	++*(size_t *)self;
	return true;
}

/* A cut section yields the notes before the cut, and reads nothing beyond. */
static void damaged_notes_end_the_list(void **state)
{
	Elf64_Shdr *section = (Elf64_Shdr *)elf_file_section(&file,
							     ".note.stapsdt");
	uint64_t all = section->sh_size;
	size_t last = 0;

	(void)state;
	for (uint64_t len = 0; len < all; len++) {
		size_t found = 0;

		section->sh_size = len;
		elf_usdt_each(&file, count_notes, &found);
		assert_in_range(found, last, 2 * COUNT - 1);
		last = found;
	}
	section->sh_size = all;
}

static void probes_beyond_the_reserved_addresses_are_refused(void **state)
{
	static char title[PROBE_STUBS];
	const struct usdt_probe large = { "a", title, FIRST };
	struct text out = { 0 };
	struct usdt_layout unused;

	(void)state;
	memset(title, 'a', sizeof(title) - 1);
	assert_false(usdt_write(&out, "java1", FIRST, &large, 1, &unused));
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_method_has_an_entry_and_a_return),
		cmocka_unit_test(segments_are_mapped_as_the_agent_maps_them),
		cmocka_unit_test(stubs_have_names_and_call_frame_information),
		cmocka_unit_test(stubs_of_unpublished_ids_return),
		cmocka_unit_test(damaged_notes_end_the_list),
		cmocka_unit_test(
			probes_beyond_the_reserved_addresses_are_refused),
	};

	return cmocka_run_group_tests(tests, open_library, close_library);
}
