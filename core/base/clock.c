/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/clock.h"

#include <errno.h>
#include <limits.h>
#include <time.h>

static int64_t clock_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * CLOCK_NS_PER_S + now.tv_nsec;
}

int64_t clock_monotonic_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

int64_t clock_wall_ns(void) { return clock_ns(CLOCK_REALTIME); }

int64_t clock_wall_of(int64_t monotonic_ns)
{
	return clock_wall_ns() - clock_monotonic_ns() + monotonic_ns;
}

int64_t clock_boot_ns(void) { return clock_ns(CLOCK_BOOTTIME); }

int clock_left_ms(int64_t deadline_ns)
{
	int64_t left = deadline_ns - clock_monotonic_ns();

	if (left <= 0)
		return 0;
	if (left / CLOCK_NS_PER_MS >= INT_MAX)
		return INT_MAX;
	return (int)((left + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS);
}

int64_t clock_after(int64_t time_ns, int64_t ns)
{
	int64_t deadline;

	return __builtin_add_overflow(time_ns, ns, &deadline) ? INT64_MAX
							      : deadline;
}

void clock_sleep_until(int64_t deadline_ns)
{
	struct timespec until = {
		.tv_sec = deadline_ns / CLOCK_NS_PER_S,
		.tv_nsec = deadline_ns % CLOCK_NS_PER_S,
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) ==
	       EINTR)
		;
}
