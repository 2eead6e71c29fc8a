/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_owners: which threads wait for which locks, and the owners of the locks,
 * from the JVM's memory.  The JVM neither stops nor takes part.
 *
 * A thread that waits for a lock of java.util.concurrent is parked, and
 * Thread.parkBlocker is an AbstractOwnableSynchronizer with its owner. A thread
 * that was signalled while another thread has the lock of its condition keeps
 * the ConditionObject as parkBlocker, and is in the queue of the lock.  A
 * thread that waits for a monitor has it in
 * JavaThread::_current_pending_monitor.
 *
 * The program continues meanwhile, and the collector moves objects.  So each
 * path is read twice and must be equal; the Thread must lead back to its
 * JavaThread; the owner must be a Thread; and no pause may have moved objects
 * in between (java_heap_epoch()).  Paths that fail are read again a few times,
 * and are unknown if they fail each time.
 */
#ifndef CORE_HOTSPOT_LOCK_OWNERS_H
#define CORE_HOTSPOT_LOCK_OWNERS_H

#include "core/base/arena.h"
#include "core/base/error.h"
#include "core/hotspot/java_threads.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum lock_kind {
	LOCK_SYNCHRONIZER, /* of java.util.concurrent: the thread is parked */
	LOCK_MONITOR,      /* the thread waits to enter it */
};

struct lock_thread {
	int64_t java_id; /* Thread.threadId(); 0 = none, or unknown */
	pid_t ns_tid;    /* thread id in the JVM's namespace; 0 = unknown */
	bool is_virtual;
	uint64_t object;  /* address of the Thread, then; 0 = unknown */
	const char *name; /* see lock_waits_read_names() */
};

/* A thread that waits. */
struct lock_wait {
	enum lock_kind kind;
	struct lock_thread waiter;
	/*
	 * No owner: a read lock, or an object that has none, such as a
	 * Semaphore.
	 */
	struct lock_thread owner;
	uint64_t lock;          /* address of the object, then */
	const char *lock_class; /* "a/B"; "" = unknown */
	/* The thread is parked by Condition.await() and was signalled. */
	bool is_reacquired;
};

struct lock_waits {
	struct lock_wait *all;
	size_t count, cap;
	int64_t at_ns;      /* monotonic time of the end of the reading */
	uint64_t threads;   /* Java threads that were read */
	uint64_t retried;   /* readings that the checks rejected */
	uint64_t unknown;   /* threads without an accepted reading */
	struct arena names; /* private */
};

struct lock_owners;

/*
 * All is borrowed. ERROR_UNAVAILABLE names what this JVM does not export. A JVM
 * that has just started may export it later.
 */
struct lock_owners *lock_owners_open(const struct vm_structs *v,
				     struct memory *memory, struct error *err);
void lock_owners_close(struct lock_owners *o); /* NULL is fine */

/*
 * Reads all waits; *w is overwritten, and is zeroed at first.  The time is
 * limited (read_budget.h); threads beyond the limit are unknown.  Names of
 * classes are valid until lock_owners_close().
 */
void lock_owners_read(struct lock_owners *o, struct lock_waits *w);
void lock_waits_release(struct lock_waits *w);

/*
 * Sets the names of virtual threads that own locks or wait for locks with an
 * owner, as UTF-8; "" = unknown, as all others.  They are valid until *w is
 * overwritten.
 */
void lock_waits_read_names(struct lock_waits *w,
			   struct java_thread_names *reader);

/*
 * Removes the waits of `now` that were not the same in `then`: the thread
 * waited for a lock of the same class and owner.
 */
void lock_waits_intersect(struct lock_waits *now,
			  const struct lock_waits *then);

/* Returns true if threads wait for each other in a cycle. */
bool lock_waits_have_cycle(const struct lock_waits *w);

#endif
