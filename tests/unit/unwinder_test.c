/* SPDX-License-Identifier: Apache-2.0 */
#include "core/native/unwind/unwinder.h"
#include "tests/unit/hotspot_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * A method as C1 or C2 compiles it: a frame of six words, a call, an end with a
 * poll, a call out of line with 128 bytes for registers, and one of a routine
 * that is handed two words on the stack.
 */
enum {
	PUSH = 7,
	SUB = 8,
	BODY = 12,
	RETURN = 17, /* where its call returns to */
	ADD = 20,
	POP = 24,
	POLL = 25,
	JUMP = 32,
	RET = 38,
	SPILLED = 51,
	DEOPT = 63,
	PUSHES = 65,
};

static const uint8_t compiled_code[] = {
	0x89, 0x84, 0x24, 0,    0xc0, 0xfe, 0xff,       /* bang */
	0x55, 0x48, 0x83, 0xec, 0x20,                   /* push; sub */
	0xe8, 1,    2,    3,    4,    0x90, 0x90, 0x90, /* call */
	0x48, 0x83, 0xc4, 0x20, 0x5d,                   /* add; pop */
	0x49, 0x3b, 0xa7, 0x40, 3,    0,    0,          /* cmp */
	0x0f, 0x87, 0,    0,    0,    0,    0xc3,       /* ja; ret */
	0x48, 0x81, 0xec, 0x80, 0,    0,    0,          /* sub */
	0xe8, 1,    2,    3,    4,                      /* call */
	0x48, 0x81, 0xc4, 0x80, 0,    0,    0,          /* add */
	0xe9, 0,    0,    0,    0,    0x90, 0x90,       /* jmp */
	0x51, 0x41, 0x50, 0xe8, 1,    2,    3,    4,    /* push; push; call */
	0x59, 0x59, 0x75, 0,    0xe9, 0,    0,    0,    0, /* pop; pop; jne */
};
static const uint8_t stub_code[64] = { 0x55, 0x48, 0x8b, 0xec, 0x90,
				       0xff, 0xd1, 0x90, 0xc9, 0xc3 };
/* 200: pop rax; lea; test; 208: jle; push 0; dec; 217: jg; push rax; push rbp
 */
static const uint8_t interpreter_code[256] = {
	[0] = 0x90, [200] = 0x58, 0x4c, 0x8d, 0x74, 0xcc, 0xf8, 0x85,
	0xd2,       0x7e,         9,    0x68, 0,    0,    0,    0,
	0xff,       0xca,         0x7f, 0xf7, 0x50, 0x55,
};
enum { STUB_RETURN = 7 };

/* A thread: C, call_stub, an interpreted method, two compiled ones. */
enum { LEAF = 32, CALLER = 38, BASE = 60, STUB_BASE = 70, NATIVE_BASE = 80 };

struct place {
	struct hotspot_image image;
	struct unwound u;
	uint64_t callee, caller, interpreter, stub;
	uint64_t method, bytecodes;
};

static uint64_t word(int at) { return HOTSPOT_STACK + 8 * (uint64_t)at; }

static const struct image_blob compiled = {
	.name = "nmethod",
	.code = compiled_code,
	.len = sizeof(compiled_code),
	.frame_words = 6,
	.frame_complete = BODY,
	.compile_id = 7,
	.original_pc = 8,
	.deopt = DEOPT,
};

static uint64_t add(struct place *p, const char *name, const uint8_t *code,
		    uint32_t len)
{
	struct image_blob b = {
		.name = name, .code = code, .len = len, .frame_complete = -1
	};

	return hotspot_image_blob(&p->image, &b);
}

/* JDK 17 or 25 as the test's state says; the stack of the thread above. */
static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	uint64_t *stack = p->image.stack;

	hotspot_image_init(&p->image, *(const int *)*state);
	p->stub = add(p, "StubRoutines (1)", stub_code, sizeof(stub_code));
	p->interpreter = add(p, "Interpreter", interpreter_code,
			     sizeof(interpreter_code));
	p->caller = hotspot_image_blob(&p->image, &compiled);
	p->callee = hotspot_image_blob(&p->image, &compiled);
	p->method = hotspot_image_method(&p->image, 40, &p->bytecodes);
	hotspot_image_open(&p->image);
	stack[CALLER - 1] = p->caller + RETURN;
	stack[CALLER + 4] = word(BASE);
	stack[CALLER + 5] = p->interpreter + 99;
	stack[BASE - 8] = p->bytecodes + 12;
	stack[BASE - 3] = p->method;
	stack[BASE - 1] = word(BASE + 2);
	stack[BASE] = word(STUB_BASE);
	stack[BASE + 1] = p->stub + STUB_RETURN;
	stack[STUB_BASE] = word(NATIVE_BASE);
	/* Behind it all is 0: nobody has called that. */
	stack[STUB_BASE + 1] = (uintptr_t)abort;
	*state = p;
	return 0;
}

