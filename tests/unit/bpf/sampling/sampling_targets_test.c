/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/sampling_targets.h"

#include "core/base/clock.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

static unsigned told;

static void on_notice(void *self, enum sampling_notice level, const char *text)
{
	(void)self;
	assert_int_equal(level, SAMPLING_LOSS);
	assert_non_null(strstr(text, "not sampled: "));
	told++;
}

static const struct sampling_options options = { .notice = on_notice };
static const struct jvm taskset = {
	.pid = 7, .start_ticks = 70, .exe_dev = 1, .exe_ino = 11
};

static struct error refusal(enum error_kind kind)
{
	return (struct error){ .kind = kind, .text = "7: it is refused" };
}

static void refused_process_is_not_tried_again_soon(void **state)
{
	struct sampling_shared shared = { .o = &options, .has_begun = true };
	struct error why = refusal(ERROR_PERMISSION);
	struct sampling_targets t;
	struct jvm other = taskset;

	(void)state;
	told = 0;
	sampling_targets_init(&t, &shared);
	assert_false(sampling_targets_is_refused(&t, &taskset));
	sampling_targets_refuse(&t, &taskset, CLOCK_NS_PER_S, &why);
	assert_true(sampling_targets_is_refused(&t, &taskset));
	sampling_targets_refuse(&t, &taskset, CLOCK_NS_PER_S, &why);
	assert_int_equal(told, 1);
	/* Another process may have the PID already. */
	other.start_ticks++;
	assert_false(sampling_targets_is_refused(&t, &other));
	sampling_targets_release(&t);
}

/* taskset(1) may be refused before it becomes the JVM. */
static void
refused_process_that_runs_another_program_is_tried_at_once(void **state)
{
	struct sampling_shared shared = { .o = &options, .has_begun = true };
	struct error why = refusal(ERROR_PERMISSION);
	struct sampling_targets t;
	struct jvm java = taskset;

	(void)state;
	told = 0;
	sampling_targets_init(&t, &shared);
	sampling_targets_refuse(&t, &taskset, 10 * CLOCK_NS_PER_S, &why);
	java.exe_ino++;
	assert_false(sampling_targets_is_refused(&t, &java));
	sampling_targets_refuse(&t, &java, 10 * CLOCK_NS_PER_S, &why);
	assert_true(sampling_targets_is_refused(&t, &java));
	/* Then the launcher maps the JVM's library. */
	java.kind = JVM_HOTSPOT;
	assert_false(sampling_targets_is_refused(&t, &java));
	assert_int_equal(told, 2);
	sampling_targets_release(&t);
}

static void first_jvm_of_a_launched_program_is_tried_again_soon(void **state)
{
	struct sampling_shared shared = { .o = &options,
					  .is_tried_again = true };
	struct error why = refusal(ERROR_FAILED);
	struct sampling_targets t;

	(void)state;
	told = 0;
	sampling_targets_init(&t, &shared);
	sampling_targets_refuse(&t, &taskset, 10 * CLOCK_NS_PER_S, &why);
	assert_in_range(t.refusals[0].again_ns, clock_monotonic_ns(),
			clock_monotonic_ns() + CLOCK_NS_PER_S);
	/* The process may still be sampled, so no refusal is reported. */
	assert_int_equal(told, 0);
	sampling_targets_report_refused(&t);
	assert_int_equal(told, 1);
	sampling_targets_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_process_is_not_tried_again_soon),
		cmocka_unit_test(
			refused_process_that_runs_another_program_is_tried_at_once),
		cmocka_unit_test(
			first_jvm_of_a_launched_program_is_tried_again_soon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
