/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling_threads: the threads of one process, as a profile has them.
 *
 * The kernel knows 15 bytes of a name, and the last one only; the JVM knows
 * all.  A thread is what it was called last.
 */
#ifndef BPF_SAMPLING_SAMPLING_THREADS_H
#define BPF_SAMPLING_SAMPLING_THREADS_H

#include "core/hotspot/java_threads.h"
#include "core/hotspot/vm_structs.h"
#include "core/jvm/jvm.h"
#include "core/process/memory.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sampling_threads;

/* Both are borrowed. */
struct sampling_threads *sampling_threads_new(struct profile *p,
					      const struct jvm *jvm);
void sampling_threads_free(struct sampling_threads *t); /* NULL is fine */

/*
 * Threads are of another profile from now on, which gets those that still run;
 * the others are forgotten.  The profile before is still there.
 */
void sampling_threads_renew(struct sampling_threads *t, struct profile *p);

/* The profile's id of a thread that has a sample, and this kernel name. */
uint32_t sampling_threads_id(struct sampling_threads *t, pid_t tid,
			     const char *comm);

/*
 * The profile's id of a thread that owned a monitor at a time of
 * clock_monotonic_ns(): by its tid as the JVM has it, or, of a virtual thread
 * or one that has ended, by Java's id alone.  0 when it has begun only later:
 * it has got the place of the one that owned it.
 */
uint32_t sampling_threads_owner(struct sampling_threads *t,
				const struct monitor_owner *owner,
				int64_t owned_ns);

/* True when sampling_threads_id() has been asked for the thread. */
bool sampling_threads_has_sample(const struct sampling_threads *t, pid_t tid);

/*
 * Where the stack of a thread that has been given an id ends, for the caller
 * to remember; 0 at first.
 */
uint64_t *sampling_threads_stack_end(struct sampling_threads *t, pid_t tid);

/* The JVM may be asked for names, over its attach socket. */
void sampling_threads_ask(struct sampling_threads *t);

/*
 * Where the JVM is not asked, names come from its memory.  Both are borrowed,
 * and are still there when sampling_threads_finish() is called.
 */
void sampling_threads_look(struct sampling_threads *t,
			   const struct vm_structs *v, struct memory *memory);

/* Now and then: takes what the JVM has said; asks when there are new threads.
 */
void sampling_threads_refresh(struct sampling_threads *t);

/* At the end: waits for what is still to come, until then. */
void sampling_threads_finish(struct sampling_threads *t, int64_t until_ns);

#endif
