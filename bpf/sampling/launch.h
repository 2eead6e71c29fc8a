/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch: a program that is started to be sampled from its beginning.
 *
 * It is there as a process before it begins, so that it can be made ready for.
 * It ends when it wants to, whatever becomes of us.
 */
#ifndef BPF_SAMPLING_LAUNCH_H
#define BPF_SAMPLING_LAUNCH_H

#include "core/base/child.h"
#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct launch {
	struct child child; /* pid 0: none; no channel once it has begun */
	const char *name;   /* as it was given; borrowed */
	bool has_ended;
	int status; /* wait(2)'s, then */
};

/*
 * Makes the process of a program, by PATH; argv ends with NULL.  before_exec,
 * unless NULL, is called in it just before the program begins.
 */
int launch_open(struct launch *l, char *const *argv, void (*before_exec)(void),
		struct error *err);

/*
 * Lets it begin.  ERROR_FAILED when there is no such program, or it has not
 * begun until then (CLOCK_MONOTONIC).
 */
int launch_begin(struct launch *l, int64_t until_ns, struct error *err);

/* True once it has ended, which status says how of. */
bool launch_has_ended(struct launch *l);

/* One that has not begun never does.  Zeroed storage is fine. */
void launch_close(struct launch *l);

#endif
