/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_waits: what the threads of a JVM wait for, over several thread dumps.
 *
 * Threads of one pool that wait in the same place for the same kind of thing
 * are a group.  Threads that wait for locks of one class are a group wherever
 * they wait; of several such locks, the one with the most threads counts.  Idle
 * threads, which wait for work, and those of a deadlock are in no group.
 */
#ifndef CORE_DIAGNOSIS_DUMP_WAITS_H
#define CORE_DIAGNOSIS_DUMP_WAITS_H

#include "core/base/intern.h"
#include "core/base/text.h"
#include "core/threads/dump_series.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DUMP_WAITS_DUMPS = 8 }; /* maximum number of dumps */

enum dump_wait_kind {
	DUMP_WAIT_MONITOR,    /* synchronized */
	DUMP_WAIT_LOCK,       /* a lock of java.util.concurrent */
	DUMP_WAIT_PERMIT,     /* java.util.concurrent.Semaphore */
	DUMP_WAIT_CONNECTION, /* a connection of a pool: HikariCP, … */
	DUMP_WAIT_RESULT,     /* a future, a latch */
	DUMP_WAIT_NAMES,      /* name resolution */
	DUMP_WAIT_SOCKET,     /* a reply, or a connection */
	DUMP_WAIT_DISK,       /* a file */
	DUMP_WAIT_SLEEP,      /* Thread.sleep() */
	DUMP_WAIT_OTHER,
	DUMP_WAIT_KINDS,
};

/* Texts are safe for a terminal, and "" if unknown. */
struct dump_wait {
	enum dump_wait_kind kind;
	const char *pool;  /* "http-worker-*" */
	const char *place; /* the application's frame nearest the leaf, of the
			      first thread */
	const char *lock;  /* class of the lock */
	const char *peer;  /* "read from 10.1.2.3:5432" */
	bool is_inbound;   /* the peer is a client */
	/*
	 * What the owner does in most dumps, and in the last of these: its
	 * thread and its place.  DUMP_WAIT_KINDS: it does not wait.
	 */
	const char *owner, *owner_place;
	enum dump_wait_kind owner_kind;
	unsigned owner_kinds[DUMP_WAIT_KINDS + 1]; /* dumps of each kind */
	size_t threads[DUMP_WAITS_DUMPS];          /* by dump */
	size_t dumps;                              /* that have the group */
	size_t pool_sum; /* threads of the pool in these dumps, added up */
};

/* Threads that run the application's code where it should be short. */
struct dump_work {
	const char *place; /* in the last dump; NULL = none */
	size_t threads;    /* in the last dump that has some */
	size_t dumps;      /* that have some */
};

struct dump_waits {
	struct dump_wait *all; /* in the order of their first threads */
	size_t count, cap;
	size_t dumps;
	size_t left_out; /* threads beyond the limit of groups */
	/* Of the last dump: its first deadlock as a sentence; or empty. */
	struct text deadlock;
	size_t deadlocked, behind;  /* its threads, and those behind them */
	size_t deadlocks;           /* number of deadlocks */
	size_t deadlock_dumps;      /* dumps that have a deadlock */
	struct dump_work finalizer; /* finalize() of an application's class */
	struct dump_work virtual_threads; /* that run, and do not wait */
	/* Private. */
	struct intern keys, texts, locks;
};

/*
 * Adds a dump; the series has ended and is not needed any more.  With its
 * peers, groups have theirs.
 */
void dump_waits_add(struct dump_waits *w, const struct dump_series *s);
void dump_waits_release(struct dump_waits *w); /* zeroed is allowed */

/* True if the threads of a group wait for a lock. */
bool dump_wait_is_for_lock(const struct dump_wait *of);

/* Mean number of threads of a group in all dumps, and of its pool. */
double dump_wait_mean(const struct dump_waits *w, const struct dump_wait *of);
double dump_wait_pool(const struct dump_wait *of);

#endif
