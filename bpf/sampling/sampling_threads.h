/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling_threads: the threads of one process in a profile.
 *
 * The kernel keeps 15 bytes of a thread's name; longer names are read from the
 * JVM, by a thread dump or from its memory.  A renamed thread has its last
 * name.
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

/* Both arguments are borrowed. */
struct sampling_threads *sampling_threads_new(struct profile *p,
					      const struct jvm *jvm);
void sampling_threads_free(struct sampling_threads *t); /* NULL is fine */

/*
 * Adds the running threads to another profile, which is used from now on, and
 * forgets the others.  The profile before still exists.
 */
void sampling_threads_renew(struct sampling_threads *t, struct profile *p);

/* Returns the profile's id of a sampled thread; comm is the kernel's name. */
uint32_t sampling_threads_id(struct sampling_threads *t, pid_t tid,
			     const char *comm);

/*
 * Returns the profile's id of a thread that sleeps, which reads the kernel's
 * name if it is new; 0 = it has ended.
 */
uint32_t sampling_threads_sleeper(struct sampling_threads *t, pid_t tid);

/* Adds a thread of one profile to another; returns its id there. */
uint32_t sampling_threads_copy(const struct profile *from, struct profile *to,
			       uint32_t id);

/*
 * Returns the profile's id of a thread that owned a monitor at owned_ns
 * (CLOCK_MONOTONIC).  The thread is found by the JVM's TID or, if it is virtual
 * or has ended, by its Java id.  0 if the thread with that TID started later.
 */
uint32_t sampling_threads_owner(struct sampling_threads *t,
				const struct monitor_owner *owner,
				int64_t owned_ns);

/* Returns the TID here for one in the JVM's PID namespace; 0 = none. */
pid_t sampling_threads_here(struct sampling_threads *t, pid_t ns_tid);

/* True if sampling_threads_id() was called for the thread. */
bool sampling_threads_has_sample(const struct sampling_threads *t, pid_t tid);

/*
 * The end address of the stack of a thread that has an id; the caller sets it.
 * 0 at first.  Valid until the next call.
 */
uint64_t *sampling_threads_stack_end(struct sampling_threads *t, pid_t tid);

/* Allows reading names by thread dumps, over the attach socket. */
void sampling_threads_allow_dumps(struct sampling_threads *t);

/*
 * Reads names from the JVM's memory if thread dumps are not allowed.  Both are
 * borrowed until sampling_threads_finish().
 */
void sampling_threads_use_memory(struct sampling_threads *t,
				 const struct vm_structs *v,
				 struct memory *memory);

/* Reads the names that have arrived, and requests the names of new threads. */
void sampling_threads_refresh(struct sampling_threads *t);

/* Waits for outstanding names until until_ns (CLOCK_MONOTONIC). */
void sampling_threads_finish(struct sampling_threads *t, int64_t until_ns);

#endif
