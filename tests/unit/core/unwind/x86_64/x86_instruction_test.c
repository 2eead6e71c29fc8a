/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/x86_64/x86_instruction.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* As assemblers encode them, one instruction per row. */
/* clang-format off */
static const struct {
	const char *text;
	uint8_t len, bytes[15];
} all[] = {
	{ "push rbp", 1, { 0x55 } },
	{ "push r12", 2, { 0x41, 0x54 } },
	{ "sub rsp, 32", 4, { 0x48, 0x83, 0xec, 0x20 } },
	{ "add rsp, 0xa80", 7, { 0x48, 0x81, 0xc4, 0x80, 0x0a, 0, 0 } },
	{ "mov [rsp - 0x14000], eax", 7, { 0x89, 0x84, 0x24, 0, 0xc0, 0xfe, 0xff } },
	{ "movabs r8, 1", 10, { 0x49, 0xb8, 1, 0, 0, 0, 0, 0, 0, 0 } },
	{ "mov ecx, 7", 5, { 0xb9, 7, 0, 0, 0 } },
	{ "mov cx, 7", 4, { 0x66, 0xb9, 7, 0 } },
	{ "movabs al, [1]", 9, { 0xa0, 1, 0, 0, 0, 0, 0, 0, 0 } },
	{ "mov rsp, [r15 + 0x618]", 7, { 0x49, 0x8b, 0xa7, 0x18, 6, 0, 0 } },
	{ "mov rax, [rip + 9]", 7, { 0x48, 0x8b, 0x05, 9, 0, 0, 0 } },
	{ "mov rax, [4 * rcx + 9]", 8, { 0x48, 0x8b, 0x04, 0x8d, 9, 0, 0, 0 } },
	{ "lea rsp, [rbp - 40]", 4, { 0x48, 0x8d, 0x65, 0xd8 } },
	{ "cmp qword [r15 + 8], 0", 8, { 0x49, 0x81, 0x7f, 8, 0, 0, 0, 0 } },
	{ "test eax, 5", 5, { 0xa9, 5, 0, 0, 0 } },
	{ "test cl, 5", 3, { 0xf6, 0xc1, 5 } },
	{ "not cl", 2, { 0xf6, 0xd1 } },
	{ "test esp, 15", 6, { 0xf7, 0xc4, 15, 0, 0, 0 } },
	{ "neg rax", 3, { 0x48, 0xf7, 0xd8 } },
	{ "enter 16, 1", 4, { 0xc8, 16, 0, 1 } },
	{ "ret 8", 3, { 0xc2, 8, 0 } },
	{ "call", 5, { 0xe8, 1, 2, 3, 4 } },
	{ "ja", 6, { 0x0f, 0x87, 1, 0, 0, 0 } },
	{ "jmp short", 2, { 0xeb, 0xfe } },
	{ "jmp rcx", 2, { 0xff, 0xe1 } },
	{ "ud2", 2, { 0x0f, 0x0b } },
	{ "nopw cs:[rax + rax]", 10, { 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 } },
	{ "lock cmpxchg [rbx], rdi", 5, { 0xf0, 0x48, 0x0f, 0xb1, 0x3b } },
	{ "bt eax, 3", 4, { 0x0f, 0xba, 0xe0, 3 } },
	{ "pshufb xmm0, xmm1", 5, { 0x66, 0x0f, 0x38, 0, 0xc1 } },
	{ "palignr xmm0, xmm1, 4", 6, { 0x66, 0x0f, 0x3a, 0x0f, 0xc1, 4 } },
	{ "fxrstor64 [rsp]", 5, { 0x48, 0x0f, 0xae, 0x0c, 0x24 } },
	{ "vzeroupper", 3, { 0xc5, 0xf8, 0x77 } },
	{ "vmovdqu xmm1, [rsp + 16]", 6, { 0xc5, 0xfa, 0x6f, 0x4c, 0x24, 0x10 } },
	{ "vpshufd xmm0, xmm1, 3", 5, { 0xc5, 0xf9, 0x70, 0xc1, 3 } },
	{ "vpalignr ymm0, ymm1, ymm2, 4", 6, { 0xc4, 0xe3, 0x75, 0x0f, 0xc2, 4 } },
	{ "vaesenc", 5, { 0xc4, 0xe2, 0x71, 0xdc, 0xc2 } },
	{ "vmovdqu64 [r11] {k7}, ymm0", 6, { 0x62, 0xd1, 0xfe, 0x2f, 0x7f, 0x03 } },
	{ "vpternlogq zmm0, zmm1, zmm2, 1", 7, { 0x62, 0xf3, 0xf5, 0x48, 0x25, 0xc2, 1 } },
};
/* clang-format on */

