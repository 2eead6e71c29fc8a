/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_asleep: threads that were off their CPUs for all of the time.
 *
 * They never left a CPU, so that no program in the kernel has seen them; what
 * they wait in is asked of /proc when it is over.
 */
#ifndef CMD_PROF_ASLEEP_H
#define CMD_PROF_ASLEEP_H

#include "cmd/prof_target.h"

#include <stdint.h>

/*
 * Adds those of a process that had no sample, with the time from start_ns to
 * end_ns (CLOCK_MONOTONIC).  A target that has ended has none.
 */
void prof_asleep_add(struct prof_target *t, int64_t start_ns, int64_t end_ns);

#endif
