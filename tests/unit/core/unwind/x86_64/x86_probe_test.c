/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/x86_64/x86_probe.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define NONE SIZE_MAX

/* Starts of functions, as compilers wrote them. */
/* clang-format off */
static const struct {
	const char *text;
	size_t count; /* of arguments */
	size_t skip;
	uint8_t len, bytes[X86_PROBE_BYTES];
} all[] = {
	{ "malloc of glibc 2.36: push r12", 6, 0, 2, { 0x41, 0x54 } },
	{ "free of glibc 2.36: test rdi, rdi; je", 6, 3, 9,
	  { 0x48, 0x85, 0xff, 0x0f, 0x84, 0xbf, 0, 0, 0 } },
	{ "memalign of glibc 2.36: cmpb [rip + n], 0; je", 6, 7, 9,
	  { 0x80, 0x3d, 0x71, 0x0e, 0x14, 0, 0, 0x74, 7 } },
	{ "endbr64; push rbp", 6, 4, 6, { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x90 } },
	{ "cmpb [rdi], 0; je", 6, 3, 5, { 0x80, 0x3f, 0, 0x74, 1 } },
	{ "mov rax, rdi; push rbx", 6, 3, 5, { 0x48, 0x89, 0xf8, 0x53, 0x90 } },
	{ "mov rax, fs:[0]; jmp", 6, 9, 11,
	  { 0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0, 0xeb, 0 } },
	{ "mov [rsp - 8], rdi; nop", 6, 5, 7,
	  { 0x48, 0x89, 0x7c, 0x24, 0xf8, 0x90, 0x90 } },
	{ "mov r11d, 7; push rbx", 6, 6, 8,
	  { 0x41, 0xbb, 7, 0, 0, 0, 0x53, 0x90 } },
	{ "sub rsp, 24; call", 6, NONE, 9,
	  { 0x48, 0x83, 0xec, 0x18, 0xe8, 0, 0, 0, 0 } },
	{ "mov rdi, rsi; push rbx", 6, NONE, 5, { 0x48, 0x89, 0xf7, 0x53, 0x90 } },
	{ "xor esi, esi; push rbx", 6, NONE, 4, { 0x31, 0xf6, 0x53, 0x90 } },
	{ "mov r8d, 1; push rbx", 6, NONE, 8,
	  { 0x41, 0xb8, 1, 0, 0, 0, 0x53, 0x90 } },
	{ "lea rsp, [rsp - 8]; nop", 6, NONE, 7,
	  { 0x48, 0x8d, 0x64, 0x24, 0xf8, 0x90, 0x90 } },
	{ "ret", 6, NONE, 2, { 0xc3, 0x90 } },
	{ "test rdi, rdi, truncated", 6, NONE, 3, { 0x48, 0x85, 0xff } },
	{ "calloc of glibc 2.43: mov rax, rdi; mul rsi; jo", 2, 6, 12,
	  { 0x48, 0x89, 0xf8, 0x48, 0xf7, 0xe6, 0x0f, 0x80, 0x9c, 1, 0, 0 } },
	{ "the same, where rdx is an argument", 3, NONE, 12,
	  { 0x48, 0x89, 0xf8, 0x48, 0xf7, 0xe6, 0x0f, 0x80, 0x9c, 1, 0, 0 } },
	{ "realloc of glibc 2.43: mov r9, rsi; test rdi, rdi; je", 2, 6, 12,
	  { 0x49, 0x89, 0xf1, 0x48, 0x85, 0xff, 0x0f, 0x84, 0x44, 3, 0, 0 } },
	{ "shr rcx, 3; jne", 3, 4, 6, { 0x48, 0xc1, 0xe9, 3, 0x75, 0x2f } },
	{ "shr rdx, 3; jne", 3, NONE, 6, { 0x48, 0xc1, 0xea, 3, 0x75, 0x2f } },
	{ "free of jemalloc 5.3: mov, shr, and, add, cmp; jne", 1, 48, 54,
	  { 0x48, 0x89, 0xf8, 0x48, 0x8b, 0x15, 0x0e, 0x53, 0x0a, 0x00,
	    0x48, 0x89, 0xf9, 0x48, 0xc1, 0xe8, 0x1a, 0x48, 0x81, 0xe1,
	    0x00, 0x00, 0x00, 0xc0, 0x25, 0xf0, 0x00, 0x00, 0x00, 0x64,
	    0x48, 0x03, 0x04, 0x25, 0x00, 0x00, 0x00, 0x00, 0x48, 0x01,
	    0xd0, 0x48, 0x3b, 0x88, 0xb0, 0x01, 0x00, 0x00, 0x0f, 0x85,
	    0x8a, 0x00, 0x00, 0x00 } },
	{ "nothing", 6, NONE, 0, { 0 } },
};
/* clang-format on */

static void probe_follows_instructions_that_keep_the_arguments(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (x86_probe_skip(all[i].bytes, all[i].len, all[i].count) !=
		    all[i].skip)
			fail_msg("%s", all[i].text);
}

/* Opcodes by arch/x86/kernel/uprobes.c of Linux 5.8 and later. */
static void
instructions_that_the_kernel_steps_over_are_not_emulated(void **state)
{
	static const uint8_t stepped[][4] = {
		{ 0x48, 0x85, 0xff, 0 }, { 0xf3, 0x0f, 0x1e, 0xfa },
		{ 0x80, 0x3f, 0, 0 },    { 0x5b, 0xc3, 0, 0 },
		{ 0x41, 0x89, 0xf8, 0 }, { 0x0f, 0x10, 0x07, 0 },
		{ 0xff, 0x25, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(stepped) / sizeof(*stepped); i++)
		assert_false(x86_probe_is_emulated(stepped[i], 4));
	assert_false(x86_probe_is_emulated(NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			probe_follows_instructions_that_keep_the_arguments),
		cmocka_unit_test(
			instructions_that_the_kernel_steps_over_are_not_emulated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
