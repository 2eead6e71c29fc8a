/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/unwinder.h"
#include "tests/unit/walked_thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

/* Code without call frame information, after the JVM's. */
#define NATIVE_CODE (HOTSPOT_IMAGE + HOTSPOT_IMAGE_BYTES)

/* The JVM's code is executable in the process, too. */
static int map_code(void **state)
{
	void *code = mmap((void *)HOTSPOT_IMAGE, HOTSPOT_IMAGE_BYTES + 4096,
			  PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
			  0);

	(void)state;
	return code == (void *)HOTSPOT_IMAGE ? 0 : -1;
}

static void code_cache_finds_a_blob_in_the_place_of_a_freed_one(void **state)
{
	static uint8_t code[1024] = { 0x90 };
	struct walked_thread *p = *state;
	struct image_blob b = walked_method;
	uint64_t old, new;

	b.code = code;
	b.len = sizeof(code);
	old = hotspot_image_blob(&p->image, &b);
	walked_walk(p, old + 900, LEAF);
	assert_int_equal(p->u.frames[0].blob->begin, old);
	b = walked_method;
	b.compile_id = 9;
	new = hotspot_image_split(&p->image, old, 3, &b);
	assert_true(new + BODY > old &&new + BODY < old + sizeof(code));
	process_view_begin(p->image.view);
	walked_walk(p, new + BODY, LEAF);
	assert_int_equal(p->u.frames[0].blob->begin, new);
	walked_is_whole(p, 1);
	/* A sample may have an address of code that is gone. */
	walked_walk(p, old + 1000, LEAF);
	assert_int_equal(p->u.frames[0].blob->begin, old);
}

static void interpreter_at_work_has_its_bci_in_r13(void **state)
{
	struct walked_thread *p = *state;
	struct unwind_start from = walked_start_at(p, p->interpreter + 5,
						   CALLER + 6);

	from.registers[DWARF_BP] = walked_word(BASE);
	from.registers[13] = p->bytecodes + 3;
	unwinder_walk(p->image.unwinder, &from, &p->u);
	assert_int_equal(p->u.frames[0].kind, UNWOUND_INTERPRETED);
	assert_int_equal(p->u.frames[0].bci, 3);
	assert_int_equal(p->u.end, UNWIND_ROOT);
	from.registers[13] = 5;
	unwinder_walk(p->image.unwinder, &from, &p->u);
	assert_int_equal(p->u.frames[0].bci, 12);
}

static void replaced_code_is_another_blob(void **state)
{
	struct walked_thread *p = *state;
	struct image_blob other = walked_method;
	const struct code_blob *first;

	walked_walk(p, p->callee + BODY, LEAF);
	first = p->u.frames[0].blob;
	other.compile_id = 8;
	hotspot_image_replace(&p->image, p->callee, &other);
	walked_walk(p, p->callee + BODY, LEAF);
	assert_ptr_equal(p->u.frames[0].blob, first);
	process_view_begin(p->image.view);
	walked_walk(p, p->callee + BODY, LEAF);
	assert_int_equal(p->u.frames[0].blob->compile_id, 8);
	assert_int_not_equal(p->u.frames[0].blob->identity, first->identity);
	assert_int_equal(first->compile_id, 7);
	/* Unchanged code remains valid. */
	process_view_begin(p->image.view);
	walked_walk(p, p->callee + BODY, LEAF);
	first = p->u.frames[0].blob;
	process_view_begin(p->image.view);
	walked_walk(p, p->callee + BODY, LEAF);
	assert_ptr_equal(p->u.frames[0].blob, first);
	walked_is_whole(p, 1);
}

static void known_code_outlives_the_process(void **state)
{
	struct walked_thread *p = *state;

	walked_walk(p, p->callee + BODY, LEAF);
	walked_is_whole(p, 1);
	memset(p->image.bytes, 0, HOTSPOT_IMAGE_BYTES);
	walked_walk(p, p->callee + BODY, LEAF);
	walked_is_whole(p, 1);
}

static void short_stack_copy_ends_the_walk_with_cut(void **state)
{
	struct walked_thread *p = *state;
	struct unwind_start from = walked_start_at(p, p->callee + BODY, LEAF);

	for (size_t words = 0; words < STUB_BASE + 2 - LEAF; words++) {
		from.stack_bytes = words * 8;
		unwinder_walk(p->image.unwinder, &from, &p->u);
		assert_int_equal(p->u.end, UNWIND_CUT);
		assert_true(p->u.count >= 1 && p->u.count <= 4);
	}
}