static int set_up_17(void **state)
{
	static int jdk = 17;

	*state = &jdk;
	return set_up(state);
}

static int set_up_25(void **state)
{
	static int jdk = 25;

	*state = &jdk;
	return set_up(state);
}

static int tear_down(void **state)
{
	struct place *p = *state;

	hotspot_image_release(&p->image);
	free(p);
	return 0;
}

static struct unwind_start start_at(struct place *p, uint64_t pc, int sp)
{
	return (struct unwind_start){
		.ip = pc,
		.sp = word(sp),
		.bp = 0x77,
		.stack = (const uint8_t *)(p->image.stack + sp),
		.stack_bytes = sizeof(p->image.stack) - 8 * (size_t)sp,
		.max_frames = UNWIND_FRAMES,
	};
}

static void walk(struct place *p, uint64_t pc, int sp)
{
	struct unwind_start from = start_at(p, pc, sp);

	unwinder_walk(p->image.unwinder, &from, &p->u);
}

/* The frames behind the leaf are those of the thread, and its root. */
static void is_whole(struct place *p, size_t leaf)
{
	const struct unwound_frame *f = p->u.frames + leaf;

	assert_null(p->u.why);
	assert_int_equal(p->u.count, leaf + 4);
	assert_int_equal(f[0].kind, UNWOUND_COMPILED);
	assert_int_equal(f[0].pc, p->caller + RETURN);
	assert_int_equal(f[1].kind, UNWOUND_INTERPRETED);
	assert_int_equal(f[1].method, p->method);
	assert_int_equal(f[1].bci, 12);
	assert_int_equal(f[2].kind, UNWOUND_GENERATED);
	assert_int_equal(f[2].blob->begin, p->stub);
	assert_int_equal(f[3].kind, UNWOUND_NATIVE);
	assert_int_equal(p->u.end, UNWIND_ROOT);
}

static void compiled_code_is_left_wherever_it_is(void **state)
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
	struct place *p = *state;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		walk(p, p->callee + (uint64_t)places[i].at, places[i].sp);
		assert_int_equal(p->u.frames[0].kind, UNWOUND_COMPILED);
		assert_true(p->u.frames[0].is_exact);
		assert_int_equal(p->u.frames[0].blob->begin, p->callee);
		assert_int_equal(p->u.frames[0].blob->compile_id, 7);
		is_whole(p, 1);
	}
}

static void a_deoptimised_frame_has_its_own_pc(void **state)
{
	struct place *p = *state;

	p->image.stack[CALLER - 1] = p->caller + DEOPT;
	p->image.stack[CALLER + 1] = p->caller + RETURN;
	walk(p, p->callee + BODY, LEAF);
	is_whole(p, 1);
	/* What is in the slot otherwise is not its. */
	p->image.stack[CALLER + 1] = p->interpreter;
	walk(p, p->callee + BODY, LEAF);
	assert_int_equal(p->u.frames[1].pc, p->caller + DEOPT);
}

static void an_old_value_in_a_slot_is_no_return_address(void **state)
{
	/* Where it is, and how many words are pushed there. */
	static const int places[][2] = { { 0, 0 }, { 1, 1 }, { 3, 2 },
					 { 8, 2 }, { 9, 1 }, { 10, 0 } };
	struct place *p = *state;

	/* What would be the return address's slots without them. */
	p->image.stack[CALLER - 2] = p->callee + RETURN;
	p->image.stack[CALLER - 3] = p->callee + RETURN;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		walk(p, p->callee + PUSHES + (uint64_t)places[i][0],
		     LEAF - places[i][1]);
		is_whole(p, 1);
	}
}

