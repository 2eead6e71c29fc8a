/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_text: parses the text of perf script(1), piece by piece.
 *
 *	java 4711/4712 [001] 59071.705481:    1000 cycles:u:
 *		7f464feae4fe os::javaTimeNanos+0x1e (/jdk/lib/libjvm.so)
 *		7f4638facdf0 void a.B.run()+0x410 (/tmp/perf-4711.map)
 *
 * Frames are leaf first, and an empty line ends a sample. A command may contain
 * spaces, digits and colons, so a header is recognized by its time. The process
 * id, CPU, time and period may be missing.
 */
#ifndef CORE_FORMATS_PERF_TEXT_H
#define CORE_FORMATS_PERF_TEXT_H

#include "core/base/lines.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_text;

/* Starts a text, whose samples are added to the profile, which is borrowed. */
struct perf_text *perf_text_new(struct profile *p);
void perf_text_free(struct perf_text *t); /* NULL is allowed */

/* Reads whole lines; bytes may change afterwards. */
void perf_text_read(struct perf_text *t, const void *bytes, size_t len);

/*
 * Adds the last sample, unless the text is truncated, or ends before its first
 * frame. Returns the number of samples of the whole text.
 */
uint64_t perf_text_finish(struct perf_text *t, bool is_truncated);

/*
 * True if the line is the first line of a sample: with a time, or followed by a
 * frame.
 */
bool perf_text_is_header(struct line line, struct line next);

/* Frames of one line: inlined ones have lines of their own, or "->". */
#define PERF_FRAMES 32

/*
 * Adds the frames of a line "ADDRESS SYMBOL (FILE)", leaf first, and returns
 * their number, at most PERF_FRAMES; 0 if the line has another form.
 */
size_t perf_frames(struct profile *p, struct line line,
		   uint32_t frames[PERF_FRAMES]);

#endif
