/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/elf_image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define JDKS "/usr/lib/jvm/"

/* A library, read by sjkc and by libdw. */
struct both {
	const char *path;
	int fd;
	struct elf_image *image;
	Elf *elf;
	Dwarf_CFI *cfi;
	size_t rows, functions;
};

static bool both_open(struct both *b, const char *path)
{
	struct error err;

	*b = (struct both){ .path = path, .fd = open(path, O_RDONLY) };
	if (b->fd < 0)
		return false;
	b->image = elf_image_open_fd(b->fd, &err);
	assert_non_null(b->image);
	elf_version(EV_CURRENT);
	b->elf = elf_begin(b->fd, ELF_C_READ_MMAP, NULL);
	b->cfi = dwarf_getcfi_elf(b->elf);
	assert_non_null(b->cfi);
	return true;
}

static void both_close(struct both *b)
{
	elf_image_close(b->image);
	dwarf_cfi_end(b->cfi);
	elf_end(b->elf);
	close(b->fd);
}

/* Converts libdw's operations to a rule; returns false when no rule fits. */
static bool rule_of(const Dwarf_Op *ops, size_t count, uint8_t *rule,
		    uint8_t *base, int32_t *offset)
{
	const Dwarf_Op *last = count ? ops + count - 1 : ops;

	if (count == 0)
		*rule = ops ? CFI_UNDEFINED : CFI_SAME;
	else if (count == 1 && last->atom == DW_OP_regx)
		*rule = CFI_IS_REGISTER, *base = (uint8_t)last->number;
	/* The CFA is on the expression's stack at first. */
	else if (last->atom >= DW_OP_breg0 && last->atom <= DW_OP_breg31)
		*rule = CFI_AT_REGISTER,
		*base = (uint8_t)(last->atom - DW_OP_breg0),
		*offset = (int32_t)last->number;
	else if (ops[0].atom == DW_OP_call_frame_cfa) {
		bool is_value = ops[count - 1].atom == DW_OP_stack_value;

		*rule = is_value ? CFI_IS_CFA : CFI_AT_CFA;
		if (count - is_value == 2)
			*offset = (int32_t)ops[1].number;
	} else
		return false;
	return true;
}

static void registers_agree(const struct both *b, uint64_t pc,
			    Dwarf_Frame *frame, const struct cfi_row *row)
{
	static const int looked_at[] = {
		DWARF_BX, DWARF_BP, DWARF_SP, 12, 13, 14, 15, DWARF_RA
	};

	for (size_t i = 0; i < sizeof(looked_at) / sizeof(*looked_at); i++) {
		int reg = looked_at[i];
		Dwarf_Op memory[3], *ops;
		size_t count;
		uint8_t rule = CFI_UNDEFINED, base = 0;
		int32_t offset = 0;

		assert_int_equal(
			dwarf_frame_register(frame, reg, memory, &ops, &count),
			0);
		if (!rule_of(ops, count, &rule, &base, &offset))
			fail_msg("%s %lx: libdw's r%d", b->path, pc, reg);
		/* A libdw without a backend has no ABI: nothing is preserved.
		 */
		if (rule == CFI_UNDEFINED && reg != DWARF_RA &&
		    row->registers[reg].rule ==
			    (reg == DWARF_SP ? CFI_IS_CFA : CFI_SAME))
			continue;
		if (row->registers[reg].rule != rule ||
		    row->registers[reg].base != base ||
		    row->registers[reg].offset != offset)
			fail_msg("%s %lx: r%d is %d %d %d, of libdw %d %d %d",
				 b->path, pc, reg, row->registers[reg].rule,
				 row->registers[reg].base,
				 row->registers[reg].offset, rule, base,
				 offset);
	}
}

