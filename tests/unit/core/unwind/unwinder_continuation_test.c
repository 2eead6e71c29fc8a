/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/unwinder.h"
#include "tests/unit/hotspot_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A method with a frame of six words. */
enum { BODY = 5, RETURN = 10, METHOD_WORDS = 6 };
static const uint8_t method_code[] = { 0x55, 0x48, 0x83, 0xec, 0x20, 0xe8,
				       0,    0,    0,    0,    0x90, 0x48,
				       0x83, 0xc4, 0x20, 0x5d, 0xc3 };

/* push rbp; mov rbp, rsp; sub rsp, 64; call; add rsp, 64; pop rbp; ret */
enum { ENTER_WORDS = 10, ENTER_RETURN = 13 };
static const uint8_t enter_code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec,
				      0x40, 0xe8, 0,    0,    0,    0,    0x48,
				      0x83, 0xc4, 0x40, 0x5d, 0xc3 };

enum {
	THAW,
	MADE = 5,
	BARRIER = 14,
	LOOKED = 27,
	PREEMPTED = 33,
	HANDLED = 52
};
static const uint8_t stub_code[] = {
	0xe8, 0,    0,    0,    0,             /* call: makes frames */
	0x48, 0x8b, 0xe3,                      /* mov rsp, rbx */
	0x48, 0x83, 0xec, 0x10, 0x5d, 0xc3,    /* sub rsp, 16; pop rbp; ret */
	0x49, 0x8b, 0xa7, 0x18, 6,    0,    0, /* mov rsp, [r15 + the entry] */
	0x50, 0xe8, 0,    0,    0,    0, /* push rax; call: searches frames */
	0x58, 0x48, 0x2b, 0xe3, 0xeb, 0xdf,       /* pop; sub rsp, rbx; jmp 0 */
	0x90, 0x49, 0x8b, 0xa7, 0x18, 6,    0, 0, /* nop; mov rsp */
	0x48, 0x83, 0xc4, 0x40, 0x5d, 0xc3,       /* add; pop; ret */
	0xe8, 0,    0,    0,    0,    0xeb, 0,    /* call; jmp: a handler */
	0x58, 0x5d, 0x5a, 0xff, 0xe3, /* pop; pop rbp; pop rdx; jmp rbx */
};

/* call_stub, called by C */
enum { STUB_RETURN = 7 };
static const uint8_t call_code[64] = { 0x55, 0x48, 0x8b, 0xec, 0x90,
				       0xff, 0xd1, 0x90, 0xc9, 0xc3 };

/* Words of the stack. */
enum {
	ENTRY = 40,
	RUN = ENTRY + ENTER_WORDS,
	CALL_BASE = 70,
	NATIVE_BASE = 80
};

struct place {
	struct hotspot_image image;
	struct unwound u;
	uint64_t run, method, other, enter, stub, routine, resolver, call_stub;
};

static uint64_t word(int at) { return HOTSPOT_STACK + 8 * (uint64_t)at; }

static uint64_t add(struct place *p, const char *name, const uint8_t *code,
		    uint32_t len, uint32_t words)
{
	struct image_blob b = { .name = name,
				.code = code,
				.len = len,
				.frame_words = words,
				.frame_complete = -1,
				.original_pc = -1 };

	return hotspot_image_blob(&p->image, &b);
}

/* Sets the target of the method's call. */
static void aim(struct place *p, uint64_t method, uint64_t callee)
{
	int32_t distance = (int32_t)(callee - (method + RETURN));
	uint8_t code[sizeof(method_code)];
	struct image_blob b = { .name = "nmethod",
				.code = code,
				.len = sizeof(code),
				.frame_words = METHOD_WORDS,
				.frame_complete = BODY,
				.original_pc = -1 };

	memcpy(code, method_code, sizeof(code));
	memcpy(code + RETURN - 4, &distance, 4);
	hotspot_image_replace(&p->image, method, &b);
}

