/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hot_frames: the methods that a view's samples were found in most often.
 */
#ifndef RENDER_PROFILE_HOT_FRAMES_H
#define RENDER_PROFILE_HOT_FRAMES_H

#include "core/profile/event_view.h"
#include "core/profile/profile.h"
#include "render/page/flame_widths.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOT_FRAMES 20

/* A method, whatever the kinds and lines of its frames. */
struct hot_frame {
	uint32_t frame; /* one of its frames */
	uint64_t self;
	uint64_t total; /* a recursive call counts once */
};

/*
 * Fills hot[HOT_FRAMES], greatest self first, and gives the number.  view is
 * the one that was added to w last; the marks in w stay marks.
 */
size_t hot_frames(struct flame_widths *w, const struct event_view *view,
		  bool weights, struct hot_frame *hot);

#endif
