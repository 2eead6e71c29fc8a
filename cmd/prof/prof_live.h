/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_live: samples running processes for `sjkc prof` and writes the profile.
 */
#ifndef CMD_PROF_PROF_LIVE_H
#define CMD_PROF_PROF_LIVE_H

#include "bpf/sampling/session.h"
#include "core/base/error.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct prof_live_options {
	struct sampling_options sampling; /* hz: 0 = the sampler's default */
	const char *const *pids;          /* names for target_open_named() */
	size_t pid_count;
	char **command;      /* a program to start, ends with NULL; or NULL */
	bool dumps;          /* use thread dumps instead of eBPF */
	bool jfr;            /* use JFR instead of eBPF and the agent */
	bool idle;           /* reports and dumps: keep idle threads */
	bool shows_no_notes; /* the output has no notes: print them */

	/*
	 * Writes the profile, at the end and for each snapshot.  name is the
	 * sampled process, title also describes the sampling.
	 */
	int (*write)(void *self, struct profile *p, const char *name,
		     const char *title, struct error *err);
	void *self;
};

/*
 * Samples until a signal or the end of the duration, and writes the profile.
 * ERROR_PARTIAL if the profile was written, but samples were lost or a process
 * ended early.
 */
int prof_live(const struct prof_live_options *o, struct error *err);

struct sampling;

/* Adds to a profile, for exporters, how many bytes are between allocations. */
void prof_live_set_interval(const struct sampling_options *o,
			    struct profile *p);

/*
 * Opens a session with the processes and starts sampling, for callers that run
 * the session.  NULL and *err on failure; the caller calls sampling_close().
 */
struct sampling *prof_live_start(struct prof_live_options *o,
				 struct error *err);

/*
 * Samples by thread dumps, without eBPF. Each dump stops the program at a
 * safepoint, so that the reported methods may not be the hot ones: prof uses it
 * only on request, and its output has a warning.
 */
int prof_dumps(const struct prof_live_options *o, struct error *err);

/*
 * Records allocations and waits for monitors with JFR, without eBPF and the
 * agent. ERROR_UNAVAILABLE if the JVM has no JFR, ERROR_PARTIAL if the
 * beginning of a large recording is missing, or an error of the attach session.
 */
int prof_jfr(const struct prof_live_options *o, struct error *err);

/*
 * Parses "cpu,alloc" to SAMPLING_… bits; 0 and ERROR_MISUSE on failure.
 * "probe:submit" sets *probe to "submit", a static string; else it is NULL.
 */
unsigned prof_live_events(const char *list, const char **probe,
			  struct error *err);

#endif
