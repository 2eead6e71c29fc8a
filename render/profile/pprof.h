/* SPDX-License-Identifier: Apache-2.0 */
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
#ifndef RENDER_PROFILE_PPROF_H
#define RENDER_PROFILE_PPROF_H

#include "core/base/output.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pprof_options {
	const char *title; /* any bytes */
	/* weights: what is shown first; reverse is ignored. */
	struct style style;
	/* How far apart samples of the selected view are; 0 = unknown. */
	uint64_t period_ns;
	/* So many frames at most, each in every sample; 0: PPROF_FRAMES. */
	uint64_t most_frames;
};

/* `go tool pprof` takes some 16 bytes of memory for each. */
#define PPROF_FRAMES UINT64_C(200000000)

struct pprof_result {
	size_t depth; /* stack traces were cut to so many frames, or 0 */
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
