/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_frames: reads the pool of stack traces, which is most of a recording.
 */
#ifndef CORE_FORMATS_JFR_JFR_FRAMES_H
#define CORE_FORMATS_JFR_JFR_FRAMES_H

#include "core/formats/jfr/jfr_pool.h"

/*
 * How the chunk writes a stack trace and its frames; NULL when that is not a
 * layout that can be read.  t is the type StackTrace.
 */
struct jfr_frame_layout *jfr_frames_new(const struct jfr_metadata *m,
					const struct jfr_type *t);

/* Reads count stack traces with their keys into ps. */
void jfr_frames_read(struct jfr_pools *ps, struct cursor *c, size_t count);

/* All pools are there: makes frames and stack traces of the profile. */
void jfr_frames_end(struct jfr_pools *ps);

/* Forgets the stack traces of a chunk, but not their memory. */
void jfr_frames_clear(struct jfr_pools *ps);

void jfr_frames_free(struct jfr_frame_layout *l); /* NULL is fine */

#endif