static void a_native_wrapper_is_left_where_its_frame_is_gone(void **state)
{
	/* 0: leave; 1: cmp qword [r15 + 8], 0; 9: jne; 11: ret; jmp */
	static const uint8_t code[] = { 0xc9, 0x49, 0x81, 0x7f, 8,    0,
					0,    0,    0,    0x75, 1,    0xc3,
					0xe9, 0,    0,    0,    0x10, 0x90 };
	struct place *p = *state;
	struct image_blob b = { .name = "native nmethod",
				.code = code,
				.len = sizeof(code),
				.frame_words = 4,
				.frame_complete = 0,
				.original_pc = -1 };
	uint64_t wrapper = hotspot_image_blob(&p->image, &b);
	struct unwind_start from = start_at(p, wrapper, CALLER - 8);

	/* As if it still had its frame. */
	p->image.stack[CALLER + 2] = p->caller + RETURN;
	walk(p, wrapper + 1, CALLER - 1);
	is_whole(p, 1);
	walk(p, wrapper + 9, CALLER - 1);
	is_whole(p, 1);
	walk(p, wrapper + 11, CALLER - 1);
	is_whole(p, 1);
	/* SP was aligned for a call. */
	from.bp = word(CALLER - 2);
	p->image.stack[CALLER - 5] = p->caller + RETURN;
	unwinder_walk(p->image.unwinder, &from, &p->u);
	is_whole(p, 1);
}

static void
a_barrier_at_an_entry_has_a_mark_below_its_return_address(void **state)
{
	/* 0: call rax; 2: leave; 3: add rsp, 8; 7: ret */
	static const uint8_t code[] = { 0xff, 0xd0, 0xc9, 0x48,
					0x83, 0xc4, 8,    0xc3 };
	struct place *p = *state;
	uint64_t *stack = p->image.stack;
	uint64_t barrier = add(p, "StubRoutines (finalstubs)", code,
			       sizeof(code));

	stack[CALLER - 14] = word(CALLER - 3);
	stack[CALLER - 13] = barrier + 2;
	stack[CALLER - 10] = p->caller + RETURN;
	stack[CALLER - 2] = UINT64_MAX;
	walk(p, p->callee + BODY, CALLER - 18);
	assert_int_equal(p->u.frames[1].kind, UNWOUND_GENERATED);
	is_whole(p, 2);
	/* Itself at work. */
	stack[CALLER - 3] = 0x77;
	walk(p, barrier + 3, CALLER - 2);
	is_whole(p, 1);
}

static void a_linker_of_method_handles_has_no_frame(void **state)
{
	/* mov; mov; jmp rcx */
	static const uint8_t code[] = { 0x48, 0x8b, 0x5b, 8,    0x48,
					0x8b, 0x4b, 0x40, 0xff, 0xe1 };
	struct place *p = *state;
	struct image_blob b = { .name = "native nmethod",
				.code = code,
				.len = sizeof(code),
				.frame_complete = 200,
				.original_pc = -1 };
	uint64_t linker = hotspot_image_blob(&p->image, &b);

	for (uint64_t at = 0; at < 9; at += 4) {
		walk(p, linker + at, CALLER - 1);
		is_whole(p, 1);
		assert_int_equal(p->u.frames[0].kind, UNWOUND_COMPILED);
	}
}

static void an_interpreted_method_returns_by_registers(void **state)
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
	struct place *p = *state;
	uint64_t end = add(p, "Interpreter", code, sizeof(code));

	for (size_t i = 0; i < 3; i++) {
		struct unwind_start from = start_at(p, end + places[i].at,
						    places[i].sp);

		p->image.stack[CALLER - 4] = p->caller + RETURN;
		from.bx = word(CALLER);
		from.r13 = places[i].is_popped ? p->caller + RETURN : 5;
		unwinder_walk(p->image.unwinder, &from, &p->u);
		is_whole(p, 1);
	}
}

static void frames_that_are_being_made_know_their_callers_sp(void **state)
{
	struct place *p = *state;
	struct unwind_start from = start_at(p, p->interpreter + 9, CALLER - 8);
	uint64_t *stack = p->image.stack;

	/* At a method's entry: a base, the caller's SP, and no method yet. */
	stack[CALLER - 6] = word(BASE);
	stack[CALLER - 5] = p->caller + RETURN;
	stack[CALLER - 7] = word(CALLER);
	from.bp = word(CALLER - 6);
	from.r13 = p->bytecodes;
	unwinder_walk(p->image.unwinder, &from, &p->u);
	is_whole(p, 1);
	/* The same, of a frame that deoptimisation makes. */
	stack[CALLER - 12] = word(CALLER - 6);
	stack[CALLER - 11] = p->interpreter + 9;
	walk(p, p->callee + BODY, CALLER - 16);
	assert_int_equal(p->u.frames[1].kind, UNWOUND_GENERATED);
	is_whole(p, 2);
}

