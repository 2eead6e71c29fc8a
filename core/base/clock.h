/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock: times and deadlines.
 *
 * Rates and deadlines use the monotonic clock, which cannot be set; the wall
 * clock is only printed.
 */
#ifndef CORE_BASE_CLOCK_H
#define CORE_BASE_CLOCK_H

#include <stdint.h>

#define CLOCK_NS_PER_S  INT64_C(1000000000)
#define CLOCK_NS_PER_MS INT64_C(1000000)

/* CLOCK_MONOTONIC in ns; it stops while the machine sleeps. */
int64_t clock_monotonic_ns(void);

/* Nanoseconds since 1970-01-01T00:00:00Z. */
int64_t clock_wall_ns(void);

/*
 * The wall clock time of a time of CLOCK_MONOTONIC, as the wall clock is set
 * now: do not keep it for other times, since the clock may be set.
 */
int64_t clock_wall_of(int64_t monotonic_ns);

/* CLOCK_BOOTTIME in ns: the clock of start times in /proc. */
int64_t clock_boot_ns(void);

/*
 * Milliseconds until a deadline (clock_monotonic_ns()), rounded up, for
 * poll(2); 0 when it has passed, at most INT_MAX.
 */
int clock_left_ms(int64_t deadline_ns);

/* time_ns + ns, or INT64_MAX (never) on overflow. */
int64_t clock_after(int64_t time_ns, int64_t ns);

/* Sleeps until the deadline, even if signals arrive. */
void clock_sleep_until(int64_t deadline_ns);

#endif
