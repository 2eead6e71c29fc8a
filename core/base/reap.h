/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap: waits for a child of ours that may never end.
 */
#ifndef CORE_BASE_REAP_H
#define CORE_BASE_REAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Until it has ended, or until then (clock_monotonic_ns()): false, it still
 * runs.  What is no child of ours, or any more, has ended, and *status is as
 * before; status may be NULL, else it is as waitpid(2) has it.
 */
bool reap_until(pid_t child, int *status, int64_t until_ns);

#endif