static void walk_stops_at_the_frame_limit(void **state)
{
	struct walked_thread *p = *state;
	struct unwind_start from = walked_start_at(p, p->callee + BODY, LEAF);

	from.max_frames = 3;
	unwinder_walk(p->image.unwinder, &from, &p->u);
	assert_int_equal(p->u.end, UNWIND_DEEP);
	assert_int_equal(p->u.count, 3);
}

static void lost_walk_ends_with_an_unknown_frame(void **state)
{
	struct walked_thread *p = *state;
	uint64_t *stack = p->image.stack;

	walked_walk(p, 0x1000, LEAF);
	assert_int_equal(p->u.end, UNWIND_LOST);
	assert_int_equal(p->u.count, 2);
	assert_int_equal(p->u.frames[1].kind, UNWOUND_UNKNOWN);
	assert_non_null(p->u.why);
	/* An address in the code cache, in no block. */
	walked_walk(p, p->stub + 0x3f000, LEAF);
	assert_int_equal(p->u.end, UNWIND_LOST);
	/*
	 * An invalid Method is not reported; the frame needs its other slots.
	 */
	stack[BASE - 3] = p->method + 8;
	walked_walk(p, p->callee + BODY, LEAF);
	assert_int_equal(p->u.end, UNWIND_ROOT);
	assert_int_equal(p->u.frames[2].kind, UNWOUND_GENERATED);
	assert_int_equal(p->u.frames[2].method, 0);
	stack[BASE + 1] = 0x1000;
	walked_walk(p, p->callee + BODY, LEAF);
	assert_int_equal(p->u.end, UNWIND_LOST);
	stack[BASE - 3] = p->method;
	/* A frame that is its own caller. */
	stack[BASE] = walked_word(BASE);
	stack[BASE + 1] = p->interpreter + 99;
	walked_walk(p, p->callee + BODY, LEAF);
	assert_int_not_equal(p->u.end, UNWIND_ROOT);
	assert_true(p->u.count < 10);
}

/* The leaf is in code that cannot be unwound; its caller is the callee. */
static struct unwind_start start_above_native(struct walked_thread *p)
{
	struct unwind_start from = walked_start_at(p, 0x1000, LEAF - 8);

	from.anchor.sp = walked_word(LEAF);
	from.anchor.pc = p->callee + BODY;
	return from;
}

static void lost_walk_continues_at_the_anchor(void **state)
{
	struct walked_thread *p = *state;
	struct unwind_start from = start_above_native(p);

	unwinder_walk(p->image.unwinder, &from, &p->u);
	assert_true(p->u.is_anchored);
	assert_int_equal(p->u.frames[0].kind, UNWOUND_NATIVE);
	assert_int_equal(p->u.frames[1].pc, p->callee + BODY);
	walked_is_whole(p, 2);
	/* Without a pc, it is the return address below SP. */
	from.anchor.pc = 0;
	p->image.stack[LEAF - 1] = p->callee + BODY;
	unwinder_walk(p->image.unwinder, &from, &p->u);
	walked_is_whole(p, 2);
	p->image.stack[LEAF - 1] = 0;
	unwinder_walk(p->image.unwinder, &from, &p->u);
	assert_int_equal(p->u.end, UNWIND_LOST);
	assert_int_equal(p->u.count, 2);
}

static void stale_anchor_is_ignored(void **state)
{
	struct walked_thread *p = *state;
	struct unwind_start from = start_above_native(p);
	const uint64_t places[] = {
		0,
		walked_word(LEAF - 8),
		walked_word(LEAF) + 4,
		walked_word(LEAF) + (1 << 20),
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		from.anchor.sp = places[i];
		unwinder_walk(p->image.unwinder, &from, &p->u);
		assert_false(p->u.is_anchored);
		assert_int_equal(p->u.end, UNWIND_LOST);
		assert_int_equal(p->u.count, 2);
	}
	from = start_above_native(p);
	from.anchor.pc = 0x1000;
	unwinder_walk(p->image.unwinder, &from, &p->u);
	assert_int_equal(p->u.count, 2);
	/* A walk that reached Java frames needs no anchor. */
	from = walked_start_at(p, p->callee + BODY, LEAF);
	from.anchor.sp = walked_word(CALLER);
	from.anchor.pc = p->callee + BODY;
	unwinder_walk(p->image.unwinder, &from, &p->u);
	assert_false(p->u.is_anchored);
	walked_is_whole(p, 1);
}

