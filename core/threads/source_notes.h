/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_notes: what a source says beside its samples: whence its figures are,
 * and which are absent and why.
 */
#ifndef CORE_THREADS_SOURCE_NOTES_H
#define CORE_THREADS_SOURCE_NOTES_H

#include "core/threads/thread_source.h"

/*
 * Adds a note; figure is one of those of struct source_note, a literal.  What
 * is formatted may be foreign, and is made safe.  Beyond SOURCE_NOTES_MAX
 * nothing is added.
 */
void source_note_add(struct top_sample *out, const char *figure, bool is_absent,
		     const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
