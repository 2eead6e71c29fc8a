/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbol tables of a file whose owner wants them to take much memory: the file
 * is sparse, and its tables claim the largest sizes.
 */
#include "core/elf/elf_symbols.h"

#include "core/elf/elf_file.h"
#include "core/elf/elf_image.h"
#include "core/elf/target_files.h"
#include "core/jvm/opener.h"
#include "tests/unit/sanitizers.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum {
	MB = 1 << 20,
	SYMBOLS_AT = 0x2000,
	SYMBOLS = (32 * MB) / 24,
	NAMES_AT = SYMBOLS_AT + 33 * MB,
	NAMES = 128 * MB,
	SECTIONS_AT = NAMES_AT + NAMES,
	LIMIT = 24 * MB,
};

struct file {
	int fd;
	struct budget whole, budget;
	struct elf_file elf;
	struct elf_symbols symbols;
};

static void put(int fd, off_t at, const void *bytes, size_t len)
{
	assert_int_equal(pwrite(fd, bytes, len, at), len);
}

static int file_create(void **state)
{
	static struct file f;
	const Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = ELF_MACHINE.type,
		.e_phoff = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shoff = SECTIONS_AT,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 4,
	};
	const Elf64_Phdr segment = { .p_type = PT_LOAD, .p_flags = PF_X };
	const Elf64_Shdr sections[] = {
		{ 0 },
		{ .sh_type = SHT_PROGBITS,
		  .sh_flags = SHF_EXECINSTR,
		  .sh_addr = 0x1000,
		  .sh_size = 0x1000 },
		{ .sh_type = SHT_SYMTAB,
		  .sh_offset = SYMBOLS_AT,
		  .sh_size = SYMBOLS * sizeof(Elf64_Sym),
		  .sh_entsize = sizeof(Elf64_Sym),
		  .sh_link = 3 },
		{ .sh_type = SHT_STRTAB,
		  .sh_offset = NAMES_AT,
		  .sh_size = NAMES },
	};

	f = (struct file){ .fd = memfd_create("sparse", MFD_CLOEXEC) };
	f.whole.limit = LIMIT;
	f.budget.whole = &f.whole;
	put(f.fd, 0, &head, sizeof(head));
	put(f.fd, sizeof(head), &segment, sizeof(segment));
	put(f.fd, SECTIONS_AT, sections, sizeof(sections));
	*state = &f;
	return 0;
}

static int file_remove(void **state)
{
	struct file *f = *state;

	return close(f->fd);
}

static void file_put_symbol(struct file *f, size_t i, uint32_t name)
{
	const Elf64_Sym symbol = { .st_name = name,
				   .st_info = ELF64_ST_INFO(STB_GLOBAL,
							    STT_FUNC),
				   .st_shndx = 1,
				   .st_value = 0x1000 + i % 4096,
				   .st_size = 4096 };

	put(f->fd, (off_t)(SYMBOLS_AT + i * sizeof(symbol)), &symbol,
	    sizeof(symbol));
}

/* Reads the symbols with little more memory than the budget. */
static void file_read_symbols(struct file *f)
{
	struct rlimit all, few = { .rlim_cur = 0 };
	unsigned long pages = 0;
	struct error err;
	char text[64] = "";
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

	assert_int_equal(
		elf_file_init(&f->elf,
			      (struct elf_source){ .fd = f->fd,
						   .budget = &f->budget },
			      &err),
		0);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	pages = strtoul(text, NULL, 10);
	getrlimit(RLIMIT_AS, &all);
	few = (struct rlimit){ pages * 4096 + LIMIT + 8 * MB, all.rlim_max };
	if (!IS_SANITIZED)
		setrlimit(RLIMIT_AS, &few);
	elf_symbols_init(&f->symbols, &f->elf, SHT_SYMTAB);
	setrlimit(RLIMIT_AS, &all);
}

static void file_release(struct file *f)
{
	uint64_t wasted = SYMBOLS * sizeof(Elf64_Sym) / 8;

	elf_symbols_release(&f->symbols);
	elf_file_release(&f->elf);
	assert_int_equal(f->budget.used, wasted);
	assert_int_equal(f->whole.used, wasted);
	budget_return(&f->budget, wasted);
}

static void table_without_symbols_takes_no_memory(void **state)
{
	struct file *f = *state;

	file_read_symbols(f);
	assert_int_equal(f->symbols.count, 0);
	assert_int_equal(f->budget.refused, 0);
	file_release(f);
}