static void cfa_agrees(const struct both *b, uint64_t pc, Dwarf_Frame *frame,
		       const struct cfi_row *row)
{
	Dwarf_Op *ops;
	size_t count;
	int64_t reg, offset;

	assert_int_equal(dwarf_frame_cfa(frame, &ops, &count), 0);
	if (count > 2) { /* the expression of a PLT */
		assert_int_equal(ops[0].atom, DW_OP_breg7);
		assert_int_equal(ops[1].atom, DW_OP_breg16);
		assert_int_equal(ops[3].atom, DW_OP_and);
		reg = 7;
		offset = (int)(pc & 15) >= ops[4].atom - DW_OP_lit0 ? 16 : 8;
	} else {
		bool is_x = ops[0].atom == DW_OP_bregx;

		assert_int_equal(row->cfa_is_memory, count == 2);
		reg = is_x ? (int64_t)ops[0].number : ops[0].atom - DW_OP_breg0;
		offset = (int64_t)(is_x ? ops[0].number2 : ops[0].number);
	}
	if (row->cfa_register != reg || row->cfa_offset != (int32_t)offset)
		fail_msg("%s %lx: the CFA is r%d + %d, of libdw r%ld + %ld",
			 b->path, pc, row->cfa_register, row->cfa_offset, reg,
			 offset);
}

/* Compares the rows at an address; returns the end of libdw's row, or 0. */
static uint64_t agrees_at(struct both *b, uint64_t pc)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr start, end;
	struct cfi_row row;
	bool is_signal;

	if (dwarf_cfi_addrframe(b->cfi, pc, &frame) != 0) {
		if (elf_image_cfi(b->image, pc, &row))
			fail_msg("%s %lx: libdw has none", b->path, pc);
		return 0;
	}
	if (!elf_image_cfi(b->image, pc, &row))
		fail_msg("%s %lx: we have none", b->path, pc);
	dwarf_frame_info(frame, &start, &end, &is_signal);
	assert_int_equal(row.is_signal, is_signal);
	cfa_agrees(b, pc, frame, &row);
	registers_agree(b, pc, frame, &row);
	free(frame);
	b->rows++;
	return end;
}

/*
 * Compares all rows of a part of the text, at their first and last addresses.
 */
static void agrees(const char *path, uint64_t one_of)
{
	struct both b;
	GElf_Phdr segment;
	size_t count;

	if (!both_open(&b, path))
		return;
	elf_getphdrnum(b.elf, &count);
	for (size_t i = 0; i < count; i++) {
		gelf_getphdr(b.elf, (int)i, &segment);
		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
			continue;
		for (uint64_t at = 0; at < segment.p_filesz;) {
			uint64_t pc = segment.p_vaddr + at, end;

			end = agrees_at(&b, pc);
			if (end > pc)
				agrees_at(&b, end - 1);
			at = end > pc ? end - segment.p_vaddr : at + 1;
			if (one_of > 1 && at / 4096 % one_of)
				at = (at / 4096 / one_of + 1) * 4096 * one_of;
		}
	}
	print_message("# %s: %zu rows\n", path, b.rows);
	assert_true(b.rows > 100);
	both_close(&b);
}

static void cfi_rows_of_libc_match_libdw(void **state)
{
	(void)state;
	agrees("/lib/x86_64-linux-gnu/libc.so.6", 1);
}

static void cfi_rows_of_zlib_match_libdw(void **state)
{
	(void)state;
	agrees("/lib/x86_64-linux-gnu/libz.so.1", 1);
}

static void cfi_rows_of_hotspot_17_match_libdw(void **state)
{
	const char *one = getenv("ONE_OF");

	(void)state;
	agrees(JDKS "java-17-openjdk-amd64/lib/server/libjvm.so",
	       one ? strtoul(one, NULL, 10) : 64);
}

static void cfi_rows_of_hotspot_25_match_libdw(void **state)
{
	const char *one = getenv("ONE_OF");

	(void)state;
	agrees(JDKS "temurin-25-jdk-amd64/lib/server/libjvm.so",
	       one ? strtoul(one, NULL, 10) : 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cfi_rows_of_libc_match_libdw),
		cmocka_unit_test(cfi_rows_of_zlib_match_libdw),
		cmocka_unit_test(cfi_rows_of_hotspot_17_match_libdw),
		cmocka_unit_test(cfi_rows_of_hotspot_25_match_libdw),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
