/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_name: a frame as text, the same in every output.
 */
#ifndef CORE_PROFILE_FRAME_NAME_H
#define CORE_PROFILE_FRAME_NAME_H

#include "core/base/text.h"
#include "core/profile/profile.h"

#include <stdbool.h>

/* How stack traces are drawn or reported, in any output format. */
struct style {
	/* Of each frame. */
	bool simple; /* Class.method instead of package.Class.method */
	bool lines;  /* adds :LINE where it is known */
	/*
	 * Adds how the frame ran, as other tools read it: _[0] interpreted,
	 * _[1] C1, _[j] JIT, _[i] inlined, _[k] kernel.
	 */
	bool annotate;
	/* Of the whole; frame_name() ignores these. */
	bool threads; /* the thread as root frame */
	bool reverse; /* from the leaf frame to the root */
	bool weights; /* weights, not numbers of samples */
};

/*
 * Appends the name, made safe (core/base/safe_text.h): class and method with a
 * dot between, what there is of them, "[unknown]" when there is neither.  An
 * array's class is written as in Java: byte[] for [B.
 */
void frame_name(struct text *out, const struct profile *p,
		const struct frame *f, const struct style *style);

/*
 * Appends "[name tid=12]", the root frame that stands for a thread; with the
 * kernel's id of it or else Java's, if there is one.
 */
void thread_frame_name(struct text *out, const struct profile *p,
		       uint32_t thread);

#endif
