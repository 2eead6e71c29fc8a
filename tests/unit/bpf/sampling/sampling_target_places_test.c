/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which stack traces of waits a new window keeps. */
#include "bpf/sampling/sampling_target.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Adds a stack trace of two frames. */
static uint32_t add_stack(struct profile *p, const char *caller,
			  const char *callee)
{
	struct frame f = { .kind = FRAME_NATIVE };
	uint32_t stack;

	f.method = profile_string(p, caller, strlen(caller));
	stack = profile_push(p, 0, profile_frame(p, &f));
	f.method = profile_string(p, callee, strlen(callee));
	return profile_push(p, stack, profile_frame(p, &f));
}

/* Ends a window: a new profile replaces the one of the window before. */
static void renew(struct sampling_target *t)
{
	struct profile *before = t->profile;

	t->before = before;
	t->profile = profile_new();
	target_renew_places(t);
	sampling_target_end_renewal(t);
	profile_free(before);
}

static void only_places_of_the_last_window_are_copied(void **state)
{
	struct sampling_target t = { .profile = profile_new() };
	size_t both, last = (size_t)WAITS * WAIT_WAYS - 1;

	(void)state;
	t.waits = xcalloc((size_t)WAITS * WAIT_WAYS, sizeof(*t.waits));
	t.waits[0].stack = add_stack(t.profile, "main", "sleep");
	t.waits[0].is_used = true;
	t.waits[last].stack = add_stack(t.profile, "run", "park");
	t.waits[last].is_used = false;
	both = t.profile->stack_count;
	renew(&t);
	assert_int_equal(t.profile->stack_count, both - 2);
	assert_int_not_equal(t.waits[0].stack, 0);
	assert_int_equal(t.waits[last].stack, 0);
	/* No thread waits there in this window. */
	renew(&t);
	assert_int_equal(t.profile->stack_count, both - 4);
	assert_int_equal(t.waits[0].stack, 0);
	profile_free(t.profile);
	free(t.waits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_places_of_the_last_window_are_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
