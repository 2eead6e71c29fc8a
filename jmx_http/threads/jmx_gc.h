/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jmx_gc: collections of a local or remote JVM over JMX.
 *
 * The MBeans of the collectors have the duration of the last collection in
 * milliseconds and the sizes of the memory pools before and after it. This is
 * the collector's own time: JMX has neither the stopped time nor the time to
 * safepoint. Over RMI, the JVM keeps notifications, with causes, until the
 * source reads them. Over HTTP, the source reads the MBeans every 50 ms: of
 * several collections of one collector between two readings, it has the last
 * and counts the others as lost.
 */
#ifndef JMX_HTTP_THREADS_JMX_GC_H
#define JMX_HTTP_THREADS_JMX_GC_H

#include "core/gc/gc_pause.h"
#include "jmx_http/jmx.h"

/*
 * The connection is borrowed and must outlive the source. NULL and *err as
 * jmx_run(), or ERROR_UNAVAILABLE for a JVM without such MBeans.
 */
struct gc_source *jmx_gc_open(struct jmx *j, struct error *err);

#endif
