/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/unwinder.h"
#include "tests/unit/walked_thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void compiled_frame_is_left_from_any_instruction(void **state)
{
	static const struct {
		int at, sp;
	} places[] = {
		{ 0, LEAF + 5 },
		{ PUSH, LEAF + 5 },
		{ SUB, LEAF + 4 },
		{ BODY, LEAF },
		{ RETURN, LEAF },
		{ ADD, LEAF },
		{ POP, LEAF + 4 },
		{ POLL, LEAF + 5 },
		{ JUMP, LEAF + 5 },
		{ RET, LEAF + 5 },
		{ SPILLED - 5, LEAF - 16 },
		{ SPILLED, LEAF - 16 },
	};
	struct walked_thread *p = *state;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		walked_walk(p, p->callee + (uint64_t)places[i].at,
			    places[i].sp);
		assert_int_equal(p->u.frames[0].kind, UNWOUND_COMPILED);
		assert_true(p->u.frames[0].is_exact);
		assert_int_equal(p->u.frames[0].blob->begin, p->callee);
		assert_int_equal(p->u.frames[0].blob->compile_id, 7);
		walked_is_whole(p, 1);
	}
}

static void deoptimized_frame_has_its_original_pc(void **state)
{
	struct walked_thread *p = *state;

	p->image.stack[CALLER - 1] = p->caller + DEOPT;
	p->image.stack[CALLER + 1] = p->caller + RETURN;
	walked_walk(p, p->callee + BODY, LEAF);
	walked_is_whole(p, 1);
	/* The slot has an unrelated value otherwise. */
	p->image.stack[CALLER + 1] = p->interpreter;
	walked_walk(p, p->callee + BODY, LEAF);
	assert_int_equal(p->u.frames[1].pc, p->caller + DEOPT);
}

static void stale_value_in_a_slot_is_not_a_return_address(void **state)
{
	/* Offset in the code, and number of pushed words there. */
	static const int places[][2] = { { 0, 0 }, { 1, 1 }, { 3, 2 },
					 { 8, 2 }, { 9, 1 }, { 10, 0 } };
	struct walked_thread *p = *state;

	/* The slots of the return address without the pushed words. */
	p->image.stack[CALLER - 2] = p->callee + RETURN;
	p->image.stack[CALLER - 3] = p->callee + RETURN;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		walked_walk(p, p->callee + PUSHES + (uint64_t)places[i][0],
			    LEAF - places[i][1]);
		walked_is_whole(p, 1);
	}
}

static void native_wrapper_is_left_after_its_epilogue(void **state)
{
	/* 0: leave; 1: cmp qword [r15 + 8], 0; 9: jne; 11: ret; jmp */
	static const uint8_t code[] = { 0xc9, 0x49, 0x81, 0x7f, 8,    0,
					0,    0,    0,    0x75, 1,    0xc3,
					0xe9, 0,    0,    0,    0x10, 0x90 };
	struct walked_thread *p = *state;
	struct image_blob b = { .name = "native nmethod",
				.code = code,
				.len = sizeof(code),
				.frame_words = 4,
				.frame_complete = 0,
				.original_pc = -1 };
	uint64_t wrapper = hotspot_image_blob(&p->image, &b);
	struct unwind_start from = walked_start_at(p, wrapper, CALLER - 8);

	/* The stack as if the frame still existed. */
	p->image.stack[CALLER + 2] = p->caller + RETURN;
	walked_walk(p, wrapper + 1, CALLER - 1);
	walked_is_whole(p, 1);
	walked_walk(p, wrapper + 9, CALLER - 1);
	walked_is_whole(p, 1);
	walked_walk(p, wrapper + 11, CALLER - 1);
	walked_is_whole(p, 1);
	/* SP was aligned for a call. */
	from.registers[DWARF_BP] = walked_word(CALLER - 2);
	p->image.stack[CALLER - 5] = p->caller + RETURN;
	unwinder_walk(p->image.unwinder, &from, &p->u);
	walked_is_whole(p, 1);
}

