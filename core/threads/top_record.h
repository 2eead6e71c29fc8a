/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_record: samples kept in a file, and a source that gives them again.
 *
 * JSON lines of schema sjkc.ttop-record/1: a line that says what was recorded,
 * then one a sample with all its counters (times in ns, sizes in bytes).  Stack
 * traces and deadlocks that were shown are kept, too.
 *
 *	{"schema":"sjkc.ttop-record/1","title":"4711 Main","pid":4711,"wall":…}
 *	{"at":…,"wall":…,"missed":0,"process":{"cpu":…,"gc":[{"name":…,
 *	 "count":…,"time":…}]},"threads":[{"tid":…,"name":…,"cpu":…}],
 *	 "notes":[{"figure":…,"text":…,"absent":true}]}
 *	{"shown":"stack","of":4712,"text":…}
 *
 * What is absent, or 0 where that says as much, is left out; keys that are not
 * known are passed over.
 */
#ifndef CORE_THREADS_TOP_RECORD_H
#define CORE_THREADS_TOP_RECORD_H

#include "core/threads/thread_source.h"

/* Appends the first line, with its LF. */
void top_record_head(struct text *out, const char *title, pid_t pid,
		     int64_t wall_ns);

/* Appends the line of one sample, with its LF. */
void top_record_sample(struct text *out, const struct top_sample *sample);

/*
 * Appends the line of what was shown beside the samples: the stack trace of a
 * thread ("stack", by its tid or, without one, its Java id), or "deadlocks",
 * of 0.
 */
void top_record_shown(struct text *out, const char *what, int64_t of,
		      const char *text, size_t len);

/*
 * A source that gives the samples of such a file one by one, and ends with
 * ERROR_NO_TARGET.  A cut or damaged line ends it early: *err is then
 * ERROR_PARTIAL.  What was shown is given again while the sample before it is
 * the last.  bytes are borrowed and outlive it.  NULL and ERROR_INPUT when it
 * is no such file.
 */
struct thread_source *replay_source_open(const char *bytes, size_t len,
					 struct error *err);

#endif
