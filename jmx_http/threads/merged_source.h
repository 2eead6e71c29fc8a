/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merged_source: thread samples from /proc, completed by JMX.
 *
 * Allocation is exact then, and how threads wait is known; threads are the same
 * by their Java ids.  Where JMX fails, the samples are those of /proc, a note
 * says why, and after a while it is asked again.
 */
#ifndef JMX_HTTP_THREADS_MERGED_SOURCE_H
#define JMX_HTTP_THREADS_MERGED_SOURCE_H

#include "core/threads/thread_source.h"
#include "jmx_http/jmx.h"

/*
 * Both are taken, and closed with it; jmx is what over (a jmx_source
 * beside_proc) asks, whose timeout is set short: a JVM that does not answer is
 * to hold up no sample for long.
 */
struct thread_source *merged_source_new(struct thread_source *proc,
					struct thread_source *over,
					struct jmx *jmx);

#endif
