/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_live: `sjkc prof` of processes that run: samples them until it is told
 * to stop, and has what was sampled written.
 */
#ifndef CMD_PROF_PROF_LIVE_H
#define CMD_PROF_PROF_LIVE_H

#include "core/base/error.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What is sampled; several at once. */
enum {
	PROF_CPU = 1,
	PROF_OFFCPU = 2,
	PROF_WALL = 4,
	PROF_ALLOC = 8,
	PROF_LOCK = 16,
};

struct prof_live_options {
	const char *const *pids; /* as target_open_named() has them */
	size_t pid_count;
	bool all;       /* every JVM, those that begin later, too */
	char **command; /* a program to start, ends with NULL; or NULL */

	unsigned events;         /* PROF_… */
	uint64_t hz;             /* 0 = as is usual for the sampler */
	int64_t duration_ns;     /* 0 = until it is told to stop */
	uint64_t alloc_interval; /* bytes; 0 = the JVM's own */
	int64_t min_blocked_ns;
	uint64_t stack_bytes, max_stack;
	pid_t tid;                   /* 0 = all */
	bool only_user, only_kernel; /* sides of the stack */
	bool no_agent, quiet_target;
	bool agent; /* for names, too, where a JVM's build is not safe with it
		     */
	bool dumps; /* by thread dumps, not by eBPF */
	bool idle;  /* with dumps: idle threads may be runnable, too */
	bool lines;
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

/* "cpu,alloc" as PROF_… bits; 0 and ERROR_MISUSE. */
unsigned prof_live_events(const char *list, struct error *err);

#endif