static void an_adapter_has_its_callers_sp_in_r13(void **state)
{
	/* 0: mov rsp, r13; 3: lea r13, [rsp + 8]; 8: pop rax; 9: sub rsp, 16;
	   13: push rax; 14: mov [rsp + 8], rsi; 19: jmp rcx */
	static const uint8_t code[] = { 0x49, 0x8b, 0xe5, 0x4c, 0x8d, 0x6c,
					0x24, 0x08, 0x58, 0x48, 0x83, 0xec,
					0x10, 0x50, 0x48, 0x89, 0x74, 0x24,
					0x08, 0xff, 0xe1 };
	struct place *p = *state;

	p->image.stack[CALLER - 9] = p->callee + RETURN;
	for (int i = 0; i < 2; i++) {
		uint64_t adapter = add(
			p, i ? "MethodHandles adapters" : "I2C/C2I adapters",
			code, sizeof(code));
		struct unwind_start from = start_at(p, adapter + 14,
						    CALLER - 3);

		/* Its arguments are where the return address was. */
		p->image.stack[CALLER - 3] = p->caller + RETURN;
		p->image.stack[CALLER - 1] = 5;
		from.r13 = word(CALLER);
		unwinder_walk(p->image.unwinder, &from, &p->u);
		is_whole(p, 1);
		/* Around a call SP is in R13, an old return address below. */
		p->image.stack[CALLER - 1] = p->caller + RETURN;
		from = start_at(p, adapter, CALLER - 9);
		from.r13 = word(CALLER - 1);
		unwinder_walk(p->image.unwinder, &from, &p->u);
		is_whole(p, 1);
	}
}

/*
 * lea r13, [rsp + 8]; 5: pop rax; 6: sub rsp, 16; 10: push rax; 11: mov rax,
 * [rsp + 8]; jmp rcx; as JDK 25 has it
 */
static const uint8_t now[] = { 0x4c, 0x8d, 0x6c, 0x24, 8,    0x58,
			       0x48, 0x83, 0xec, 0x10, 0x50, 0x48,
			       0x8b, 0x44, 0x24, 8,    0xff, 0xe1 };

/* It is in AX while room is made for arguments, and below SP no copy is. */
static void an_adapter_takes_the_return_address_off_the_stack(void **state)
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
	struct place *p = *state;

	/* What was there before. */
	p->image.stack[CALLER - 2] = p->callee + RETURN;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t adapter = add(p, "I2C/C2I adapters", places[i].code,
				       places[i].len);
		struct unwind_start from = start_at(
			p, adapter + (uint64_t)places[i].at, places[i].sp);

		from.r13 = word(places[i].r13);
		from.ax = p->caller + RETURN;
		unwinder_walk(p->image.unwinder, &from, &p->u);
		assert_int_equal(p->u.frames[1].sp, word(CALLER));
		is_whole(p, 1);
	}
}

/* So does a method's entry, which then makes room for locals. */
static void an_entry_takes_the_return_address_off_the_stack(void **state)
{
	static const struct {
		uint64_t at;
		int sp;
	} places[] = { { 200, CALLER - 1 }, { 201, CALLER },
		       { 208, CALLER },     { 215, CALLER - 2 },
		       { 217, CALLER - 3 }, { 219, CALLER - 3 } };
	struct place *p = *state;

	p->image.stack[CALLER - 2] = p->callee + RETURN;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct unwind_start from = start_at(
			p, p->interpreter + places[i].at, places[i].sp);

		from.r13 = word(CALLER);
		from.ax = p->caller + RETURN;
		from.bx = p->method;
		unwinder_walk(p->image.unwinder, &from, &p->u);
		assert_int_equal(p->u.frames[0].method, p->method);
		is_whole(p, 1);
	}
}

/* What was in a register of a frame's callee is none of its own. */
static void a_register_of_a_leaf_is_not_its_callers(void **state)
{
	struct place *p = *state;
	uint64_t adapter = add(p, "I2C/C2I adapters", now, sizeof(now));
	struct unwind_start from;

	p->image.stack[CALLER - 2] = adapter + 16;
	from = start_at(p, p->callee + RETURN, CALLER - 7);
	from.r13 = word(CALLER + 2);
	unwinder_walk(p->image.unwinder, &from, &p->u);
	assert_int_equal(p->u.frames[1].pc, adapter + 16);
	assert_int_equal(p->u.frames[2].sp, word(CALLER));
	is_whole(p, 2);
}

