/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jmx_source: samples of a JVM's threads over JMX, from wherever it is.
 *
 * The platform's MBeans know of each thread its CPU time, its allocation, and
 * how often it waited; all of it is asked for at once, by the ids that the
 * sample before had, and once more when threads have appeared since.  Times of
 * waits are measured only where that is switched on.
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
 * jmx_run(); what a JVM does not have is no failure, but a note.
 *
 * A sample fails with ERROR_PERMISSION when who is logged in may read only:
 * what threads use are operations.  After the JVM was started anew, the next
 * sample is of the new one, and has a note of "target".
 */
struct thread_source *jmx_source_open(struct jmx *j,
				      const struct jmx_source_options *options,
				      struct error *err);

/*
 * Beside /proc: asks for collections, too, from the next sample on.  Where that
 * fails, samples have none.
 */
void jmx_source_ask_collections(struct thread_source *source);

/* True when the JVM measures contention because it was told to by this. */
bool jmx_source_has_switched(const struct thread_source *source);

/*
 * Switches the measuring of waits on, unless it is, or off if it was switched
 * on by this; samples are as with the option of that name.
 */
int jmx_source_measure(struct thread_source *source, bool on,
		       struct error *err);

/*
 * Switches off what contention switched on; due before the source is closed.
 * Nothing happens where that is nothing, or again.  -1 and *err when the JVM
 * could not be told: it goes on measuring, unless it has ended
 * (ERROR_NO_TARGET: nobody is there).
 */
int jmx_source_put_back(struct thread_source *source, struct error *err);

#endif
