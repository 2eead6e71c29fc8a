/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_snapshot: SIGUSR1 asks for what there is so far.
 *
 * Another process writes it, with all that there is at that time: samples are
 * taken and read meanwhile, and a filter takes nothing away from what is to
 * come.
 */
#ifndef CMD_PROF_PROF_SNAPSHOT_H
#define CMD_PROF_PROF_SNAPSHOT_H

#include "core/base/clock.h"
#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* What writing one may take. */
#define PROF_SNAPSHOT_NS (60 * CLOCK_NS_PER_S)

/* From now on it does. */
void prof_snapshot_listen(void);

/* Readable, for poll(2), once one was asked for; -1 when that is not to be. */
int prof_snapshot_fd(void);

/* True when one was asked for since the last time. */
bool prof_snapshot_taken(void);

/* Has write() called, in another process; what goes wrong is said. */
void prof_snapshot_write(int (*write)(void *self, struct error *err),
			 void *self);

/*
 * Waits for the one at work, so that what is written next is written last; one
 * that has not ended until then (CLOCK_MONOTONIC) is ended, which is said.
 */
void prof_snapshot_await(int64_t until_ns);

#endif
