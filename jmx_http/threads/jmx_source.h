/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jmx_source: samples of a JVM's threads over JMX, from wherever it is.
 *
 * The platform's MBeans report the CPU time, allocation and number of waits of
 * each thread.  One run requests all of them, by the thread ids of the previous
 * sample, and a second run those of new threads.  Wait times are available only
 * while contention monitoring is enabled.
 */
#ifndef JMX_HTTP_THREADS_JMX_SOURCE_H
#define JMX_HTTP_THREADS_JMX_SOURCE_H

#include "core/threads/thread_source.h"
#include "jmx_http/jmx.h"

struct jmx_source_options {
	/* Only what /proc does not have: allocation, and with contention how
	   threads wait.  Threads have neither names nor CPU then. */
	bool beside_proc;
	/* Has the JVM measure how long threads wait, where it does not. */
	bool contention;
};

/*
 * The connection is borrowed and outlives the source.  NULL and *err as
 * jmx_run(); values that a JVM does not have become a note.
 *
 * A sample fails with ERROR_PERMISSION for a read-only login, because the
 * values of threads are operations.  After a restart of the JVM the next sample
 * is that of the new JVM, with a note of "target".
 */
struct thread_source *jmx_source_open(struct jmx *j,
				      const struct jmx_source_options *options,
				      struct error *err);

/*
 * With beside_proc: requests garbage collections, too, from the next sample on.
 * If that fails, samples have none.
 */
void jmx_source_ask_collections(struct thread_source *source);

/* True when this source enabled contention monitoring in the JVM. */
bool jmx_source_has_switched(const struct thread_source *source);

/*
 * Enables contention monitoring, unless it is enabled, or disables it if this
 * source enabled it; samples are as with the option "contention".
 */
int jmx_source_measure(struct thread_source *source, bool on,
		       struct error *err);

/*
 * Disables contention monitoring if this source enabled it; due before the
 * source is closed.  Otherwise does nothing.  -1 and *err when the request
 * failed: monitoring stays enabled, unless the JVM has exited
 * (ERROR_NO_TARGET).
 */
int jmx_source_put_back(struct thread_source *source, struct error *err);

/*
 * Completes thread samples from /proc by JMX: allocation is exact then, and how
 * threads wait is known; threads are matched by their Java ids.  Where JMX
 * fails, the samples are those of /proc, a note says why, and JMX is asked
 * again after a while.
 *
 * Takes both sources and closes them; jmx is what over (a jmx_source
 * beside_proc) asks.  Its timeout is set short, so that a JVM that does not
 * answer delays no sample for long.
 */
struct thread_source *merged_source_new(struct thread_source *proc,
					struct thread_source *over,
					struct jmx *jmx);

/*
 * ThreadInfos as a person reads them: composites of
 * java.lang.management.ThreadInfo, hostile; everything that is appended is safe
 * for a terminal, except its newlines.
 */

/*
 * Appends the stack trace, leaf first, with what it waits for and has locked:
 *
 *	"worker-1" #12 BLOCKED
 *	    at a.B.run(B.java:7)
 *	    - waiting to lock java.lang.Object@1b2c3d, held by "main" #1
 */
void jmx_thread_text_stack(const struct value *info, struct text *out);

/* An array of those that wait for one another. */
void jmx_thread_text_deadlocks(const struct value *infos, struct text *out);

#endif
