/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_text: what a Thread.print says of one thread, and of deadlocks, for a
 * person to read.
 *
 * All that is appended is safe for a terminal (safe_text) but for its own line
 * feeds.  The reply is only borrowed.
 */
#ifndef CORE_THREADS_THREAD_TEXT_H
#define CORE_THREADS_THREAD_TEXT_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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
