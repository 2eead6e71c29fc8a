/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jmx_source: samples the threads of a local or remote JVM over JMX.
 *
 * The platform's MBeans report the CPU time, allocation and number of waits of
 * each thread.  One run of requests reads the threads of the previous sample,
 * and a second run the new threads.  Wait times are available only while
 * contention monitoring is enabled.
 */
#ifndef JMX_HTTP_THREADS_JMX_SOURCE_H
#define JMX_HTTP_THREADS_JMX_SOURCE_H

#include "core/threads/thread_source.h"
#include "jmx_http/jmx.h"

struct jmx_source_options {
	/*
	 * Read only values that /proc lacks: allocation and, with contention,
	 * waits.  Threads then have neither names nor CPU times.
	 */
	bool beside_proc;
	/* Enable contention monitoring unless it is enabled. */
	bool contention;
};

/*
 * The connection is borrowed and must outlive the source.  NULL and *err as
 * jmx_run().  Samples have a note for each value that the JVM lacks.
 *
 * A sample fails with ERROR_PERMISSION for a read-only login, because reading
 * thread values requires operations.  After a restart of the JVM, the next
 * sample is that of the new JVM, with a note "target".
 */
struct thread_source *jmx_source_open(struct jmx *j,
				      const struct jmx_source_options *options,
				      struct error *err);

/*
 * With beside_proc: adds garbage collections to the following samples, unless
 * listing the collectors fails.
 */
void jmx_source_read_collections(struct thread_source *source);

/* True if this source enabled contention monitoring in the JVM. */
bool jmx_source_has_switched(const struct thread_source *source);

/*
 * Enables contention monitoring unless it is enabled, or disables it if this
 * source enabled it.  Sets the option "contention" of the following samples.
 */
int jmx_source_measure(struct thread_source *source, bool on,
		       struct error *err);

/*
 * Disables contention monitoring if this source enabled it.  Call it before
 * closing the source.  -1 and *err if the request failed: monitoring stays
 * enabled, unless the JVM has exited (ERROR_NO_TARGET).
 */
int jmx_source_put_back(struct thread_source *source, struct error *err);

/*
 * Adds values over JMX to thread samples from /proc: exact allocation, and
 * waits.  Threads are matched by their Java ids.  If JMX fails, the samples are
 * those of /proc with a note, and later samples try JMX again.
 *
 * Takes ownership of both sources.  over_jmx is a jmx_source with beside_proc,
 * and jmx its connection, whose timeout is set to half a second so that a slow
 * JVM does not delay samples for long.
 */
struct thread_source *merged_source_new(struct thread_source *proc,
					struct thread_source *over_jmx,
					struct jmx *jmx);

/*
 * Text of hostile composites of java.lang.management.ThreadInfo.  The appended
 * text is safe for a terminal and has newlines.
 */

/*
 * Appends the stack trace, leaf first, with the locks:
 *
 *	"worker-1" #12 BLOCKED
 *	    at a.B.run(B.java:7)
 *	    - waiting to lock java.lang.Object@1b2c3d, held by "main" #1
 */
void jmx_thread_text_stack(const struct value *info, struct text *out);

#endif
