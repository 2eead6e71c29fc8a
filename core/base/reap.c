/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/reap.h"

#include "core/base/clock.h"

#include <sys/wait.h>

#define LONGEST_NS (20 * CLOCK_NS_PER_MS)

/* A pidfd could be polled, which not every kernel has. */
bool reap_until(pid_t child, int *status, int64_t until_ns)
{
	int64_t step_ns = CLOCK_NS_PER_MS / 4;

	while (waitpid(child, status, WNOHANG) == 0) {
		int64_t now = clock_monotonic_ns();

		if (now >= until_ns)
			return false;
		clock_sleep_until(now + step_ns < until_ns ? now + step_ns
							   : until_ns);
		if (step_ns < LONGEST_NS)
			step_ns *= 2;
	}
	return true;
}