static void entry_barrier_has_a_mark_below_its_return_address(void **state)
{
	/* 0: call rax; 2: leave; 3: add rsp, 8; 7: ret */
	static const uint8_t code[] = { 0xff, 0xd0, 0xc9, 0x48,
					0x83, 0xc4, 8,    0xc3 };
	struct walked_thread *p = *state;
	uint64_t *stack = p->image.stack;
	uint64_t barrier = walked_add(p, "StubRoutines (finalstubs)", code,
				      sizeof(code));

	stack[CALLER - 14] = walked_word(CALLER - 3);
	stack[CALLER - 13] = barrier + 2;
	stack[CALLER - 10] = p->caller + RETURN;
	stack[CALLER - 2] = UINT64_MAX;
	walked_walk(p, p->callee + BODY, CALLER - 18);
	assert_int_equal(p->u.frames[1].kind, UNWOUND_GENERATED);
	walked_is_whole(p, 2);
	/* The interpreter itself is running. */
	stack[CALLER - 3] = 0x77;
	walked_walk(p, barrier + 3, CALLER - 2);
	walked_is_whole(p, 1);
}

static void method_handle_linker_has_no_frame(void **state)
{
	/* mov; mov; jmp rcx */
	static const uint8_t code[] = { 0x48, 0x8b, 0x5b, 8,    0x48,
					0x8b, 0x4b, 0x40, 0xff, 0xe1 };
	struct walked_thread *p = *state;
	struct image_blob b = { .name = "native nmethod",
				.code = code,
				.len = sizeof(code),
				.frame_complete = 200,
				.original_pc = -1 };
	uint64_t linker = hotspot_image_blob(&p->image, &b);

	for (uint64_t at = 0; at < 9; at += 4) {
		walked_walk(p, linker + at, CALLER - 1);
		walked_is_whole(p, 1);
		assert_int_equal(p->u.frames[0].kind, UNWOUND_COMPILED);
	}
}

static void interpreted_method_returns_by_registers(void **state)
{
	/* 0: pop r13; 2: mov rsp, rbx; 5: jmp r13 */
	static const uint8_t code[] = { 0x41, 0x5d, 0x48, 0x8b,
					0xe3, 0x41, 0xff, 0xe5 };
	static const struct {
		uint8_t at, sp;
		bool is_popped;
	} places[] = { { 0, CALLER - 4, false },
		       { 2, CALLER - 3, true },
		       { 5, CALLER, true } };
	struct walked_thread *p = *state;
	uint64_t end = walked_add(p, "Interpreter", code, sizeof(code));

	for (size_t i = 0; i < 3; i++) {
		struct unwind_start from = walked_start_at(
			p, end + places[i].at, places[i].sp);

		p->image.stack[CALLER - 4] = p->caller + RETURN;
		from.registers[DWARF_BX] = walked_word(CALLER);
		from.registers[13] = places[i].is_popped ? p->caller + RETURN
							 : 5;
		unwinder_walk(p->image.unwinder, &from, &p->u);
		walked_is_whole(p, 1);
	}
}

static void unfinished_interpreter_frame_has_its_senders_sp(void **state)
{
	struct walked_thread *p = *state;
	struct unwind_start from = walked_start_at(p, p->interpreter + 9,
						   CALLER - 8);
	uint64_t *stack = p->image.stack;

	/*
	 * At a method's entry: a base, the caller's SP, and no method in the
	 * slot.
	 */
	stack[CALLER - 6] = walked_word(BASE);
	stack[CALLER - 5] = p->caller + RETURN;
	stack[CALLER - 7] = walked_word(CALLER);
	from.registers[DWARF_BP] = walked_word(CALLER - 6);
	from.registers[13] = p->bytecodes;
	unwinder_walk(p->image.unwinder, &from, &p->u);
	walked_is_whole(p, 1);
	/* The same for a frame that deoptimization builds. */
	stack[CALLER - 12] = walked_word(CALLER - 6);
	stack[CALLER - 11] = p->interpreter + 9;
	walked_walk(p, p->callee + BODY, CALLER - 16);
	assert_int_equal(p->u.frames[1].kind, UNWOUND_GENERATED);
	walked_is_whole(p, 2);
}

