/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export: a profile in the formats of other tools, each in a file of its name.
 */
#ifndef RENDER_PROFILE_EXPORT_H
#define RENDER_PROFILE_EXPORT_H

#include "core/base/output.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * collapsed: collapsed stack traces, one line each: "root;caller;leaf weight".
 */

struct collapsed_options {
	struct style style;
	/* Maximum number of frames in all lines; 0: COLLAPSED_FRAMES. */
	uint64_t most_frames;
};

/*
 * A line says all its callers again: half a million frames, each the callee of
 * the one before and each with samples, would be terabytes of text.  So would
 * be the tree of them from the leaves, which is held in memory.
 */
#define COLLAPSED_FRAMES          UINT64_C(1000000000)
#define COLLAPSED_REVERSED_FRAMES UINT64_C(200000000)

struct collapsed_result {
	uint64_t cut; /* samples whose stack trace was longer */
	size_t depth; /* than this number of frames, and truncated to it */
};

/*
 * Writes the stack traces of one view, each once, in the order of their
 * frames' names.  A ';' in a name becomes ':', a newline a space: the format
 * has no escapes.  Samples without a stack trace are "[no stack trace]".  Where
 * there would be more frames than may be, stack traces are cut to the depth at
 * which there are not; of those, the frames at the end of the line are left
 * out.
 */
struct collapsed_result
collapsed_write(struct output *out, const struct profile *p,
		const struct event_view *view,
		const struct collapsed_options *options);

/*
 * speedscope: a profile as speedscope.app opens it, by its file format
 * (file-format-schema.json, "sampled" profiles).
 *
 * Each view is a profile of its own, or each of its threads; they share the
 * frames.  There is one sample for each stack trace, or where that makes a file
 * of no great size, one for each that was seen in each time bucket, in the
 * order of time: the first thing that speedscope shows is that order.
 */

struct speedscope_options {
	const char *title; /* any bytes */
	/* threads: a profile for each, the greatest first; reverse is ignored.
	 */
	struct style style;
	/* Maximum number of frames in all samples; 0: SPEEDSCOPE_FRAMES. */
	uint64_t most_frames;
	/* Maximum for samples by time; 0: SPEEDSCOPE_TIMED_FRAMES. */
	uint64_t timed_frames;
};

/* A gigabyte, more than speedscope can be expected to open. */
#define SPEEDSCOPE_FRAMES       UINT64_C(200000000)
#define SPEEDSCOPE_TIMED_FRAMES UINT64_C(4000000) /* some 20 megabytes */

struct speedscope_result {
	size_t depth; /* frames that stack traces were truncated to, or 0 */
};

/*
 * Writes all views; the selected one is what speedscope shows first.  Samples
 * without a stack trace are "[no stack trace]".
 */
struct speedscope_result
speedscope_write(struct output *out, const struct profile *p,
		 const struct event_view *views, size_t view_count,
		 size_t selected, const struct speedscope_options *options);

/*
 * pprof: a profile as `pprof` reads it, and what took over its format
 * (github.com/google/pprof, proto/profile.proto), compressed.
 *
 * All views are in one file.  A sample is a stack trace of one thread in one
 * state; it has a value of each view, mostly 0, since that is the one way the
 * format has to hold several kinds of events.  A view of time or bytes has two
 * values, how many samples and how much.
 *
 * Samples have labels: thread, thread_id (the kernel's), java_thread_id and
 * thread_state, as far as they are known.  Ids are numbers: `pprof
 * -tagfocus=thread_id=4711` finds no strings of digits.
 */

struct pprof_options {
	const char *title; /* any bytes */
	/* weights: what is shown first; reverse is ignored. */
	struct style style;
	/* How far apart samples of the selected view are; 0 = unknown. */
	uint64_t period_ns;
	/* Maximum number of frames in all samples; 0: PPROF_FRAMES. */
	uint64_t most_frames;
};

/* `go tool pprof` takes some 16 bytes of memory for each. */
#define PPROF_FRAMES UINT64_C(200000000)

struct pprof_result {
	size_t depth; /* frames that stack traces were truncated to, or 0 */
};

/*
 * Writes all views, the selected one last and named as the default: readers
 * show either.  Samples without a stack trace are "[no stack trace]".
 */
struct pprof_result pprof_write(struct output *out, const struct profile *p,
				const struct event_view *views,
				size_t view_count, size_t selected,
				const struct pprof_options *options);

#endif
