/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speedscope: a profile as speedscope.app opens it, by its file format
 * (file-format-schema.json, "sampled" profiles).
 *
 * Each view is a profile of its own, or each of its threads; they share the
 * frames.  There is one sample for each stack trace, or where that makes a file
 * of no great size, one for each that was seen in each time bucket, in the
 * order of time: the first thing that speedscope shows is that order.
 */
#ifndef RENDER_PROFILE_SPEEDSCOPE_H
#define RENDER_PROFILE_SPEEDSCOPE_H

#include "core/base/output.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct speedscope_options {
	const char *title; /* any bytes */
	/* threads: a profile for each, the greatest first; reverse is ignored.
	 */
	struct style style;
	/* So many frames at most, each in every sample; 0: SPEEDSCOPE_FRAMES */
	uint64_t most_frames;
	/* Up to so many, in the order of time; 0: SPEEDSCOPE_TIMED_FRAMES. */
	uint64_t timed_frames;
};

/* A gigabyte, more than speedscope can be expected to open. */
#define SPEEDSCOPE_FRAMES       UINT64_C(200000000)
#define SPEEDSCOPE_TIMED_FRAMES UINT64_C(4000000) /* some 20 megabytes */

struct speedscope_result {
	size_t depth; /* stack traces were cut to so many frames, or 0 */
};

/*
 * Writes all views; the selected one is what speedscope shows first.  Samples
 * without a stack trace are "[no stack trace]".
 */
struct speedscope_result
speedscope_write(struct output *out, const struct profile *p,
		 const struct event_view *views, size_t view_count,
		 size_t selected, const struct speedscope_options *options);

#endif
