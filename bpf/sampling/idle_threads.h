/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle_threads: the stacks of threads that sleep when sampling begins.
 *
 * The kernel's programs see a thread when it leaves or gets a CPU, so they miss
 * a thread that sleeps all the time.  Its registers come from another program,
 * which runs once for each task, or from /proc on older kernels.  The calls in
 * order:
 *
 * idle_threads_new; idle_threads_catch for each sleeping thread;
 * idle_threads_copy; idle_threads_confirm for each of them again;
 * idle_threads_end_round; idle_threads_walk until all stacks are walked;
 * idle_threads_add at the end of each window.
 */
#ifndef BPF_SAMPLING_IDLE_THREADS_H
#define BPF_SAMPLING_IDLE_THREADS_H

#include "bpf/sampling/sampling_target.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The threads of a process that existed when it was added. */
struct idle_threads;

/*
 * since_ns is the time when sampling of the process began (CLOCK_MONOTONIC).
 * The result must be in t->idle when the functions below are called.
 */
struct idle_threads *idle_threads_new(struct sampling_target *t,
				      int64_t since_ns);
void idle_threads_free(struct idle_threads *a); /* NULL is fine */

/* Copies stack traces of threads that still sleep from t->before. */
void idle_threads_renew(struct sampling_target *t);

/*
 * Keeps the registers and the kernel's stack of a sleeping thread
 * (sampler_read_sleepers()).  Without this call, /proc gives fewer registers.
 */
void idle_threads_catch(struct idle_threads *a, const struct sample_event *e,
			const uint64_t *kernel);

/*
 * Copies the first pages of the first stacks; idle_threads_walk() copies the
 * others.  A thread that is then reported with
 * the same number of switches has not moved while its stack was copied.
 */
void idle_threads_copy(struct sampling_target *t);
void idle_threads_confirm(struct idle_threads *a, const struct sample_event *e);

/* Call when all sleeping threads were reported: the others were running. */
void idle_threads_end_round(struct idle_threads *a);

/*
 * Walks stacks until about until_ns; a read that stalls may take a second more.
 * True when all are walked.
 */
bool idle_threads_walk(struct sampling_target *t, int64_t until_ns);

/*
 * Returns the profile's stack trace of a thread that is still where it slept,
 * by its stack pointer; otherwise 0.
 */
uint32_t idle_threads_stack(const struct idle_threads *a, pid_t tid,
			    uint64_t sp);

/*
 * Adds a sample for each thread that has slept all the time, for its time in
 * the current window up to end_ns, which ends the window.  If samples were lost
 * in the window, adds only threads that have not left a CPU since their stacks
 * were walked, and forgets the others.  Counts the other threads as lost, and
 * the threads that could not be checked until until_ns.  Adds nothing for a
 * target that has ended.
 */
void idle_threads_add(struct sampling_target *t, int64_t end_ns, bool has_lost,
		      int64_t until_ns);

/*
 * Counts omitted threads as losses of the profile: those hidden by lost
 * samples, and those that there was no time for.
 */
void idle_threads_count_lost(struct profile *p, uint64_t hidden, uint64_t late);

#endif
