/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/walked_thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

uint64_t walked_word(int at) { return HOTSPOT_STACK + 8 * (uint64_t)at; }

const struct image_blob walked_method = {
	.name = "nmethod",
	.code = compiled_code,
	.len = sizeof(compiled_code),
	.frame_words = 6,
	.frame_complete = BODY,
	.compile_id = 7,
	.original_pc = 8,
	.deopt = DEOPT,
};

uint64_t walked_add(struct walked_thread *p, const char *name,
		    const uint8_t *code, uint32_t len)
{
	struct image_blob b = {
		.name = name, .code = code, .len = len, .frame_complete = -1
	};

	return hotspot_image_blob(&p->image, &b);
}

/*
 * Creates a JVM of the version in the test's state, and the stack of a thread.
 */
static int set_up(void **state)
{
	struct walked_thread *p = calloc(1, sizeof(*p));
	uint64_t *stack = p->image.stack;

	hotspot_image_init(&p->image, *(const int *)*state);
	p->stub = walked_add(p, "StubRoutines (1)", stub_code,
			     sizeof(stub_code));
	p->interpreter = walked_add(p, "Interpreter", interpreter_code,
				    sizeof(interpreter_code));
	p->caller = hotspot_image_blob(&p->image, &walked_method);
	p->callee = hotspot_image_blob(&p->image, &walked_method);
	p->method = hotspot_image_method(&p->image, 40, &p->bytecodes);
	hotspot_image_open(&p->image);
	stack[CALLER - 1] = p->caller + RETURN;
	stack[CALLER + 4] = walked_word(BASE);
	stack[CALLER + 5] = p->interpreter + 99;
	stack[BASE - 8] = p->bytecodes + 12;
	stack[BASE - 3] = p->method;
	stack[BASE - 1] = walked_word(BASE + 2);
	stack[BASE] = walked_word(STUB_BASE);
	stack[BASE + 1] = p->stub + STUB_RETURN;
	stack[STUB_BASE] = walked_word(NATIVE_BASE);
	/*
	 * The outermost frame has no caller, so its saved frame pointer is 0.
	 */
	stack[STUB_BASE + 1] = (uintptr_t)abort;
	*state = p;
	return 0;
}

int walked_set_up_17(void **state)
{
	static int jdk = 17;

	*state = &jdk;
	return set_up(state);
}

int walked_set_up_25(void **state)
{
	static int jdk = 25;

	*state = &jdk;
	return set_up(state);
}

int walked_tear_down(void **state)
{
	struct walked_thread *p = *state;

	hotspot_image_release(&p->image);
	free(p);
	return 0;
}

struct unwind_start walked_start_at(struct walked_thread *p, uint64_t pc,
				    int sp)
{
	return (struct unwind_start){
		.pc = pc,
		.registers[DWARF_SP] = walked_word(sp),
		.registers[DWARF_BP] = 0x77,
		.stack = (const uint8_t *)(p->image.stack + sp),
		.stack_bytes = sizeof(p->image.stack) - 8 * (size_t)sp,
		.max_frames = UNWIND_FRAMES,
	};
}

void walked_walk(struct walked_thread *p, uint64_t pc, int sp)
{
	struct unwind_start from = walked_start_at(p, pc, sp);

	unwinder_walk(p->image.unwinder, &from, &p->u);
}

void walked_is_whole(struct walked_thread *p, size_t leaf)
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
