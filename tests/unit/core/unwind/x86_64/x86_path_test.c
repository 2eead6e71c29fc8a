/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/x86_64/x86_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t leaf[] = {
	0x55,                   /* 0: push rbp */
	0x48, 0x89, 0xe5,       /* 1: mov rbp, rsp */
	0x53,                   /* 4: push rbx */
	0x48, 0x83, 0xec, 0x18, /* 5: sub rsp, 24 */
	0xff, 0xd0,             /* 9: call rax */
	0x48, 0x83, 0xc4, 0x18, /* 11: add rsp, 24 */
	0x5b,                   /* 15: pop rbx */
	0x5d,                   /* 16: pop rbp */
	0xc3,                   /* 17: ret */
};

static void x86_path_finds_the_return_from_any_instruction(void **state)
{
	static const struct {
		uint8_t at;
		int return_address, saved_fp; /* -1 = not saved */
	} places[] = { { 0, 0, -1 },  { 1, 8, 0 },   { 4, 8, 0 },
		       { 5, 16, 8 },  { 9, 40, 32 }, { 11, 40, 32 },
		       { 15, 16, 8 }, { 16, 8, 0 },  { 17, 0, -1 } };
	struct machine_code code = { leaf, sizeof(leaf) };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(places) / sizeof(*places); i++) {
		size_t n = i / 2;
		struct code_path path;

		(i & 1 ? x86_straight : x86_search)(&code, places[n].at, &path);
		assert_true(path.is_return);
		assert_false(path.return_address.is_from_fp);
		assert_int_equal(path.return_address.offset,
				 places[n].return_address);
		assert_int_equal(path.has_saved_fp, places[n].saved_fp >= 0);
		if (path.has_saved_fp)
			assert_int_equal(path.saved_fp.offset,
					 places[n].saved_fp);
	}
}

static void x86_path_follows_leave(void **state)
{
	/* and rsp, -16; call rax; leave; add rsp, 8; ret */
	static const uint8_t bytes[] = { 0x48, 0x83, 0xe4, 0xf0, 0xff, 0xd0,
					 0xc9, 0x48, 0x83, 0xc4, 8,    0xc3 };
	struct machine_code code = { bytes, sizeof(bytes) };
	struct code_path path;

	(void)state;
	x86_search(&code, 0, &path);
	assert_true(path.is_return);
	assert_true(path.return_address.is_from_fp);
	assert_int_equal(path.return_address.offset, 16);
	assert_true(path.has_saved_fp && path.saved_fp.is_from_fp);
	assert_int_equal(path.saved_fp.offset, 0);
	/* The code after it has no saved BP. */
	x86_search(&code, 7, &path);
	assert_false(path.return_address.is_from_fp);
	assert_int_equal(path.return_address.offset, 8);
}

static void x86_path_counts_stack_released_before_a_jump(void **state)
{
	/* push rcx; push r8; call; pop rcx; pop rcx; je; jmp */
	static const uint8_t bytes[] = { 0x51, 0x41, 0x50, 0xe8, 0,    0,
					 0,    0,    0x59, 0x59, 0x74, 0,
					 0xe9, 0,    0,    0,    0x10 };
	static const struct {
		uint8_t at;
		int given;
	} places[] = { { 0, 0 },  { 1, 8 }, { 3, 16 },
		       { 8, 16 }, { 9, 8 }, { 10, 0 } };
	struct machine_code code = { bytes, sizeof(bytes) };
	struct code_path path;

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		x86_straight(&code, places[i].at, &path);
		assert_false(path.is_return);
		assert_int_equal(path.given_back, places[i].given);
	}
}

static void x86_path_ignores_a_slot_that_is_stored_later(void **state)
{
	/* 0: sub rsp, 16; 4: mov [rsp + 8], rbp; 9: add rsp, 8; pop; ret */
	static const uint8_t bytes[] = { 0x48, 0x83, 0xec, 0x10, 0x48,
					 0x89, 0x6c, 0x24, 8,    0x48,
					 0x83, 0xc4, 8,    0x5d, 0xc3 };
	struct machine_code code = { bytes, sizeof(bytes) };
	struct code_path path;

	(void)state;
	x86_straight(&code, 4, &path);
	assert_true(path.is_return && !path.has_saved_fp);
	assert_int_equal(path.return_address.offset, 16);
	x86_straight(&code, 9, &path);
	assert_true(path.is_return && path.has_saved_fp);
	assert_int_equal(path.saved_fp.offset, 8);
}

static void x86_search_follows_both_directions_of_a_jump(void **state)
{
	/* 0: jne 6; 2: mov rsp, rcx; 5: hlt; 6: jmp 12; 12: pop rax; ret */
	static const uint8_t bytes[] = {
		0x75, 4, 0x48, 0x8b, 0xe1, 0xf4, 0xe9,
		1,    0, 0,    0,    0xf4, 0x58, 0xc3
	};
	struct machine_code code = { bytes, sizeof(bytes) };
	struct code_path path;

	(void)state;
	x86_search(&code, 0, &path);
	assert_true(path.is_return);
	assert_int_equal(path.return_address.offset, 8);
	x86_straight(&code, 0, &path);
	assert_false(path.is_return);
	/* A return at an unknown SP gives no address. */
	x86_search(&code, 2, &path);
	assert_false(path.is_return);
}

static void x86_search_ends_at_its_limit(void **state)
{
	static uint8_t bytes[70000];
	struct machine_code code = { bytes, sizeof(bytes) };
	struct code_path path;

	(void)state;
	/* Jumps to themselves, to each other, out of the code. */
	memset(bytes, 0xeb, sizeof(bytes));
	x86_search(&code, 7, &path);
	assert_false(path.is_return);
	memset(bytes, 0x75, sizeof(bytes));
	x86_search(&code, 7, &path);
	assert_false(path.is_return);
	/* Each jumps to the next: as many paths as instructions. */
	for (size_t i = 0; i + 1 < sizeof(bytes); i += 2) {
		bytes[i] = 0xeb;
		bytes[i + 1] = 0;
	}
	x86_search(&code, 0, &path);
	assert_false(path.is_return);
	memset(bytes, 0x50, sizeof(bytes));
	x86_search(&code, 7, &path);
	assert_false(path.is_return);
	x86_straight(&code, 7, &path);
	assert_false(path.is_return);
	x86_search(&code, sizeof(bytes), &path);
	x86_straight(&code, sizeof(bytes) + 9, &path);
	assert_false(path.is_return);
	assert_int_equal(path.given_back, 0);
	/* A truncated sum is ignored: pops, far from any jump. */
	memset(bytes, 0x58, sizeof(bytes));
	x86_straight(&code, 0, &path);
	assert_int_equal(path.given_back, 0);
	bytes[20] = 0xe9;
	x86_straight(&code, 0, &path);
	assert_int_equal(path.given_back, 160);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			x86_path_finds_the_return_from_any_instruction),
		cmocka_unit_test(x86_path_follows_leave),
		cmocka_unit_test(x86_path_counts_stack_released_before_a_jump),
		cmocka_unit_test(x86_path_ignores_a_slot_that_is_stored_later),
		cmocka_unit_test(x86_search_follows_both_directions_of_a_jump),
		cmocka_unit_test(x86_search_ends_at_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
