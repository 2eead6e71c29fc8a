/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_dumps: when a JVM is asked for its threads, and what it said last.
 *
 * A thread dump stops the program for a moment: it is made once at the start,
 * again when threads appear that are not in it, every 10 s at most, 60 s when
 * it stopped the program for more than 50 ms; and when somebody asks.  Once it
 * has failed before it ever succeeded, it is not tried again: SIGQUIT is sent
 * once.
 */
#ifndef CORE_THREADS_THREAD_DUMPS_H
#define CORE_THREADS_THREAD_DUMPS_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"
#include "core/threads/thread_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct thread_dumps;

/* jvm is borrowed.  Without `asks`, the JVM is left alone. */
struct thread_dumps *thread_dumps_new(const struct jvm *jvm, bool asks,
				      int64_t timeout_ns);
void thread_dumps_free(struct thread_dumps *d); /* NULL is fine */

/*
 * Asks now, in the background, if it may be at this time; safepoint_ns is what
 * the program has stood still so far, -1 if unknown.  False when it is not.
 */
bool thread_dumps_ask(struct thread_dumps *d, int64_t safepoint_ns);

/* True while a reply is awaited. */
bool thread_dumps_awaits(const struct thread_dumps *d);

/*
 * Takes what has come, waiting for it until the given time (0: not at all).
 * True when it replaced the names.
 */
bool thread_dumps_take(struct thread_dumps *d, int64_t until_ns,
		       int64_t safepoint_ns);

/* The names of the last dump; NULL before the first. */
const struct thread_names *thread_dumps_names(const struct thread_dumps *d);

/*
 * The names of an older dump, far enough back to be compared with, and in
 * *came_boot_ns when it was there; NULL when there is none.
 */
const struct thread_names *thread_dumps_before(const struct thread_dumps *d,
					       int64_t *came_boot_ns);

/*
 * When the last dump was asked for and when it was there, by the clock that
 * threads' start times count (CLOCK_BOOTTIME); and the latter as
 * clock_monotonic_ns().  0 before the first.
 */
void thread_dumps_times(const struct thread_dumps *d, int64_t *asked_boot_ns,
			int64_t *came_boot_ns, int64_t *came_ns);

/* Why there is no dump, or none newer; NULL when nothing went wrong. */
const char *thread_dumps_problem(const struct thread_dumps *d);

/*
 * The text of a dump that is not older than a second, made for it if need be.
 * It lives until the next call of any of these but the three above.  NULL and
 * *err; ERROR_REFUSED, ERROR_PERMISSION, ERROR_NO_TARGET.
 */
const struct text *thread_dumps_text(struct thread_dumps *d, struct error *err);

/*
 * The next two print parts of the text of a dump.  The output is safe for a
 * terminal (safe_text), except for its own newlines.
 */

/*
 * Appends the stack trace of a thread, leaf first, with its locks:
 *
 *	"worker-1" #12 BLOCKED (on object monitor)
 *	    at a.B.run(B.java:7)
 *	    - waiting to lock <0x00000000ffd1be00> (a c.D), held by "main" #1
 *
 * ns_tid is as the JVM sees it; java_id must be the thread's, too, unless 0.
 * Who holds a lock of java.util.concurrent is known only from Thread.print -l.
 * False, and nothing, when the reply has no such thread.
 */
bool thread_text_stack(const char *reply, size_t len, pid_t ns_tid,
		       int64_t java_id, struct text *out);

/*
 * Appends the deadlocks that the JVM found, of monitors and of
 * java.util.concurrent: each thread, what it waits for and who holds that, and
 * their stack traces.  Nothing when there is none.
 */
void thread_text_deadlocks(const char *reply, size_t len, struct text *out);

#endif
