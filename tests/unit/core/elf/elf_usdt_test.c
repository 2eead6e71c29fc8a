/* SPDX-License-Identifier: Apache-2.0 */
/* The notes themselves are read by tests of gc and prof. */
#include "core/elf/elf_usdt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { RAX = 0, RDX = 1, RBX = 3, RDI = 5, RBP = 6, RSP = 7, R8 = 8, R15 = 15 };

static void places_have_the_registers_and_sizes_of_their_text(void **state)
{
	static const struct elf_usdt_argument wanted[] = {
		{ .bytes = 8, .reg = RDI },
		{ .bytes = 4, .is_signed = true, .reg = RDX },
		{ .bytes = 2, .reg = R8 },
		{ .bytes = 1, .is_signed = true, .reg = RBX },
		{ .bytes = 8, .is_memory = true, .reg = RSP },
		{ .bytes = 4, .is_memory = true, .reg = RBP, .offset = -20 },
		{ .bytes = 8, .is_memory = true, .reg = R15, .offset = 0x18 },
		{ .bytes = 8, .is_constant = true, .offset = 16384 },
		{ .bytes = 4,
		  .is_signed = true,
		  .is_constant = true,
		  .offset = -1 },
	};
	struct elf_usdt_argument is[9];

	(void)state;
	assert_true(elf_usdt_parse("8@%rdi -4@%edx 2@%r8w -1@%bl 8@(%rsp) "
				   "4@-20(%rbp)  8@24(%r15) 8@$16384 -4@$-1",
				   is, 9));
	for (size_t i = 0; i < 9; i++) {
		assert_int_equal(is[i].bytes, wanted[i].bytes);
		assert_int_equal(is[i].is_signed, wanted[i].is_signed);
		assert_int_equal(is[i].is_constant, wanted[i].is_constant);
		assert_int_equal(is[i].is_memory, wanted[i].is_memory);
		assert_int_equal(is[i].reg, wanted[i].reg);
		assert_int_equal(is[i].offset, wanted[i].offset);
	}
	/* More arguments than are wanted. */
	assert_true(elf_usdt_parse("8@%rax nonsense", is, 1));
	assert_int_equal(is[0].reg, RAX);
}

static void places_of_other_forms_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"8",
		"8@",
		"@%rdi",
		"3@%rdi",
		"16@%rdi",
		"-9223372036854775808@%rdi",
		"8%rdi",
		"8@%xmm0",
		"8@%",
		"8@rdi",
		"8@%rdi,",
		"8@4(%rdi",
		"8@4(",
		"8@4",
		"8@4(%rdi)x",
		"8@(%rax,%rbx)",
		"8@(%rax,%rbx,8)",
		"8@name(%rip)",
	};
	struct elf_usdt_argument is[2];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(elf_usdt_parse(texts[i], is, 1));
	assert_false(elf_usdt_parse("8@%rdi", is, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			places_have_the_registers_and_sizes_of_their_text),
		cmocka_unit_test(places_of_other_forms_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