static void value_like_a_frame_pointer_does_not_lead_to_java(void **state)
{
	struct walked_thread *p = *state;
	uint64_t *stack = p->image.stack;
	struct unwind_start from = walked_start_at(p, NATIVE_CODE, LEAF - 8);
	/* An old return address, and a frame beyond the last Java frame. */
	const int elsewhere[] = { LEAF - 6, CALLER - 2 };

	stack[LEAF - 5] = stack[LEAF - 1] = p->callee + BODY;
	for (size_t i = 0; i < 2; i++) {
		from.registers[DWARF_BP] = walked_word(elsewhere[i]);
		from.anchor = (struct unwind_anchor){ 0 };
		unwinder_walk(p->image.unwinder, &from, &p->u);
		assert_int_equal(p->u.end, UNWIND_LOST);
		assert_int_equal(p->u.count, 2);
		assert_int_equal(p->u.frames[0].kind, UNWOUND_NATIVE);
		from.anchor.is_known = true;
		from.anchor.sp = walked_word(LEAF);
		unwinder_walk(p->image.unwinder, &from, &p->u);
		assert_true(p->u.is_anchored);
		walked_is_whole(p, 2);
	}
	from.registers[DWARF_BP] = walked_word(LEAF - 2);
	unwinder_walk(p->image.unwinder, &from, &p->u);
	assert_false(p->u.is_anchored);
	walked_is_whole(p, 2);
	/* The interpreter calls native methods. */
	from.registers[DWARF_BP] = walked_word(CALLER + 4);
	from.anchor = (struct unwind_anchor){ 0 };
	unwinder_walk(p->image.unwinder, &from, &p->u);
	assert_int_equal(p->u.end, UNWIND_ROOT);
	assert_int_equal(p->u.frames[1].kind, UNWOUND_INTERPRETED);
	from.anchor.is_known = true;
	unwinder_walk(p->image.unwinder, &from, &p->u);
	assert_int_equal(p->u.end, UNWIND_LOST);
	assert_int_equal(p->u.count, 2);
}

static void view_of_the_zero_interpreter_is_limited(void **state)
{
	static const char *const names[] = {
		"OpenJDK 64-Bit Server VM (21.0.12) for linux-amd64 JRE",
		"OpenJDK 64-Bit Zero VM (21.0.12) for linux-amd64 JRE",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct hotspot_image image;
		const char *why;

		hotspot_image_init(&image, 25);
		hotspot_image_vm(&image, names[i]);
		hotspot_image_open(&image);
		why = image.view->limits;
		assert_int_equal(image.view->is_zero, i);
		assert_int_equal(why && strstr(why, "Zero interpreter"), i);
		hotspot_image_release(&image);
	}
}

static void view_without_tables_walks_native_frames(void **state)
{
	struct walked_thread *p = *state;
	struct error err;
	struct process_view *view;
	struct unwinder *u;
	struct unwind_start from = walked_start_at(p, (uintptr_t)abort,
						   NATIVE_BASE);
	struct unwound out;

	view = process_view_open_with(&p->image.jvm, &p->image.memory,
				      p->image.program, 0x1000, &err);
	assert_non_null(view);
	assert_non_null(strstr(view->limits, "structures"));
	assert_null(view->code);
	u = unwinder_new(&arch_x86_64, view);
	from.registers[DWARF_BP] = walked_word(NATIVE_BASE);
	unwinder_walk(u, &from, &out);
	assert_int_equal(out.end, UNWIND_ROOT);
	assert_int_equal(out.frames[0].kind, UNWOUND_NATIVE);
	assert_non_null(out.frames[0].image);
	unwinder_free(u);
	process_view_close(view);
	assert_null(p->image.view->limits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(code_cache_finds_a_blob_in_the_place_of_a_freed_one),
		BOTH(interpreter_at_work_has_its_bci_in_r13),
		BOTH(replaced_code_is_another_blob),
		BOTH(known_code_outlives_the_process),
		BOTH(short_stack_copy_ends_the_walk_with_cut),
		BOTH(walk_stops_at_the_frame_limit),
		BOTH(lost_walk_ends_with_an_unknown_frame),
		BOTH(lost_walk_continues_at_the_anchor),
		BOTH(stale_anchor_is_ignored),
		BOTH(value_like_a_frame_pointer_does_not_lead_to_java),
		BOTH(view_without_tables_walks_native_frames),
		cmocka_unit_test(view_of_the_zero_interpreter_is_limited),
	};

	return cmocka_run_group_tests(tests, map_code, NULL);
}
