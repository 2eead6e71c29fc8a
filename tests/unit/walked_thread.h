/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walked_thread: a JVM of hotspot_image's with a thread whose stack is walked.
 */
#ifndef TESTS_UNIT_WALKED_THREAD_H
#define TESTS_UNIT_WALKED_THREAD_H

#include "core/unwind/unwinder.h"
#include "tests/unit/hotspot_image.h"

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
enum { STUB_RETURN = 7 };

/* A thread: C, call_stub, an interpreted method, two compiled ones. */
enum { LEAF = 32, CALLER = 38, BASE = 60, STUB_BASE = 70, NATIVE_BASE = 80 };

struct walked_thread {
	struct hotspot_image image;
	struct unwound u;
	uint64_t callee, caller, interpreter, stub;
	uint64_t method, bytecodes;
};

/* The method that is compiled. */
extern const struct image_blob walked_method;

/* The address of a word of the stack. */
uint64_t walked_word(int at);

/* Puts a blob that has no frame into the code cache; where its code begins. */
uint64_t walked_add(struct walked_thread *p, const char *name,
		    const uint8_t *code, uint32_t len);

/* For cmocka: a thread of a JVM of that version becomes the test's state. */
int walked_set_up_17(void **state);
int walked_set_up_25(void **state);
int walked_tear_down(void **state);

/* A leaf at pc whose SP is that word of the stack, and its walk, to p->u. */
struct unwind_start walked_start_at(struct walked_thread *p, uint64_t pc,
				    int sp);
void walked_walk(struct walked_thread *p, uint64_t pc, int sp);

/* The frames behind the leaf are those of the thread, and its root. */
void walked_is_whole(struct walked_thread *p, size_t leaf);

/* A test with both versions. */
#define BOTH(test)                                                             \
	{ #test " (17)", test, walked_set_up_17, walked_tear_down, NULL },     \
	{                                                                      \
#test " (25)", test, walked_set_up_25, walked_tear_down, NULL  \
	}

#endif
