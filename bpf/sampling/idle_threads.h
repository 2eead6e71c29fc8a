/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle_threads: the stacks of threads that sleep when sampling begins.
 *
 * The kernel's programs see a thread when it leaves or gets a CPU, so they miss
 * a thread that sleeps all the time.  Its registers come from another program,
 * which runs once for each task, or from /proc on older kernels.  A thread
 * whose stack was walked gets a wait of the sampler (waits.h).  The calls in
 * order:
 *
 * idle_threads_new; idle_threads_catch for each sleeping thread;
 * idle_threads_copy; idle_threads_confirm for each of them again;
 * idle_threads_end_round; idle_threads_walk until all stacks are walked;
 * idle_threads_count_lost at the end of each window.
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
 * True when all are walked, or when there is no memory for more now.
 */
bool idle_threads_walk(struct sampling_target *t, int64_t until_ns);

/*
 * When samples were lost: returns true if a thread is in the wait that began
 * before sampling, which then counts since that is known.
 */
bool idle_threads_sleeps(struct sample_event *e);

/*
 * Counts the threads without a sample and without a wait as losses of the
 * profile: those that there was no time for and, if samples were lost, all
 * others.
 */
void idle_threads_count_lost(struct sampling_target *t, bool has_lost);

#endif
