/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_dumps: schedules the thread dumps of a JVM and keeps the last one.
 *
 * A thread dump stops the program for a moment. sjkc takes one at the start,
 * when threads appear that the last one lacks (at most every 10 s, or every 60
 * s after a dump that stopped the program for more than 50 ms), and when the
 * user asks. If the first dump fails, no other is tried: SIGQUIT is sent only
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

/* jvm is borrowed. Without `asks`, no dump is taken. */
struct thread_dumps *thread_dumps_new(const struct jvm *jvm, bool asks,
				      int64_t timeout_ns);
void thread_dumps_free(struct thread_dumps *d); /* NULL is allowed */

/*
 * Requests a dump in the background unless it is too early. safepoint_ns is the
 * total time that the program was stopped, -1 if unknown. Returns false if no
 * dump was requested.
 */
bool thread_dumps_ask(struct thread_dumps *d, int64_t safepoint_ns);

/* True while a dump is in progress. */
bool thread_dumps_awaits(const struct thread_dumps *d);

/*
 * Reads the dump in progress, waiting until until_ns (0 does not wait). True if
 * it has replaced the names.
 */
bool thread_dumps_take(struct thread_dumps *d, int64_t until_ns,
		       int64_t safepoint_ns);

/* The names of the last dump; NULL before the first. */
const struct thread_names *thread_dumps_names(const struct thread_dumps *d);

/*
 * The names of an older dump to compare with, and its time in *came_boot_ns;
 * NULL if there is none.
 */
const struct thread_names *thread_dumps_before(const struct thread_dumps *d,
					       int64_t *came_boot_ns);

/*
 * When the last dump was requested and when it arrived, in CLOCK_BOOTTIME like
 * the start times of threads; and the arrival in clock_monotonic_ns(). 0 before
 * the first dump.
 */
void thread_dumps_times(const struct thread_dumps *d, int64_t *asked_boot_ns,
			int64_t *came_boot_ns, int64_t *came_ns);

/* Why there is no dump, or no newer one; NULL if nothing failed. */
const char *thread_dumps_problem(const struct thread_dumps *d);

/*
 * Returns the text of a dump that is at most a second old and that came at
 * since_ns (clock_monotonic_ns()) or later, and takes one if necessary. Only
 * the three functions above leave it valid. NULL and *err: ERROR_REFUSED,
 * ERROR_PERMISSION, ERROR_NO_TARGET.
 */
const struct text *thread_dumps_text(struct thread_dumps *d, int64_t since_ns,
				     struct error *err);

/*
 * The next two functions print parts of a dump's text. The output is safe for a
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
 * java.util.concurrent: each thread, the lock that it waits for, the owner, and
 * their stack traces. Appends nothing if there is none.
 */
void thread_text_deadlocks(const char *reply, size_t len, struct text *out);

#endif