static void only_names_of_symbols_take_memory(void **state)
{
	struct file *f = *state;

	file_put_symbol(f, 7, NAMES / 2);
	file_put_symbol(f, SYMBOLS - 1, NAMES / 2 + 6);
	put(f->fd, NAMES_AT + NAMES / 2, "alpha\0beta", 11);
	file_read_symbols(f);
	assert_int_equal(f->symbols.count, 2);
	assert_string_equal(elf_symbols_name(&f->symbols, 0), "alpha");
	assert_string_equal(elf_symbols_name(&f->symbols, 1), "beta");
	assert_int_equal(elf_symbols_find(&f->symbols, "alpha"), 0x1007);
	assert_true(f->symbols.names.len <= 6 + 1 + ELF_NAME_MOST);
	file_release(f);
}

static void table_beyond_the_budget_has_no_symbols(void **state)
{
	struct file *f = *state;

	f->whole.limit = 8 * MB;
	for (size_t i = 0; i < 8 * MB / sizeof(Elf64_Sym); i++)
		file_put_symbol(f, i, 1 + (uint32_t)i * 90);
	file_read_symbols(f);
	assert_int_equal(f->symbols.count, 0);
	assert_int_equal(f->budget.refused, 1);
	file_release(f);
}

static void names_beyond_the_budget_are_not_read(void **state)
{
	struct file *f = *state;

	file_put_symbol(f, 0, 1);
	file_put_symbol(f, 1, NAMES - 10);
	file_read_symbols(f);
	assert_int_equal(f->symbols.count, 0);
	assert_int_equal(f->budget.refused, 1);
	file_release(f);
}

static void functions_beyond_the_budget_are_not_found(void **state)
{
	struct budget budget = { .limit = 4096 };
	const struct elf_symbols *tables[1];
	struct file *f = *state;
	struct elf_functions functions;
	uint64_t start;

	for (size_t i = 0; i < 1000; i++)
		file_put_symbol(f, i, 1);
	put(f->fd, NAMES_AT, "\0many", 6);
	file_read_symbols(f);
	assert_int_equal(f->symbols.count, 1000);
	tables[0] = &f->symbols;
	elf_functions_init(&functions, tables, 1, true, NULL, &budget);
	assert_null(elf_functions_at(&functions, 0x1100, &start));
	assert_int_equal(budget.refused, 1);
	elf_functions_release(&functions);
	assert_int_equal(budget.used, 0);
	elf_functions_init(&functions, tables, 1, true, NULL, &f->budget);
	assert_string_equal(elf_functions_at(&functions, 0x1100, &start),
			    "many");
	elf_functions_release(&functions);
	file_release(f);
}

/* Copies this program; returns the copy, or -1. */
static int copy_program(opener_copy *copy, size_t max, struct error *err)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int to = memfd_create("copy", MFD_CLOEXEC);
	size_t copied = 0;
	int ret = copy(from, to, max, &copied, err);

	close(from);
	assert_true(copied > 0 && copied <= max);
	if (ret == 0)
		return to;
	close(to);
	return -1;
}

static void copy_of_a_file_has_all_tables_and_nothing_else(void **state)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to;
	struct elf_image *image, *copy;
	struct cfi_row a, b;
	struct stat st;
	struct error err;

	(void)state;
	to = copy_program(target_files_copy_tables, 64 * MB, &err);
	assert_int_not_equal(to, -1);
	image = elf_image_open_fd(from, &err);
	copy = elf_image_open_fd(to, &err);
	assert_non_null(image);
	assert_non_null(copy);
	for (uint64_t at = 0; at < 16 * MB; at += 1000) {
		const char *name = elf_image_function(image, at, NULL);
		const char *other = elf_image_function(copy, at, NULL);

		assert_int_equal(elf_image_cfi(image, at, &a),
				 elf_image_cfi(copy, at, &b));
		assert_int_equal(!name, !other);
		if (name)
			assert_string_equal(name, other);
	}
	assert_non_null(elf_image_function(
		copy, elf_image_symbol(copy, "elf_image_open_fd"), NULL));
	elf_image_close(image);
	elf_image_close(copy);
	assert_int_equal(fstat(to, &st), 0);
	assert_true(st.st_blocks * 512 < st.st_size / 2);
	close(from);
	close(to);
}

static void tables_beyond_the_limit_are_not_copied(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(copy_program(target_files_copy_tables, 100000, &err),
			 -1);
	assert_int_equal(err.kind, ERROR_PARTIAL);
	assert_int_equal(copy_program(target_files_copy_elf, 100000, &err), -1);
	assert_int_equal(err.kind, ERROR_PARTIAL);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, file_create, file_remove)
	const struct CMUnitTest tests[] = {
		CASE(table_without_symbols_takes_no_memory),
		CASE(only_names_of_symbols_take_memory),
		CASE(table_beyond_the_budget_has_no_symbols),
		CASE(names_beyond_the_budget_are_not_read),
		CASE(functions_beyond_the_budget_are_not_found),
		cmocka_unit_test(
			copy_of_a_file_has_all_tables_and_nothing_else),
		cmocka_unit_test(tables_beyond_the_limit_are_not_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
