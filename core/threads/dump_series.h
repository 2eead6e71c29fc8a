/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_series: the threads of one or several thread dumps.
 *
 * A reader passes the dumps through the tap of a profile. The series keeps the
 * threads of one dump, usually the last, and for each thread what changed since
 * the dumps before it. The memory follows the threads, not the dumps.
 */
#ifndef CORE_THREADS_DUMP_SERIES_H
#define CORE_THREADS_DUMP_SERIES_H

#include "core/base/map64.h"
#include "core/hotspot/lock_owners.h"
#include "core/jvm/jvm.h"
#include "core/process/wait_peer.h"
#include "core/profile/profile.h"
#include "core/profile/thread_tap.h"
#include "core/threads/blocked.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a thread does, as far as a dump tells. */
enum series_activity {
	SERIES_RUNS,    /* RUNNABLE, and not in a method that waits */
	SERIES_BLOCKED, /* needs a lock of another thread */
	SERIES_WAITS,   /* for another thread, a reply, input or a time */
	SERIES_IDLE,    /* waits for work: a pool's queue, a selector, accept */
	SERIES_NATIVE,  /* has no Java frames */
	SERIES_ACTIVITIES
};

extern const char *const series_activity_names[SERIES_ACTIVITIES];

struct series_thread {
	struct thread thread;
	enum thread_state state;
	uint32_t stack;    /* of the profile */
	size_t first_lock; /* in locks */
	size_t lock_count;
	int64_t cpu_ns, elapsed_ns; /* -1 = unknown */
	int64_t peer_id;            /* as in struct tapped_thread */
	uint32_t carrier; /* the carrier's name, a string; 0 = unknown */
	bool is_daemon, waits;
	/* The lock that it waits for, strings of the profile; 0 = unknown. */
	uint32_t wait_id, wait_class;
	enum series_activity activity;
	/* Index in blocked.threads, or BLOCKED_NONE. */
	size_t blocked;
	size_t peer; /* private: 1 + the index in peers; 0 = none */

	/*
	 * Number of consecutive dumps, up to this one, with this stack and this
	 * lock.
	 */
	unsigned looks;
	int64_t since_ns; /* clock_ns of the first of these */
	/*
	 * CPU time, and the time in which it was used, since the first dump
	 * that had the thread; -1 = unknown.
	 */
	int64_t used_ns, used_in_ns;
	int64_t first_cpu_ns, first_age_ns; /* private: in that dump */
};

struct series_dump {
	struct tap_dump head;
	/* Time since the first dump of this JVM, by the age of threads. */
	int64_t clock_ns;
	size_t threads;
	size_t states[THREAD_STATES];
	/* The members below are unknown in dumps after the wanted one. */
	bool is_analyzed;
	size_t blocked;
	unsigned deadlocks;     /* found by sjkc */
	unsigned vm_deadlocks;  /* reported by the JVM */
	bool is_of_another_jvm; /* than the dump before it */
	bool is_unrelated;      /* shares no thread with the dump before */
};

/* A fact of the JVM's list of deadlocks. */
struct series_fact {
	enum tapped_deadlock_kind kind;
	uint32_t text;
};

/* What is known about owners beyond the dump. */
enum series_owners {
	SERIES_OWNERS_OF_DUMP, /* nothing */
	SERIES_OWNERS_KNOWN,
	SERIES_OWNERS_CHANGED, /* some owners changed meanwhile */
};

struct dump_series {
	struct profile *profile;
	struct thread_tap tap;
	size_t wanted; /* number of the dump to keep, from 1; 0 = the last */

	struct series_dump *dumps;
	size_t dump_count, dump_cap;
	/* The dump that the members below describe; 0 = none was read. */
	size_t number;
	struct series_thread *threads;
	size_t thread_count, thread_cap;
	struct tapped_lock *locks;
	size_t lock_count, lock_cap;
	struct series_fact *facts;
	size_t fact_count, fact_cap;
	struct blocked blocked;
	struct wait_peers peers; /* of series_read_peers() */

	/* Private: the dump before. */
	struct series_thread *old;
	size_t old_count, old_cap;
	bool is_open; /* the last dump is not complete yet */
	bool is_supplemented;
	enum series_owners owners; /* of this dump */
	struct map64 by_id; /* thread of this dump by Java id, until its end */
};

/*
 * Sets the tap of the profile, which is borrowed, and its keep_lines. Call
 * dump_series_end() after the last reader, and dump_series_release().
 */
void dump_series_init(struct dump_series *s, struct profile *p);
void dump_series_end(struct dump_series *s);
void dump_series_release(struct dump_series *s);

/*
 * The next reading has the same threads, and virtual threads beside them
 * (Thread.dump_to_file): it supplements the last dump, which must not be
 * complete yet, until dump_series_end(). A thread that both have keeps its
 * times, and gets the state, frames and locks of the second reading if that has
 * states at all (JDK 25). Locks of java.util.concurrent are kept, because the
 * second reading lacks their owners. False if the last dump is not kept: the
 * second reading would count as another dump.
 */
bool dump_series_supplement(struct dump_series *s);

/*
 * Adds the owners of java.util.concurrent locks to the last dump, which must
 * not be complete yet: waits are those that were the same before and after the
 * dump.  The id of a lock is that of the dump.
 */
void dump_series_set_owners(struct dump_series *s,
			    const struct lock_waits *waits);

/* True if the kept dump can be compared with the dump before it. */
bool dump_series_compares(const struct dump_series *s);

/* Returns the lock that a thread waits for, or NULL. */
const struct tapped_lock *series_wait(const struct dump_series *s,
				      const struct series_thread *t);

/*
 * Iterates over the locks that a thread owns; wait is its series_wait(), which
 * the caller finds once, and *at begins at 0. NULL at the end.
 */
const struct tapped_lock *series_next_owned(const struct dump_series *s,
					    const struct series_thread *t,
					    const struct tapped_lock *wait,
					    size_t *at);

/*
 * Fills s->blocked and the threads' activity BLOCKED, for the complete dump:
 * owners are known from the dump, and from the JVM's list of deadlocks.
 */
void series_find_blocked(struct dump_series *s);

/*
 * Fills s->peers for the threads of the kept dump that are in native code, as
 * soon as possible after the dump: a thread may have moved on in between. jvm
 * has made the dump, which dump_series_end() has ended. Errors are those of
 * wait_peers_read().
 */
int series_read_peers(struct dump_series *s, const struct jvm *jvm,
		      struct error *err);

/* Returns the peer for which a thread waits, or NULL. */
const struct wait_peer *series_peer(const struct dump_series *s,
				    const struct series_thread *t);

/* Returns what a thread does, without regard to locks. */
enum series_activity series_activity_of(const struct profile *p,
					const struct series_thread *t);

#endif
