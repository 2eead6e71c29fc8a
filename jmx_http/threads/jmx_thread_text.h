/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jmx_thread_text: a ThreadInfo as a person reads it, as core/threads has what
 * a thread dump says.
 *
 * ThreadInfos are composites of java.lang.management.ThreadInfo, hostile; all
 * that is appended is safe for a terminal but for its own line feeds.
 */
#ifndef JMX_HTTP_THREADS_JMX_THREAD_TEXT_H
#define JMX_HTTP_THREADS_JMX_THREAD_TEXT_H

#include "core/base/text.h"
#include "jmx_http/value/value.h"

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
