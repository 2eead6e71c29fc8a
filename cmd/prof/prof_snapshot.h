/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_snapshot: writes the profile so far when SIGUSR1 arrives.
 *
 * A child process writes its copy of the profile, so that sampling continues
 * and a filter does not remove samples from the final profile.
 */
#ifndef CMD_PROF_PROF_SNAPSHOT_H
#define CMD_PROF_PROF_SNAPSHOT_H

#include "core/base/clock.h"
#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The time that writing a snapshot may take. */
#define PROF_SNAPSHOT_NS (60 * CLOCK_NS_PER_S)

/* Installs the handler of SIGUSR1. */
void prof_snapshot_listen(void);

/* A descriptor for poll(2) that a request makes readable; -1 = none. */
int prof_snapshot_fd(void);

/* True if a snapshot was requested since the last call. */
bool prof_snapshot_taken(void);

/* Calls write() in a child process; prints its error. */
void prof_snapshot_write(int (*write)(void *self, struct error *err),
			 void *self);

/*
 * Waits for the last snapshot, so that it cannot replace a later output.  At
 * until_ns (CLOCK_MONOTONIC) it kills the process and prints a message.
 */
void prof_snapshot_await(int64_t until_ns);

#endif