/* A method that may use the stack's reserved zone looks for that at its end. */
static void an_end_that_goes_on_is_an_end(void **state)
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
	struct place *p = *state;
	struct image_blob b = compiled;
	uint64_t method;

	b.code = code;
	b.len = sizeof(code);
	b.frame_complete = 5;
	method = hotspot_image_blob(&p->image, &b);
	/* It would be the caller if all of the frame were there. */
	p->image.stack[LEAF + 4 + 5] = p->callee + RETURN;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		walk(p, method + (uint64_t)places[i].at, places[i].sp);
		is_whole(p, 1);
	}
}

static void a_blob_in_the_place_of_a_freed_one_is_found(void **state)
{
	static uint8_t code[1024] = { 0x90 };
	struct place *p = *state;
	struct image_blob b = compiled;
	uint64_t old, new;

	b.code = code;
	b.len = sizeof(code);
	old = hotspot_image_blob(&p->image, &b);
	walk(p, old + 900, LEAF);
	assert_int_equal(p->u.frames[0].blob->begin, old);
	b = compiled;
	b.compile_id = 9;
	new = hotspot_image_split(&p->image, old, 3, &b);
	assert_true(new + BODY > old &&new + BODY < old + sizeof(code));
	unwinder_begin(p->image.unwinder);
	walk(p, new + BODY, LEAF);
	assert_int_equal(p->u.frames[0].blob->begin, new);
	is_whole(p, 1);
	/* Where nothing is by now, a sample may be of what was there. */
	walk(p, old + 1000, LEAF);
	assert_int_equal(p->u.frames[0].blob->begin, old);
}

static void the_interpreter_at_work_has_its_place_in_r13(void **state)
{
	struct place *p = *state;
	struct unwind_start from = start_at(p, p->interpreter + 5, CALLER + 6);

	from.bp = word(BASE);
	from.r13 = p->bytecodes + 3;
	unwinder_walk(p->image.unwinder, &from, &p->u);
	assert_int_equal(p->u.frames[0].kind, UNWOUND_INTERPRETED);
	assert_int_equal(p->u.frames[0].bci, 3);
	assert_int_equal(p->u.end, UNWIND_ROOT);
	from.r13 = 5;
	unwinder_walk(p->image.unwinder, &from, &p->u);
	assert_int_equal(p->u.frames[0].bci, 12);
}

static void code_that_was_replaced_is_another_blob(void **state)
{
	struct place *p = *state;
	struct image_blob other = compiled;
	const struct code_blob *first;

	walk(p, p->callee + BODY, LEAF);
	first = p->u.frames[0].blob;
	other.compile_id = 8;
	hotspot_image_replace(&p->image, p->callee, &other);
	walk(p, p->callee + BODY, LEAF);
	assert_ptr_equal(p->u.frames[0].blob, first);
	unwinder_begin(p->image.unwinder);
	walk(p, p->callee + BODY, LEAF);
	assert_int_equal(p->u.frames[0].blob->compile_id, 8);
	assert_int_not_equal(p->u.frames[0].blob->identity, first->identity);
	assert_int_equal(first->compile_id, 7);
	/* What has not changed is the same for good. */
	unwinder_begin(p->image.unwinder);
	walk(p, p->callee + BODY, LEAF);
	first = p->u.frames[0].blob;
	unwinder_begin(p->image.unwinder);
	walk(p, p->callee + BODY, LEAF);
	assert_ptr_equal(p->u.frames[0].blob, first);
	is_whole(p, 1);
}

static void what_is_known_stands_when_the_process_has_ended(void **state)
{
	struct place *p = *state;

	walk(p, p->callee + BODY, LEAF);
	is_whole(p, 1);
	memset(p->image.bytes, 0, HOTSPOT_IMAGE_BYTES);
	walk(p, p->callee + BODY, LEAF);
	is_whole(p, 1);
}

static void a_copy_that_is_too_short_ends_in_a_cut(void **state)
{
	struct place *p = *state;
	struct unwind_start from = start_at(p, p->callee + BODY, LEAF);

	for (size_t words = 0; words < STUB_BASE + 2 - LEAF; words++) {
		from.stack_bytes = words * 8;
		unwinder_walk(p->image.unwinder, &from, &p->u);
		assert_int_equal(p->u.end, UNWIND_CUT);
		assert_true(p->u.count >= 1 && p->u.count <= 4);
	}
}

