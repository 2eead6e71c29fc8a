/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling: a sampling session: samples processes by eBPF into a profile.
 *
 *	s = sampling_open(&options, &err);
 *	sampling_add(s, &jvm, &err);
 *	sampling_start(s, &err);
 *	while (sampling_step(s, fds, count))
 *		look at fds;
 *	sampling_stop(s);
 *	profile = sampling_profile(s);
 *
 * The session prints nothing: it reports messages through options.notice, and
 * losses as remarks of the profile.
 */
#ifndef BPF_SAMPLING_SAMPLING_H
#define BPF_SAMPLING_SAMPLING_H

#include "bpf/sampling/sampling_options.h"
#include "core/base/child.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"
#include "core/profile/profile.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sampling;

/*
 * Loads the BPF programs; the options and what they refer to are borrowed until
 * sampling_close().  NULL and an error of sampler_open()'s.
 */
struct sampling *sampling_open(const struct sampling_options *o,
			       struct error *err);
void sampling_close(struct sampling *s); /* NULL is fine */

/*
 * Adds a process.  The session owns *jvm from now on and closes it, even on
 * failure.  ERROR_NO_TARGET, ERROR_PERMISSION, ERROR_UNAVAILABLE, …
 */
int sampling_add(struct sampling *s, struct jvm *jvm, struct error *err);

/*
 * Starts a program, found by PATH, once sampling has begun, and samples it and
 * every JVM among its descendants.  argv ends with NULL and is borrowed.  The
 * program goes on when the session is closed.
 */
int sampling_launch(struct sampling *s, char *const *argv, struct error *err);

/*
 * Begins to take samples, of every JVM with options.all.  ERROR_NO_TARGET when
 * options.tid is no thread of the processes.
 */
int sampling_start(struct sampling *s, struct error *err);

/*
 * Waits for the next samples and adds them to the profile; returns early when
 * one of the caller's descriptors is ready, which its revents say.  False
 * when sampling is over: options.duration_ns have passed, or no process is left
 * that could be sampled.
 */
bool sampling_step(struct sampling *s, struct pollfd *fds, nfds_t count);

/* Stops taking samples, and adds all that were taken to the profile. */
void sampling_stop(struct sampling *s);

/*
 * The profile of the current window, with its losses and notes.  It belongs to
 * the session.  Call it once, after sampling_stop() or in a child process.
 */
struct profile *sampling_profile(struct sampling *s);

/*
 * Ends the current window and begins the next one with an empty profile, while
 * sampling goes on.  Gives the profile of the window that has ended, which is
 * the caller's to free.  Each sample is in the window in which it was read, so
 * none is lost and none is counted twice; a wait is in the window in which it
 * ended.
 */
struct profile *sampling_next_window(struct sampling *s);

/* Appends "com.acme.Main (4711)", "3 JVMs"; foreign. */
void sampling_add_name(const struct sampling *s, struct text *out);

/*
 * Appends what was sampled in the current window: "Main (4711): cpu at 99 Hz
 * (cpu-clock), lock, 10.0 s, 990 samples, 2 lost"; foreign.
 */
void sampling_add_title(const struct sampling *s, struct text *out);

/* The name of an event by the number of its bit; NULL when there is none. */
const char *sampling_event_name(unsigned bit);

/* What became of a session; valid after sampling_stop(). */
struct sampling_result {
	unsigned events;        /* bits SAMPLING_… that could be sampled */
	size_t processes;       /* that were sampled */
	size_t ended;           /* of those added, before sampling was over */
	bool is_launched;       /* by sampling_launch() */
	bool has_exited;        /* the launched program, with: */
	int status;             /* as wait(2) gives it */
	pid_t launched;         /* its pid */
	const struct jvm *only; /* the process when there is one; or NULL */
};

struct sampling_result sampling_result(const struct sampling *s);

/*
 * How long samples wait in the ring buffer before they are read.
 *
 * Reading costs CPU time, however few samples there are; but sampled code may
 * be freed before it is read, and then its frames have no names.  So the
 * interval grows while the code of all JVMs stays, and is halved whenever code
 * was freed or a frame had no name.
 */
struct drain_interval {
	int64_t ns; /* the next interval; 0 = there was none yet */
	uint64_t changes;
};

/*
 * After a batch: the time until the next one, in ns.  changes counts, since the
 * session began, all that was gone when it was looked at.
 */
int64_t drain_interval_next(struct drain_interval *d, uint64_t changes);

/*
 * Whether code is freed so fast that even the shortest interval is long: then
 * the first sample after it should be read at once.
 */
bool drain_interval_is_short(const struct drain_interval *d);

/*
 * A launched program.
 *
 * Its process exists before it executes the program, so that sampling can be
 * set up first.  The program keeps running if sjkc exits.
 */

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
