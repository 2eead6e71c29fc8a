/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock: what time it is, and how much of a wait is left.
 *
 * Rates and deadlines use the monotonic clock, which nobody sets; the wall
 * clock is only shown.
 */
#ifndef CORE_BASE_CLOCK_H
#define CORE_BASE_CLOCK_H

#include <stdint.h>

#define CLOCK_NS_PER_S  INT64_C(1000000000)
#define CLOCK_NS_PER_MS INT64_C(1000000)

/* CLOCK_MONOTONIC, nanoseconds; stands still while the machine sleeps. */
int64_t clock_monotonic_ns(void);

/* Nanoseconds since 1970-01-01T00:00:00Z. */
int64_t clock_wall_ns(void);

/* CLOCK_BOOTTIME, nanoseconds: what /proc gives start times by. */
int64_t clock_boot_ns(void);

/*
 * Milliseconds until a deadline (of clock_monotonic_ns()), rounded up, as
 * poll(2) takes them; 0 when it has passed, INT_MAX at most.
 */
int clock_left_ms(int64_t deadline_ns);

/* So many ns after a time; INT64_MAX, which is never, when that is too far. */
int64_t clock_after(int64_t time_ns, int64_t ns);

/* Sleeps until the deadline, whatever interrupts. */
void clock_sleep_until(int64_t deadline_ns);

#endif