/* Frames: C, call_stub, a method that has called enterSpecial. */
static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	uint64_t *stack = p->image.stack;

	hotspot_image_init(&p->image, 25);
	p->call_stub = add(p, "StubRoutines (1)", call_code, sizeof(call_code),
			   0);
	p->stub = add(p, "StubRoutines (continuationstubs)", stub_code,
		      sizeof(stub_code), 0);
	p->enter = add(p, "native nmethod", enter_code, sizeof(enter_code),
		       ENTER_WORDS);
	p->routine = add(p, "C2 Runtime complete_monitor_locking", call_code,
			 sizeof(call_code), 8);
	p->resolver = add(p, "Shared Runtime resolve_virtual_call_blob",
			  call_code, sizeof(call_code), 8);
	for (uint64_t *m = &p->run; m <= &p->other; m++) {
		*m = add(p, "nmethod", method_code, sizeof(method_code),
			 METHOD_WORDS);
		aim(p, *m, *m);
	}
	aim(p, p->run, p->enter);
	hotspot_image_open(&p->image);
	hotspot_image_entry(&p->image, p->enter + ENTER_RETURN);
	process_view_begin(p->image.view);
	stack[ENTRY - 2] = word(RUN - 2);
	stack[RUN - 1] = p->run + RETURN;
	stack[RUN + 4] = word(CALL_BASE);
	stack[RUN + 5] = p->call_stub + STUB_RETURN;
	stack[CALL_BASE] = word(NATIVE_BASE);
	stack[CALL_BASE + 1] = (uintptr_t)abort;
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;

	hotspot_image_release(&p->image);
	free(p);
	return 0;
}

static void walk(struct place *p, uint64_t pc, int sp, uint64_t bx)
{
	struct unwind_start from = {
		.pc = pc,
		.registers[DWARF_SP] = word(sp),
		.registers[DWARF_BP] = 0x77,
		.registers[DWARF_BX] = bx,
		.stack = (const uint8_t *)(p->image.stack + sp),
		.stack_bytes = sizeof(p->image.stack) - 8 * (size_t)sp,
		.max_frames = UNWIND_FRAMES,
	};

	unwinder_walk(p->image.unwinder, &from, &p->u);
}

/* Checks that the continuation's entry follows after `count` frames. */
static void is_entered(struct place *p, size_t count)
{
	const struct unwound_frame *f = p->u.frames + count;

	assert_null(p->u.why);
	assert_int_equal(p->u.count, count + 4);
	assert_int_equal(f[0].pc, p->enter + ENTER_RETURN);
	assert_int_equal(f[0].sp, word(ENTRY));
	assert_int_equal(f[0].bp, word(RUN - 2));
	assert_int_equal(f[1].pc, p->run + RETURN);
	assert_int_equal(f[2].pc, p->call_stub + STUB_RETURN);
	assert_int_equal(p->u.end, UNWIND_ROOT);
}

static void walk_skips_frames_in_the_heap(void **state)
{
	struct place *p = *state;
	uint64_t *stack = p->image.stack;

	stack[ENTRY - 1] = p->stub + BARRIER;
	/* BP belongs to a frame in the heap and would lead to another entry. */
	stack[ENTRY - 2] = word(60);
	stack[61] = p->run + RETURN;
	walk(p, p->method + RETURN, ENTRY - METHOD_WORDS, 0);
	assert_int_equal(p->u.frames[1].kind, UNWOUND_GENERATED);
	is_entered(p, 2);
	/* Arguments are on the stack. */
	stack[ENTRY - 5] = p->stub + BARRIER;
	stack[ENTRY - 1] = p->method + RETURN;
	walk(p, p->method + RETURN, ENTRY - METHOD_WORDS - 4, 0);
	is_entered(p, 2);
	/* The routine searches more frames. */
	stack[ENTRY - 3] = p->stub + LOOKED;
	walk(p, p->method + RETURN, ENTRY - METHOD_WORDS - 2, 0);
	is_entered(p, 2);
}

