/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling: a session that samples processes with eBPF into a profile.
 *
 * Call order: sampling_open; sampling_add for each process; sampling_find;
 * sampling_start; sampling_step until it returns false; sampling_stop;
 * sampling_profile; sampling_close.
 *
 * The session prints nothing.  It reports messages through options.notice, and
 * losses as remarks of the profile.
 */
#ifndef BPF_SAMPLING_SAMPLING_H
#define BPF_SAMPLING_SAMPLING_H

#include "bpf/sampling/session.h"
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
 * Loads the BPF programs.  The options and the objects that they refer to are
 * borrowed until sampling_close().  Returns NULL and the errors of
 * sampler_open() on failure.
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
 * Prepares a program, found in PATH, which sampling_start() starts.  Samples it
 * and every JVM among its descendants.  argv ends with NULL and is borrowed.
 * The program keeps running after sampling_close().
 */
int sampling_launch(struct sampling *s, char *const *argv, struct error *err);

/*
 * Adds every running JVM, with options.all; call it when all other processes
 * are added.  Takes seconds for a JVM that does not respond.  ERROR_NO_TARGET
 * if options.tid is not a thread of the processes.
 */
int sampling_find(struct sampling *s, struct error *err);

/* Starts sampling, after sampling_find(). */
int sampling_start(struct sampling *s, struct error *err);

/*
 * Waits for the next samples and adds them to the profile.  Returns early if
 * one of the caller's descriptors is ready; its revents are set.  Returns false
 * when sampling is over: options.duration_ns have passed, or no process is left
 * to be sampled.
 */
bool sampling_step(struct sampling *s, struct pollfd *fds, nfds_t count);

/*
 * Stops sampling and adds all samples taken so far to the profile.  Returns
 * false if options.is_full ended that: call sampling_next_parts(), and then
 * sampling_stop() again.
 */
bool sampling_stop(struct sampling *s);

/*
 * The profile of the current window, with its losses and notes.  It belongs to
 * the session.  Call it once, after sampling_stop() or in a child process.
 */
struct profile *sampling_profile(struct sampling *s);

/*
 * With options.separate: starts a new window with empty profiles while sampling
 * continues.  Stores the profiles of the processes in the previous window in
 * *parts, an array that the caller frees with its elements, and returns a
 * profile that has only the losses and notes of the session, which the caller
 * frees.  A sample is in the window in which it was read, so that no sample is
 * lost or counted twice.  A wait is cut at the boundary: each window has its
 * part, and counts it.
 */
struct profile *sampling_next_parts(struct sampling *s,
				    struct profile_part **parts, size_t *count);

/*
 * Changes the frequency of the next window: call it after sampling_pause() and
 * right before sampling_next_parts(), which ends the window with the frequency
 * before.  hz is at most that of the options.  On failure, nothing samples the
 * CPUs until sampling_step() can start the ticks again; the time until then is
 * counted as lost.
 */
int sampling_set_hz(struct sampling *s, uint64_t hz, struct error *err);

/*
 * Stops sampling the CPUs until sampling_set_hz(), and reads all samples of the
 * frequency.  Returns false if options.is_full ended that: call
 * sampling_next_parts(), and then sampling_pause() again.
 */
bool sampling_pause(struct sampling *s);

/*
 * Frees what the JVM that was sampled longest ago has cached, which is read
 * again when needed.  Returns false when there is no such JVM left in this
 * window.
 */
bool sampling_drop_caches(struct sampling *s);

/* Refuses JVMs that are not sampled yet, or no longer; they are counted. */
void sampling_refuse_new(struct sampling *s, bool refuses);

/* Appends the name of what is sampled: "com.acme.Main (4711)", "3 JVMs";
 * foreign. */
void sampling_add_name(const struct sampling *s, struct text *out);

/*
 * Appends the current window's title: "Main (4711): cpu at 99 Hz (cpu-clock),
 * lock, 10.0 s, 990 samples, 2 lost"; foreign.
 */
void sampling_add_title(const struct sampling *s, struct text *out);

/* The name of an event by its bit number; NULL = no such event. */
const char *sampling_event_name(unsigned bit);

/* The outcome of a session; valid after sampling_stop(). */
struct sampling_result {
	unsigned events;  /* bits SAMPLING_… that were sampled */
	size_t processes; /* number of sampled processes */
	size_t ended;     /* added processes that ended during sampling */
	bool is_launched; /* sampling_launch() was called */
	bool has_exited;  /* the launched program has exited */
	int status;       /* status of wait(2) */
	pid_t launched;   /* its pid */
	const struct jvm
		*only; /* the process, if there is exactly one; or NULL */
};

struct sampling_result sampling_result(const struct sampling *s);

/* A running session. */
struct sampling_status {
	size_t sampled;   /* running processes that are sampled */
	size_t refused;   /* JVMs that cannot be sampled */
	size_t excluded;  /* JVMs that options.wants left out */
	uint64_t unnamed; /* Java frames without a name since the start */
	uint64_t hz;      /* ticks per second and CPU */
};

struct sampling_status sampling_status(const struct sampling *s);

/*
 * The time that samples wait in the ring buffer before they are read.
 *
 * Reading costs CPU time, however few samples there are; but sampled code may
 * be freed before it is read, and then its frames have no names.  So the
 * interval grows while the code of all JVMs is unchanged, and is halved
 * whenever code was freed or a frame had no name.
 */
struct drain_interval {
	int64_t ns; /* the last interval; 0 = none */
	uint64_t changes;
};

/*
 * Returns the time until the next batch, in ns, at most most_ns.  Call it after
 * each batch.  changes is sampling_targets_changes(), which only grows.
 */
int64_t drain_interval_next(struct drain_interval *d, uint64_t changes,
			    int64_t most_ns);

/*
 * True if code is freed so fast that even a short interval is too long: read
 * the first sample after the interval at once.
 */
bool drain_interval_is_short(const struct drain_interval *d);

#endif