static void frames_are_as_many_as_were_wanted(void **state)
{
	struct place *p = *state;
	struct unwind_start from = start_at(p, p->callee + BODY, LEAF);

	from.max_frames = 3;
	unwinder_walk(p->image.unwinder, &from, &p->u);
	assert_int_equal(p->u.end, UNWIND_DEEP);
	assert_int_equal(p->u.count, 3);
}

static void what_cannot_be_walked_ends_in_unknown(void **state)
{
	struct place *p = *state;
	uint64_t *stack = p->image.stack;

	walk(p, 0x1000, LEAF);
	assert_int_equal(p->u.end, UNWIND_LOST);
	assert_int_equal(p->u.count, 2);
	assert_int_equal(p->u.frames[1].kind, UNWOUND_UNKNOWN);
	assert_non_null(p->u.why);
	/* In the code cache, and in no block. */
	walk(p, p->stub + 0x3f000, LEAF);
	assert_int_equal(p->u.end, UNWIND_LOST);
	/* A Method that is none is not said, and needs the rest of a frame. */
	stack[BASE - 3] = p->method + 8;
	walk(p, p->callee + BODY, LEAF);
	assert_int_equal(p->u.end, UNWIND_ROOT);
	assert_int_equal(p->u.frames[2].kind, UNWOUND_GENERATED);
	assert_int_equal(p->u.frames[2].method, 0);
	stack[BASE + 1] = 0x1000;
	walk(p, p->callee + BODY, LEAF);
	assert_int_equal(p->u.end, UNWIND_LOST);
	stack[BASE - 3] = p->method;
	/* A frame that has itself for its caller. */
	stack[BASE] = word(BASE);
	stack[BASE + 1] = p->interpreter + 99;
	walk(p, p->callee + BODY, LEAF);
	assert_int_not_equal(p->u.end, UNWIND_ROOT);
	assert_true(p->u.count < 10);
}

static void without_the_tables_native_frames_are_walked(void **state)
{
	struct place *p = *state;
	struct error err;
	struct unwinder *u;
	struct unwind_start from = start_at(p, (uintptr_t)abort, NATIVE_BASE);
	struct unwound out;

	u = unwinder_open_with(&p->image.jvm, &p->image.memory,
			       p->image.program, 0x1000, &err);
	assert_non_null(u);
	assert_non_null(strstr(unwinder_limits(u), "structures"));
	assert_null(unwinder_code_cache(u));
	from.bp = word(NATIVE_BASE);
	unwinder_walk(u, &from, &out);
	assert_int_equal(out.end, UNWIND_ROOT);
	assert_int_equal(out.frames[0].kind, UNWOUND_NATIVE);
	assert_non_null(out.frames[0].image);
	unwinder_close(u);
	assert_null(unwinder_limits(p->image.unwinder));
}

#define BOTH(test)                                                             \
	{ #test " (17)", test, set_up_17, tear_down, NULL },                   \
	{                                                                      \
#test " (25)", test, set_up_25, tear_down, NULL                \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(compiled_code_is_left_wherever_it_is),
		BOTH(a_deoptimised_frame_has_its_own_pc),
		BOTH(an_old_value_in_a_slot_is_no_return_address),
		BOTH(a_native_wrapper_is_left_where_its_frame_is_gone),
		BOTH(a_barrier_at_an_entry_has_a_mark_below_its_return_address),
		BOTH(a_linker_of_method_handles_has_no_frame),
		BOTH(an_interpreted_method_returns_by_registers),
		BOTH(frames_that_are_being_made_know_their_callers_sp),
		BOTH(an_adapter_has_its_callers_sp_in_r13),
		BOTH(an_adapter_takes_the_return_address_off_the_stack),
		BOTH(an_entry_takes_the_return_address_off_the_stack),
		BOTH(a_register_of_a_leaf_is_not_its_callers),
		BOTH(an_end_that_goes_on_is_an_end),
		BOTH(a_blob_in_the_place_of_a_freed_one_is_found),
		BOTH(the_interpreter_at_work_has_its_place_in_r13),
		BOTH(code_that_was_replaced_is_another_blob),
		BOTH(what_is_known_stands_when_the_process_has_ended),
		BOTH(a_copy_that_is_too_short_ends_in_a_cut),
		BOTH(frames_are_as_many_as_were_wanted),
		BOTH(what_cannot_be_walked_ends_in_unknown),
		BOTH(without_the_tables_native_frames_are_walked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
