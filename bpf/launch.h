/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch: a launched program.
 *
 * Its process exists before it executes the program, so that sampling can be
 * set up first.  The program keeps running if sjkc exits.
 */
#ifndef BPF_LAUNCH_H
#define BPF_LAUNCH_H

#include "core/base/child.h"
#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct launch {
	struct child child; /* pid 0: none; the channel is closed once the
			       program was started */
	const char *name;   /* argv[0]; borrowed */
	bool has_ended;
	int status; /* status of wait(2), once the program has ended */
};

/*
 * Forks a process for a program, found in PATH; argv ends with NULL.
 * before_exec, unless NULL, is called in it just before execvp(3).
 */
int launch_open(struct launch *l, char *const *argv, void (*before_exec)(void),
		struct error *err);

/*
 * Executes the program.  ERROR_FAILED if it cannot be executed, or not before
 * until_ns (CLOCK_MONOTONIC).
 */
int launch_begin(struct launch *l, int64_t until_ns, struct error *err);

/* Kills the process if it has not executed the program. */
void launch_close(struct launch *l);

/* True once the program has ended; then status is set. */
bool launch_has_ended(struct launch *l);

#endif
