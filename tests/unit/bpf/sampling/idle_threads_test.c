/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/idle_threads.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

/* The next window has the same stack traces in another profile. */
static void stack_trace_is_the_same_in_the_next_profile(void **state)
{
	struct profile *from = profile_new(), *to = profile_new();
	const struct frame frames[] = {
		{ .method = profile_string(from, "run", 3),
		  .class_name = profile_string(from, "a.B", 3),
		  .line = 7,
		  .kind = FRAME_JIT },
		{ .method = profile_string(from, "main", 4),
		  .kind = FRAME_NATIVE },
	};
	struct sampling_target t = { .before = from, .profile = to };
	uint32_t ids[2], stack;
	size_t count;

	(void)state;
	/* Ids differ in the other profile. */
	profile_string(to, "something else", 14);
	profile_stack(to,
		      (uint32_t[]){ profile_frame(
			      to, &(struct frame){ .method = 1 }) },
		      1);
	for (size_t i = 0; i < 2; i++)
		ids[i] = profile_frame(from, &frames[i]);
	stack = sampling_target_copy_stack(&t, profile_stack(from, ids, 2));
	count = to->stack_count;
	assert_int_equal(
		sampling_target_copy_stack(&t, profile_stack(from, ids, 2)),
		stack);
	assert_int_equal(to->stack_count, count);
	for (size_t i = 0; i < 2; i++) {
		const struct frame *f = &to->frames[to->stacks[stack].frame];

		assert_string_equal(profile_text(to, f->method),
				    profile_text(from, frames[i].method));
		assert_string_equal(profile_text(to, f->class_name),
				    profile_text(from, frames[i].class_name));
		assert_int_equal(f->line, frames[i].line);
		assert_int_equal(f->kind, frames[i].kind);
		stack = to->stacks[stack].caller;
	}
	assert_int_equal(stack, 0);
	assert_int_equal(sampling_target_copy_stack(&t, 0), 0);
	free(t.copied);
	profile_free(from);
	profile_free(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stack_trace_is_the_same_in_the_next_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
