/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_asleep: where threads are that sleep, which no program in the kernel has
 * seen go to sleep, nor can it read the stack of one: asked of /proc.
 */
#ifndef CMD_PROF_ASLEEP_H
#define CMD_PROF_ASLEEP_H

#include "cmd/prof_target.h"

#include <stdint.h>
#include <sys/types.h>

/* Those of a process that slept when sampling began. */
struct prof_asleep;

struct prof_asleep *prof_asleep_new(struct prof_target *t);
void prof_asleep_free(struct prof_asleep *a); /* NULL is fine */

/*
 * The profile's stack trace of one of them, if it is still where it was then:
 * its stack pointer tells; else 0.
 */
uint32_t prof_asleep_stack(const struct prof_asleep *a, pid_t tid, uint64_t sp);

/*
 * Adds those of a process that had no sample, with the time from start_ns to
 * end_ns (CLOCK_MONOTONIC).  A target that has ended has none.
 */
void prof_asleep_add(struct prof_target *t, int64_t start_ns, int64_t end_ns);

#endif