static void adapter_has_its_callers_sp_in_r13(void **state)
{
	/* 0: mov rsp, r13; 3: lea r13, [rsp + 8]; 8: pop rax; 9: sub rsp, 16;
	   13: push rax; 14: mov [rsp + 8], rsi; 19: jmp rcx */
	static const uint8_t code[] = { 0x49, 0x8b, 0xe5, 0x4c, 0x8d, 0x6c,
					0x24, 0x08, 0x58, 0x48, 0x83, 0xec,
					0x10, 0x50, 0x48, 0x89, 0x74, 0x24,
					0x08, 0xff, 0xe1 };
	struct walked_thread *p = *state;

	p->image.stack[CALLER - 9] = p->callee + RETURN;
	for (int i = 0; i < 2; i++) {
		uint64_t adapter = walked_add(
			p, i ? "MethodHandles adapters" : "I2C/C2I adapters",
			code, sizeof(code));
		struct unwind_start from = walked_start_at(p, adapter + 14,
							   CALLER - 3);

		/* Its arguments are at the old place of the return address. */
		p->image.stack[CALLER - 3] = p->caller + RETURN;
		p->image.stack[CALLER - 1] = 5;
		from.registers[13] = walked_word(CALLER);
		unwinder_walk(p->image.unwinder, &from, &p->u);
		walked_is_whole(p, 1);
		/* Around a call, R13 has SP; an old return address is below. */
		p->image.stack[CALLER - 1] = p->caller + RETURN;
		from = walked_start_at(p, adapter, CALLER - 9);
		from.registers[13] = walked_word(CALLER - 1);
		unwinder_walk(p->image.unwinder, &from, &p->u);
		walked_is_whole(p, 1);
	}
}

/*
 * lea r13, [rsp + 8]; 5: pop rax; 6: sub rsp, 16; 10: push rax; 11: mov rax,
 * [rsp + 8]; jmp rcx; as JDK 25 has it
 */
static const uint8_t now[] = { 0x4c, 0x8d, 0x6c, 0x24, 8,    0x58,
			       0x48, 0x83, 0xec, 0x10, 0x50, 0x48,
			       0x8b, 0x44, 0x24, 8,    0xff, 0xe1 };

/*
 * The return address is in AX while room is reserved for arguments; the copy
 * has nothing below SP.
 */
static void adapter_pops_the_return_address(void **state)
{
	/* nop; 5: pop rax; 6: mov r13, rsp; 9: sub rsp, 16; 13: mov [rsp],
	   rax; mov [rsp + 8], rsi; jmp rcx; 17 */
	static const uint8_t then[] = { 0x90, 0x90, 0x90, 0x90, 0x90, 0x58,
					0x4c, 0x8b, 0xec, 0x48, 0x83, 0xec,
					0x10, 0x48, 0x89, 0x04, 0x24, 0x48,
					0x89, 0x74, 0x24, 8,    0xff, 0xe1 };
	static const struct {
		const uint8_t *code;
		uint32_t len;
		int at, sp, r13;
	} places[] = {
		{ now, sizeof(now), 5, CALLER - 1, CALLER },
		{ now, sizeof(now), 6, CALLER, CALLER },
		{ now, sizeof(now), 10, CALLER - 2, CALLER },
		{ then, sizeof(then), 5, CALLER - 1, 3 },
		{ then, sizeof(then), 6, CALLER, 3 },
		{ then, sizeof(then), 9, CALLER, CALLER },
		{ then, sizeof(then), 13, CALLER - 2, CALLER },
	};
	struct walked_thread *p = *state;

	/* The old contents of the slot. */
	p->image.stack[CALLER - 2] = p->callee + RETURN;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t adapter = walked_add(p, "I2C/C2I adapters",
					      places[i].code, places[i].len);
		struct unwind_start from = walked_start_at(
			p, adapter + (uint64_t)places[i].at, places[i].sp);

		from.registers[13] = walked_word(places[i].r13);
		from.registers[DWARF_AX] = p->caller + RETURN;
		unwinder_walk(p->image.unwinder, &from, &p->u);
		assert_int_equal(p->u.frames[1].sp, walked_word(CALLER));
		walked_is_whole(p, 1);
	}
}

