/* SPDX-License-Identifier: Apache-2.0 */
/* walked_thread: a hotspot_image with a thread whose stack is walked. */
#ifndef TESTS_UNIT_WALKED_THREAD_H
#define TESTS_UNIT_WALKED_THREAD_H

#include "core/unwind/unwinder.h"
#include "tests/unit/hotspot_image.h"

/*
 * Offsets in a method as C1 or C2 compiles it: a frame of six words, a call, an
 * epilogue with a poll, an out-of-line call that saves 128 bytes of registers,
 * and a call of a routine with two words of arguments on the stack.
 */
enum {
	PUSH = 7,
	SUB = 8,
	BODY = 12,
	RETURN = 17, /* its call returns here */
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

/*
 * Words of the stack of a thread with frames of C, call_stub, an interpreted
 * method and two compiled ones.
 */
enum { LEAF = 32, CALLER = 38, BASE = 60, STUB_BASE = 70, NATIVE_BASE = 80 };

struct walked_thread {
	struct hotspot_image image;
	struct unwound u;
	uint64_t callee, caller, interpreter, stub;
	uint64_t method, bytecodes;
};

/* The compiled method. */
extern const struct image_blob walked_method;

/* Returns the address of a word of the stack. */
uint64_t walked_word(int at);

/*
 * Adds a blob without a frame to the code cache and returns the address of its
 * code.
 */
uint64_t walked_add(struct walked_thread *p, const char *name,
		    const uint8_t *code, uint32_t len);

/* For cmocka: creates a thread of a JVM of that version as the test's state. */
int walked_set_up_17(void **state);
int walked_set_up_25(void **state);
int walked_tear_down(void **state);

/*
 * Prepare, or perform, a walk from a leaf at pc with SP at a word of the stack;
 * the result is in p->u.
 */
struct unwind_start walked_start_at(struct walked_thread *p, uint64_t pc,
				    int sp);
void walked_walk(struct walked_thread *p, uint64_t pc, int sp);

/*
 * Fails the test unless the frames after the leaf are the thread's, up to its
 * root.
 */
void walked_is_whole(struct walked_thread *p, size_t leaf);

/* A test that runs with JDK 17 and 25. */
#define BOTH(test)                                                             \
	{ #test " (17)", test, walked_set_up_17, walked_tear_down, NULL },     \
	{                                                                      \
#test " (25)", test, walked_set_up_25, walked_tear_down, NULL  \
	}

#endif