static void walk_skips_frames_that_are_being_thawed(void **state)
{
	struct place *p = *state;
	uint64_t *stack = p->image.stack;

	/*
	 * Frames that are being thawed, which have called enterSpecial as well.
	 */
	stack[ENTRY - 20 + ENTER_WORDS - 1] = p->run + RETURN;
	walk(p, p->stub + THAW, ENTRY - 20, 20 * 8);
	is_entered(p, 1);
	/* BX has the future SP: the thawed frames return to the entry. */
	stack[ENTRY - 1] = p->enter + ENTER_RETURN;
	stack[ENTRY - 20 + ENTER_WORDS - 1] = p->method + RETURN;
	walk(p, p->stub + MADE, ENTRY - 20, word(ENTRY - 18));
	is_entered(p, 1);
	/* At its end, the routine returns to the thawed frames. */
	stack[ENTRY - 7] = p->method + RETURN;
	walk(p, p->stub + MADE + 7, ENTRY - 8, 0);
	assert_int_equal(p->u.frames[1].pc, p->method + RETURN);
	is_entered(p, 2);
	/* The routine has an exception and searches its handler. */
	stack[ENTRY - 10] = p->stub + HANDLED;
	walk(p, p->method + RETURN, ENTRY - 15, 0);
	assert_int_equal(p->u.frames[1].pc, p->stub + HANDLED);
	assert_int_equal(p->u.frames[2].pc, p->method + RETURN);
	is_entered(p, 3);
}

static void preempted_thread_has_its_callers(void **state)
{
	struct place *p = *state;
	uint64_t *stack = p->image.stack;

	stack[19] = p->stub + PREEMPTED;
	stack[24] = p->method + RETURN;
	stack[27] = p->other + RETURN;
	stack[33] = p->method + RETURN;
	stack[39] = p->enter + ENTER_RETURN;
	aim(p, p->other, p->routine);
	walk(p, p->method + RETURN, 14, 0);
	assert_int_equal(p->u.frames[1].pc, p->stub + PREEMPTED);
	assert_int_equal(p->u.frames[2].pc, p->other + RETURN);
	assert_int_equal(p->u.frames[2].sp, word(28));
	assert_int_equal(p->u.frames[3].pc, p->method + RETURN);
	is_entered(p, 4);
	walk(p, p->stub + PREEMPTED, 20, 0);
	assert_int_equal(p->u.frames[1].pc, p->other + RETURN);
	is_entered(p, 3);
	/* After its call was resolved, it calls another function. */
	aim(p, p->other, p->resolver);
	process_view_begin(p->image.view);
	walk(p, p->stub + PREEMPTED, 20, 0);
	is_entered(p, 1);
	/* The routine is on the stack of its continuation's entry. */
	walk(p, p->stub + PREEMPTED + 8, ENTRY, 0);
	assert_int_equal(p->u.frames[1].pc, p->run + RETURN);
	assert_int_equal(p->u.count, 4);
}

static void
preempted_routine_with_another_frame_leads_to_the_entry(void **state)
{
	struct place *p = *state;
	uint64_t *stack = p->image.stack;

	/*
	 * The frame has no routine's size; it belongs to a wrapper that jumps
	 * there.
	 */
	stack[19] = p->stub + PREEMPTED;
	stack[26] = p->other + RETURN;
	stack[33] = p->method + RETURN;
	stack[39] = p->enter + ENTER_RETURN;
	aim(p, p->other, p->routine);
	walk(p, p->method + RETURN, 14, 0);
	is_entered(p, 2);
	walk(p, p->stub + PREEMPTED, 21, 0);
	is_entered(p, 1);
	/* The same state if the frames were thawed in part. */
	stack[39] = p->stub + BARRIER;
	walk(p, p->stub + PREEMPTED, 21, 0);
	is_entered(p, 1);
}

static void walk_without_a_continuation_entry_ends(void **state)
{
	struct place *p = *state;
	uint64_t *stack = p->image.stack;

	/* Another function was called. */
	aim(p, p->run, p->method);
	stack[ENTRY - 1] = p->stub + BARRIER;
	walk(p, p->method + RETURN, ENTRY - METHOD_WORDS, 0);
	/* The frame may be beyond the copy. */
	assert_int_equal(p->u.end, UNWIND_CUT);
	assert_int_equal(p->u.count, 2);
}

#define TEST(name)                                                             \
	{                                                                      \
#name, name, set_up, tear_down, NULL                           \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(walk_skips_frames_in_the_heap),
		TEST(walk_skips_frames_that_are_being_thawed),
		TEST(preempted_thread_has_its_callers),
		TEST(preempted_routine_with_another_frame_leads_to_the_entry),
		TEST(walk_without_a_continuation_entry_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
