/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_live: `sjkc prof` of processes that run: samples them until it is told
 * to stop, and has what was sampled written.
 */
#ifndef CMD_PROF_PROF_LIVE_H
#define CMD_PROF_PROF_LIVE_H

#include "bpf/sampling/sampling_options.h"
#include "core/base/error.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct prof_live_options {
	struct sampling_options sampling; /* hz: 0 = as the sampler has it */
	const char *const *pids;          /* as target_open_named() has them */
	size_t pid_count;
	char **command;      /* a program to start, ends with NULL; or NULL */
	bool dumps;          /* by thread dumps, not by eBPF */
	bool idle;           /* with dumps: idle threads may be runnable, too */
	bool shows_no_notes; /* what is written: they are said */

	/*
	 * Writes what was sampled so far, at its end and whenever a snapshot is
	 * asked for; name is whose samples they are, title what was sampled,
	 * too.
	 */
	int (*write)(void *self, struct profile *p, const char *name,
		     const char *title, struct error *err);
	void *self;
};

/*
 * Fails with ERROR_PARTIAL when samples were lost or a process ended before it
 * was told to stop: what was sampled has been written, and it was said.
 */
int prof_live(const struct prof_live_options *o, struct error *err);

/*
 * The same without eBPF, by thread dumps.  Each dump stops the program, and is
 * taken only at a safepoint, so that methods between safepoints are missing:
 * it is used only when asked for, and its output says so.
 */
int prof_dumps(const struct prof_live_options *o, struct error *err);

/* "cpu,alloc" as SAMPLING_… bits; 0 and ERROR_MISUSE. */
unsigned prof_live_events(const char *list, struct error *err);

#endif
