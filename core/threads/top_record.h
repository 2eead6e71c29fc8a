/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_record: writes samples to a file, and a source that replays them.
 *
 * A recording has JSON lines of schema sjkc.ttop-record/1: the first describes
 * the recording, the others have one sample each with all its counters (times
 * in ns, sizes in bytes), or a stack trace or deadlocks that were shown.
 *
 *    {"schema":"sjkc.ttop-record/1","title":"4711 Main","pid":4711,"wall":…}
 *    {"at":…,"wall":…,"missed":0,"process":{"cpu":…,"gc":[{"name":…,
 *     "count":…,"time":…}]},"threads":[{"tid":…,"name":…,"cpu":…}],
 *     "notes":[{"figure":…,"text":…,"absent":true}]}
 *    {"shown":"stack","of":4712,"text":…}
 *
 * Absent values are omitted, and so is 0 where it means the same. Readers skip
 * unknown keys.
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
 * Appends the line of a view that was shown beside the samples: "stack", the
 * stack trace of a thread (`of` is its tid or, without one, its Java id), or
 * "deadlocks" (`of` is 0).
 */
void top_record_shown(struct text *out, const char *what, int64_t of,
		      const char *text, size_t len);

/*
 * Opens a source that returns the samples of such a file one by one, and ends
 * with ERROR_NO_TARGET. A truncated or damaged line ends it early with
 * ERROR_PARTIAL. A view is available while the sample before it is the current
 * one. bytes are borrowed and must outlive the source. NULL and ERROR_INPUT if
 * it is not such a file.
 */
struct thread_source *replay_source_open(const char *bytes, size_t len,
					 struct error *err);

#endif
