/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocked: threads that are blocked by a lock, and the threads that hold it.
 *
 * A source adds threads, from a thread dump or over JMX, and then links them. A
 * thread is blocked when it waits to enter a monitor, or is parked on a lock of
 * java.util.concurrent whose owner is known or on which only threads wait that
 * want the lock. Threads in Object.wait() are not blocked.
 */
#ifndef CORE_THREADS_BLOCKED_H
#define CORE_THREADS_BLOCKED_H

#include "core/base/arena.h"
#include "core/base/text.h"
#include "core/threads/thread_source.h"

#define BLOCKED_NONE SIZE_MAX

enum { BLOCKED_MAX = 20000 }; /* threads; others are only counted */

enum blocked_kind {
	BLOCKED_NOT,          /* holds locks only */
	BLOCKED_MONITOR,      /* synchronized */
	BLOCKED_SYNCHRONIZER, /* of java.util.concurrent */
};

struct blocked_thread {
	int64_t id;       /* Java's; else the kernel's as the JVM sees it */
	const char *name; /* this and all strings: foreign, never NULL */
	enum thread_run_state state;
	/* "a.B.run(B.java:7)": the leaf, and the first that is the program's;
	   "" = none. */
	const char *leaf, *frame;
	enum blocked_kind kind;
	const char *lock_class, *lock_id;
	int64_t owner_id; /* 0 = unknown */
	int64_t blocks;   /* times blocked so far; COUNTER_ABSENT = unknown */

	/* Set by blocked_link(). */
	size_t owner;      /* index, or BLOCKED_NONE */
	size_t held_back;  /* threads that wait for it, by others too */
	unsigned deadlock; /* number of its deadlock; 0 = none */
	int64_t since_ns;  /* when it was first seen blocked; monotonic */
	unsigned looks;    /* number of samples that saw it blocked */
};

struct blocked {
	struct blocked_thread *threads;
	size_t count, cap;
	size_t *order; /* indices, by owner and lock; as many */
	size_t order_cap;
	size_t waiting; /* threads that are blocked */
	size_t left_out;
	unsigned deadlocks;
	int64_t at_ns;      /* monotonic, when it was asked for */
	int64_t pause_ns;   /* the program was stopped this long to get it; -1 =
			       unknown */
	const char *source; /* "Thread.print", "JMX" */
	/* Owners of java.util.concurrent's locks are known; and so is whether a
	   thread was blocked all the time. */
	bool knows_synchronizers, knows_blocks;
	struct text recorded; /* of a recording: the text, and nothing else */

	/* Private: of this sample and the one before. */
	struct arena strings, old_strings;
	struct blocked_thread *old;
	size_t old_count, old_cap;
};

/* Starts a new sample; the current one becomes the previous one. */
void blocked_begin(struct blocked *b, const char *source, int64_t at_ns);
void blocked_release(struct blocked *b); /* zeroed storage is fine */

/*
 * Returns a new thread to fill in, its strings empty; NULL when there are too
 * many.
 */
struct blocked_thread *blocked_add(struct blocked *b);

/* Returns a copy of a string that lives as long as the sample. */
const char *blocked_string(struct blocked *b, const char *bytes, size_t len);

/* True for lock classes on which only threads wait that want the lock. */
bool blocked_is_lock(const char *class_name);

/* True for a frame of the JDK's own code that parks or locks. */
bool blocked_is_plumbing(const char *frame);

/*
 * Finds owners, deadlocks and durations; call it after all threads were added.
 */
void blocked_link(struct blocked *b);

/* Returns how many threads wait for a thread: order[first] and so on. */
size_t blocked_waiters(const struct blocked *b, size_t owner, size_t *first);

/* Adds the blocked threads of a Thread.print and the owners of their locks. */
void blocked_read_dump(struct blocked *b, const char *reply, size_t len);

/*
 * Appends a report for people: deadlocks, then each thread that blocks others,
 * the one that blocks most first, with the threads that wait for it. The output
 * is safe for a terminal, except for its newlines.
 */
void blocked_text(const struct blocked *b, struct text *out);

#endif
