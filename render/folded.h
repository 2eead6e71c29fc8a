/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folded: collapsed stack traces, one line each: "root;caller;leaf weight".
 */
#ifndef RENDER_FOLDED_H
#define RENDER_FOLDED_H

#include "core/base/output.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"

#include <stdbool.h>

struct folded_options {
	struct frame_style style;
	bool threads; /* the thread as root frame */
	bool reverse; /* leaf first */
	bool weights; /* weights instead of samples */
};

/*
 * Writes the stack traces of one view, each once, in the order of their
 * frames' names.  A ';' in a name becomes ':', a line end a blank: the format
 * has no escapes.  Samples without a stack trace are "[no stack trace]".
 */
void folded_write(struct output *out, const struct profile *p,
		  const struct event_view *view,
		  const struct folded_options *options);

#endif
