/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collapsed: collapsed stack traces, one line each: "root;caller;leaf weight".
 */
#ifndef RENDER_PROFILE_COLLAPSED_H
#define RENDER_PROFILE_COLLAPSED_H

#include "core/base/output.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct collapsed_options {
	struct style style;
	/* So many frames at most, each in every line; 0: FOLDED_FRAMES. */
	uint64_t most_frames;
};

/*
 * A line says all its callers again: half a million frames, each the callee of
 * the one before and each with samples, would be terabytes of text.  So would
 * be the tree of them from the leaves, which is held in memory.
 */
#define FOLDED_FRAMES          UINT64_C(1000000000)
#define FOLDED_REVERSED_FRAMES UINT64_C(200000000)

struct collapsed_result {
	uint64_t cut; /* samples whose stack trace was longer */
	size_t depth; /* than so many frames, and was cut to them */
};

/*
 * Writes the stack traces of one view, each once, in the order of their
 * frames' names.  A ';' in a name becomes ':', a line end a blank: the format
 * has no escapes.  Samples without a stack trace are "[no stack trace]".  Where
 * there would be more frames than may be, stack traces are cut to the depth at
 * which there are not; of those, the frames at the end of the line are left
 * out.
 */
struct collapsed_result
collapsed_write(struct output *out, const struct profile *p,
		const struct event_view *view,
		const struct collapsed_options *options);

#endif