/* A method's entry pops it as well and then reserves room for locals. */
static void method_entry_pops_the_return_address(void **state)
{
	static const struct {
		uint64_t at;
		int sp;
	} places[] = { { 200, CALLER - 1 }, { 201, CALLER },
		       { 208, CALLER },     { 215, CALLER - 2 },
		       { 217, CALLER - 3 }, { 219, CALLER - 3 } };
	struct walked_thread *p = *state;

	p->image.stack[CALLER - 2] = p->callee + RETURN;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct unwind_start from = walked_start_at(
			p, p->interpreter + places[i].at, places[i].sp);

		from.registers[13] = walked_word(CALLER);
		from.registers[DWARF_AX] = p->caller + RETURN;
		from.registers[DWARF_BX] = p->method;
		unwinder_walk(p->image.unwinder, &from, &p->u);
		assert_int_equal(p->u.frames[0].method, p->method);
		walked_is_whole(p, 1);
	}
}

/* A register of a frame's callee is not used for the frame. */
static void leaf_register_is_not_its_callers(void **state)
{
	struct walked_thread *p = *state;
	uint64_t adapter = walked_add(p, "I2C/C2I adapters", now, sizeof(now));
	struct unwind_start from;

	p->image.stack[CALLER - 2] = adapter + 16;
	from = walked_start_at(p, p->callee + RETURN, CALLER - 7);
	from.registers[13] = walked_word(CALLER + 2);
	unwinder_walk(p->image.unwinder, &from, &p->u);
	assert_int_equal(p->u.frames[1].pc, adapter + 16);
	assert_int_equal(p->u.frames[2].sp, walked_word(CALLER));
	walked_is_whole(p, 2);
}

/*
 * A method that may use the stack's reserved zone checks for that at its end.
 */
static void epilogue_that_jumps_is_an_epilogue(void **state)
{
	/* push; sub rsp, 32; 5: call; 10: add; 14: pop; 15: cmp rsp, [r15];
	   19: jb 39; 21: sub rsp, 8; call; add; 34: jmp; 39: ret */
	static const uint8_t code[] = {
		0x55, 0x48, 0x83, 0xec, 0x20, 0xe8, 0,    0,    0,    0,
		0x48, 0x83, 0xc4, 0x20, 0x5d, 0x49, 0x3b, 0x67, 0x28, 0x72,
		18,   0x48, 0x83, 0xec, 8,    0xe8, 0,    0,    0,    0,
		0x48, 0x83, 0xc4, 8,    0xe9, 0,    0,    0,    0x7f, 0xc3
	};
	static const struct {
		int at, sp;
	} places[] = { { 10, LEAF },
		       { 14, LEAF + 4 },
		       { 15, LEAF + 5 },
		       { 19, LEAF + 5 },
		       { 39, LEAF + 5 } };
	struct walked_thread *p = *state;
	struct image_blob b = walked_method;
	uint64_t method;

	b.code = code;
	b.len = sizeof(code);
	b.frame_complete = 5;
	method = hotspot_image_blob(&p->image, &b);
	/* This would be the caller if the frame were complete. */
	p->image.stack[LEAF + 4 + 5] = p->callee + RETURN;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		walked_walk(p, method + (uint64_t)places[i].at, places[i].sp);
		walked_is_whole(p, 1);
	}
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(compiled_frame_is_left_from_any_instruction),
		BOTH(deoptimized_frame_has_its_original_pc),
		BOTH(stale_value_in_a_slot_is_not_a_return_address),
		BOTH(native_wrapper_is_left_after_its_epilogue),
		BOTH(entry_barrier_has_a_mark_below_its_return_address),
		BOTH(method_handle_linker_has_no_frame),
		BOTH(interpreted_method_returns_by_registers),
		BOTH(unfinished_interpreter_frame_has_its_senders_sp),
		BOTH(adapter_has_its_callers_sp_in_r13),
		BOTH(adapter_pops_the_return_address),
		BOTH(method_entry_pops_the_return_address),
		BOTH(leaf_register_is_not_its_callers),
		BOTH(epilogue_that_jumps_is_an_epilogue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