static void x86_instruction_has_the_right_length(void **state)
{
	struct x86_instruction i;

	(void)state;
	for (size_t n = 0; n < sizeof(all) / sizeof(*all); n++) {
		bool is_one = x86_instruction_at(all[n].bytes, all[n].len, 0,
						 &i);

		if (!is_one || i.length != all[n].len)
			fail_msg("%s: %d of %d bytes", all[n].text,
				 is_one ? i.length : -1, all[n].len);
		/* A truncated instruction is invalid. */
		for (size_t len = 0; len < all[n].len; len++)
			if (x86_instruction_at(all[n].bytes, len, 0, &i) &&
			    i.length > len)
				fail_msg("%s, cut to %zu", all[n].text, len);
	}
}

static void invalid_x86_instruction_has_no_length(void **state)
{
	static const uint8_t invalid[][2] = {
		{ 0x06 }, { 0x27 }, { 0x60 },       { 0x82, 0xc0 },
		{ 0x9a }, { 0xea }, { 0x0f, 0x04 }, { 0xd6 },
	};
	static const uint8_t prefixes[] = { 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
					    0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
					    0x66, 0x66, 0x66, 0x90 };
	struct x86_instruction i;
	uint8_t bytes[16];

	(void)state;
	for (size_t n = 0; n < sizeof(invalid) / sizeof(*invalid); n++) {
		memset(bytes, 0, sizeof(bytes));
		memcpy(bytes, invalid[n], 2);
		assert_false(x86_instruction_at(bytes, sizeof(bytes), 0, &i));
	}
	assert_false(x86_instruction_at(prefixes, sizeof(prefixes), 0, &i));
	assert_true(x86_instruction_at(prefixes, sizeof(prefixes), 1, &i));
	assert_false(x86_instruction_at(prefixes, 4, 4, &i));
}

static void x86_instruction_has_its_parts(void **state)
{
	static const uint8_t lea[] = { 0x48, 0x8d, 0x65, 0xd8 };
	static const uint8_t load[] = { 0x4c, 0x8b, 0x64, 0xcc, 0xf8 };
	static const uint8_t jump[] = { 0xe9, 0xfb, 0xff, 0xff, 0xff };
	struct x86_instruction i;

	(void)state;
	assert_true(x86_instruction_at(lea, sizeof(lea), 0, &i));
	assert_int_equal(i.reg, 4);
	assert_int_equal(i.base, 5);
	assert_int_equal(i.displacement, -40);
	assert_int_equal(i.rex, X86_REX_W);
	assert_true(x86_instruction_at(load, sizeof(load), 0, &i));
	assert_int_equal(i.reg, 12);
	assert_int_equal(i.base, 4);
	assert_true(i.has_index);
	assert_int_equal(i.displacement, -8);
	assert_true(x86_instruction_at(jump, sizeof(jump), 0, &i));
	assert_int_equal(i.immediate, -5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_instruction_has_the_right_length),
		cmocka_unit_test(invalid_x86_instruction_has_no_length),
		cmocka_unit_test(x86_instruction_has_its_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
