/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocked: threads that are blocked by a lock, and the threads that own it.
 *
 * A source adds threads, from a thread dump or over JMX, and then links them. A
 * thread is blocked if it waits to enter a monitor, or is parked on a lock of
 * java.util.concurrent whose owner is known or whose class serves only as a
 * lock. Threads in Object.wait() are not blocked.
 */
#ifndef CORE_THREADS_BLOCKED_H
#define CORE_THREADS_BLOCKED_H

#include "core/base/arena.h"
#include "core/base/text.h"
#include "core/hotspot/lock_owners.h"
#include "core/threads/thread_source.h"

#define BLOCKED_NONE SIZE_MAX

enum {
	BLOCKED_MAX = 20000
}; /* maximum number of threads; further threads are only counted */

enum { BLOCKED_FEW = 3 }; /* the default of blocked_text() */

enum blocked_kind {
	BLOCKED_NOT,          /* not blocked, but owns locks */
	BLOCKED_MONITOR,      /* synchronized */
	BLOCKED_SYNCHRONIZER, /* of java.util.concurrent */
};

struct blocked_thread {
	int64_t id; /* Java id, or the kernel's in the JVM's PID namespace */
	const char *name; /* foreign, never NULL, as are all strings */
	enum thread_run_state state;
	/*
	 * Frames as "a.B.run(B.java:7)": the leaf, and the first frame of the
	 * program. "" = none.
	 */
	const char *leaf, *frame;
	const char *peer; /* "reads from 10.1.2.3:5432", safe; "" = unknown */
	enum blocked_kind kind;
	const char *lock_class, *lock_id;
	int64_t owner_id; /* 0 = unknown */
	int64_t blocks; /* number of times blocked; COUNTER_ABSENT = unknown */
	int64_t cpu_ns; /* CPU time of the thread; -1 = unknown */

	/* Set by blocked_link(). */
	size_t owner;      /* index, or BLOCKED_NONE */
	size_t held_back;  /* threads it blocks, directly and through others */
	unsigned deadlock; /* number of its deadlock; 0 = none */
	int64_t since_ns;  /* when it was first seen blocked; monotonic */
	unsigned looks;    /* number of samples that saw it blocked */
	bool did_run;      /* it may have run in between */
};

struct blocked {
	struct blocked_thread *threads;
	size_t count, cap;
	size_t *order; /* indices in the order of owners and locks */
	size_t order_cap;
	size_t waiting; /* number of blocked threads */
	size_t left_out;
	unsigned deadlocks;
	int64_t at_ns;      /* time of the request, monotonic */
	int64_t old_at_ns;  /* private: of the previous sample */
	int64_t pause_ns;   /* time that the dump stopped the program; -1 =
			       unknown */
	const char *source; /* "Thread.print", "JMX" */
	/* Why owners of java.util.concurrent's locks are unknown; NULL: no
	   idea beyond JMX. Static, like source; set it after blocked_begin().
	 */
	const char *owner_hint;
	/*
	 * knows_synchronizers: the owners of java.util.concurrent's locks are
	 * known. knows_blocks: a thread was blocked for the whole time.
	 */
	bool knows_synchronizers, knows_blocks;
	struct text recorded; /* text of a recorded view; replaces everything
				 else */

	/* Private: strings of this sample and of the previous sample. */
	struct arena strings, old_strings;
	struct blocked_thread *old;
	size_t old_count, old_cap;
};

/* Starts a new sample; the current one becomes the previous one. */
void blocked_begin(struct blocked *b, const char *source, int64_t at_ns);
void blocked_release(struct blocked *b); /* zeroed storage is allowed */

/* Returns a new thread with empty strings; NULL if there are too many. */
struct blocked_thread *blocked_add(struct blocked *b);

/* Returns a copy of a string that is valid as long as the sample. */
const char *blocked_string(struct blocked *b, const char *bytes, size_t len);

/* True for classes on which a thread parks only to acquire a lock. */
bool blocked_is_lock(const char *class_name);

/* True for a frame of the JDK's own code that parks or locks. */
bool blocked_is_plumbing(const char *frame);

/*
 * True if a thread used more CPU time between two samples, in_ns apart, than a
 * thread uses that stays blocked. Both CPU times are -1 if unknown.
 */
bool blocked_has_run(int64_t old_cpu_ns, int64_t cpu_ns, int64_t in_ns);

/* Finds owners, deadlocks and durations, after all threads were added. */
void blocked_link(struct blocked *b);

/*
 * Returns the number of threads that wait for a thread; they are order[first]
 * and following.
 */
size_t blocked_waiters(const struct blocked *b, size_t owner, size_t *first);

/* Adds the blocked threads of a Thread.print and the owners of their locks. */
void blocked_read_dump(struct blocked *b, const char *reply, size_t len);

/*
 * Adds the owners of java.util.concurrent's locks, which a Thread.print lacks:
 * the waits are those that were equal before and after the dump.  Owners that
 * the dump lacks become threads.  Call it before blocked_link().
 */
void blocked_add_owners(struct blocked *b, const struct lock_waits *of);

/*
 * Appends a report for people: deadlocks, then each thread that blocks others,
 * in descending order of their number, with the threads that wait for it. More
 * than a few threads (0: any number) of a pool that wait for the same lock in
 * the same frame and block no others are one line. The output is safe for a
 * terminal, except for its newlines.
 */
void blocked_text(const struct blocked *b, size_t few, struct text *out);

/*
 * Returns the indices of the threads that block others and are not blocked, in
 * descending order of the number of threads that they block. The caller frees
 * the array.
 */
size_t *blocked_roots(const struct blocked *b, size_t *count);

/* True if the owner of the lock of a blocked thread is unknown. */
bool blocked_has_ownerless(const struct blocked *b);

/* Returns the reason why owners are unknown; static text. */
const char *blocked_owner_hint(const struct blocked *b);

/* Each appends a part of the report, safe for a terminal: */

/* "6 threads are blocked; 2 DEADLOCKS  (JMX)" */
void blocked_head(const struct blocked *b, struct text *out);
/* "name" #12, with the quotes */
void blocked_name(const struct blocked_thread *t, struct text *out);
/* "a.B <0x00000000ffd1be00>", the lock that it waits for */
void blocked_lock(const struct blocked_thread *t, struct text *out);
/* "blocked now", "blocked >=12.5 s", or "blocked in 3 dumps over 4.0 s" */
void blocked_since(const struct blocked *b, const struct blocked_thread *t,
		   struct text *out);
/* "  at a.B.run(B.java:7); reads from 10.1.2.3:5432", or nothing */
void blocked_frames(const struct blocked_thread *t, struct text *out);

#endif
