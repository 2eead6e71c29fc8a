/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_recorder: writes the samples of a top of threads to a file, as they come.
 *
 * The file is written in place, a whole line at a time: what a run that was
 * killed leaves can be replayed.  A file that is there already is not touched.
 */
#ifndef CMD_TTOP_TOP_RECORDER_H
#define CMD_TTOP_TOP_RECORDER_H

#include "core/threads/thread_source.h"

struct top_recorder;

/*
 * Creates the file, which must not exist unless it is a pipe or a device, and
 * writes what is recorded: the source's title.  path is borrowed.  NULL and
 * ERROR_OUTPUT on failure.
 */
struct top_recorder *top_recorder_open(const char *path,
				       struct thread_source *source,
				       struct error *err);

/* Each adds a line, at once.  ERROR_OUTPUT when it cannot be written whole. */
int top_recorder_sample(struct top_recorder *r, const struct top_sample *sample,
			struct error *err);
int top_recorder_shown(struct top_recorder *r, const char *what, int64_t of,
		       const char *text, size_t len, struct error *err);

/* ERROR_OUTPUT when the system says now that it has no room; NULL is fine. */
int top_recorder_close(struct top_recorder *r, struct error *err);

#endif
