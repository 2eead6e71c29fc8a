/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_conditions.h"

#include "core/base/clock.h"

/* A JVM has its handlers a tenth of a second after it starts, mostly. */
#define START_NS (5 * CLOCK_NS_PER_S)
#define STEP_NS  (20 * CLOCK_NS_PER_MS)

static int fail_by(const struct jvm *jvm, const struct condition *c,
		   struct error *err)
{
	return fail(err, c->kind, "%d: cannot attach: %s%s%s", (int)jvm->pid,
		    c->detail, *c->remedy ? "; " : "", c->remedy);
}

int attach_conditions_met(const struct jvm *jvm, int64_t deadline_ns,
			  struct error *err)
{
	int64_t until = clock_monotonic_ns() + START_NS;
	struct condition list[ATTACH_CONDITIONS_MAX];

	if (until > deadline_ns)
		until = deadline_ns;
	for (;;) {
		size_t count = attach_conditions(jvm, list);
		const struct condition *waits = NULL;

		for (size_t i = 0; i < count; i++) {
			if (list[i].state == CONDITION_FAILS)
				return fail_by(jvm, &list[i], err);
			if (list[i].state == CONDITION_WAITS && !waits)
				waits = &list[i];
		}
		if (!waits)
			return 0;
		if (clock_left_ms(until) == 0)
			return fail_by(jvm, waits, err);
		clock_sleep_until(clock_monotonic_ns() + STEP_NS);
	}
}
