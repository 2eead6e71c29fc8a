/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle_threads: where threads are that sleep, which no program in the kernel
 * has seen go to sleep, nor can it read the stack of one: asked of /proc.
 */
#ifndef BPF_SAMPLING_IDLE_THREADS_H
#define BPF_SAMPLING_IDLE_THREADS_H

#include "bpf/sampling/sampling_target.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Those of a process that slept when it was first looked at. */
struct idle_threads;

/*
 * Of the threads that there are, of which none has been looked at; since_ns is
 * since when the process is sampled (CLOCK_MONOTONIC).  The target has it, as
 * `asleep`, when the functions below are called.
 */
struct idle_threads *idle_threads_new(struct sampling_target *t,
				      int64_t since_ns);
void idle_threads_free(struct idle_threads *a); /* NULL is fine */

/* Stack traces are of another profile from now on; that before still exists. */
void idle_threads_renew(struct idle_threads *a, const struct profile *before,
			struct profile *p);

/*
 * Takes what the kernel tells of one of them (sampler_look()); and that it has
 * told of all.  Where it does not, /proc tells less.
 */
void idle_threads_catch(struct idle_threads *a, const struct sample_event *e,
			const uint64_t *kernel);
void idle_threads_told(struct idle_threads *a);

/*
 * In between: copies what most stacks have, of those that were caught, and
 * takes what the kernel tells once more: who has not left a CPU since then was
 * there all the while.
 */
void idle_threads_copy(struct sampling_target *t);
void idle_threads_confirm(struct idle_threads *a, const struct sample_event *e);

/*
 * Looks where the next of them are, until then, roughly: memory that stalls may
 * take a second more.  True when there are no more.
 */
bool idle_threads_look(struct sampling_target *t, int64_t until_ns);

/*
 * The profile's stack trace of one of them, if it is still where it was then:
 * its stack pointer tells; else 0.
 */
uint32_t idle_threads_stack(const struct idle_threads *a, pid_t tid,
			    uint64_t sp);

/*
 * Adds those that had no sample, since they have slept up to end_ns.  Where
 * samples were lost, only those are that have not left a CPU since they were
 * looked at; the others, and those that there is no time to look at (until_ns),
 * are counted as lost.  A target that has ended has none.
 */
void idle_threads_add(struct sampling_target *t, int64_t end_ns, bool has_lost,
		      int64_t until_ns);

/*
 * Counts threads that are left out as losses: those hidden by lost samples, and
 * those that there was no time for.
 */
void idle_threads_count_lost(struct profile *p, uint64_t hidden, uint64_t late);

#endif
