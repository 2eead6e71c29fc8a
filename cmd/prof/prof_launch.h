/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_launch: a program that is started to be sampled from its beginning.
 *
 * It is there as a process before it begins, so that it can be made ready for.
 * It ends when it wants to, whatever becomes of us.
 */
#ifndef CMD_PROF_PROF_LAUNCH_H
#define CMD_PROF_PROF_LAUNCH_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct prof_launch {
	pid_t pid;        /* 0 = there is none */
	int channel;      /* it begins when this is written to; -1 afterwards */
	const char *name; /* as it was given; borrowed */
	bool has_ended;
	int status; /* wait(2)'s, then */
};

/* Makes the process of a program, by PATH; argv ends with NULL. */
int prof_launch_open(struct prof_launch *l, char *const *argv,
		     struct error *err);

/*
 * Lets it begin.  ERROR_FAILED when there is no such program, or it has not
 * begun until then (CLOCK_MONOTONIC).
 */
int prof_launch_begin(struct prof_launch *l, int64_t until_ns,
		      struct error *err);

/* True once it has ended, which status says how of. */
bool prof_launch_has_ended(struct prof_launch *l);

/* One that has not begun never does.  Zeroed storage is fine. */
void prof_launch_close(struct prof_launch *l);

#endif
