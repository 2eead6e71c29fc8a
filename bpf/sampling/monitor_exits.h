/* SPDX-License-Identifier: Apache-2.0 */
/*
 * monitor_exits: the methods that held the monitors of a process, from samples
 * of threads that release them.
 *
 * A thread that releases a monitor for which others wait calls a function of
 * the JVM, so its leaf Java frame holds the monitor until then.  A wait is
 * divided at these times.  Nothing is read from the owner while it holds the
 * monitor, and no thread is stopped.
 */
#ifndef BPF_SAMPLING_MONITOR_EXITS_H
#define BPF_SAMPLING_MONITOR_EXITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of parts of a wait. */
enum { MONITOR_PARTS = 32 };

struct monitor_exits;

struct monitor_exits *monitor_exits_new(void);
void monitor_exits_free(struct monitor_exits *x); /* NULL is fine */

/* Forgets all releases; their frames become invalid. */
void monitor_exits_clear(struct monitor_exits *x);

/*
 * Notes that a method, a frame of the caller's profile, released the monitor at
 * an address at time_ns (CLOCK_MONOTONIC, not before the last call).
 * is_chosen: other releases at that time were not sampled.
 */
void monitor_exits_add(struct monitor_exits *x, uint64_t monitor,
		       uint64_t time_ns, uint32_t frame, bool is_chosen);

/* A part of a wait, during which a method held the monitor. */
struct monitor_part {
	uint32_t frame;
	uint64_t from_ns, ns;
};

/*
 * Divides the wait for a monitor from from_ns until to_ns, which is not after
 * the last release, or just after it, into at most MONITOR_PARTS parts, in the
 * order of time, which add up to the wait.  Returns their number; 0 if no
 * release during the wait is known.  If only some releases are sampled, the
 * last known release counts.
 */
size_t monitor_exits_split(const struct monitor_exits *x, uint64_t monitor,
			   uint64_t from_ns, uint64_t to_ns,
			   struct monitor_part *parts);

#endif
