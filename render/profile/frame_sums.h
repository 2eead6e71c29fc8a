/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_sums: what every frame of a view comes to, by its label.
 *
 * Self is what was counted with the frame at the leaf; total is what was
 * counted with it anywhere in the stack trace, once however often it is there.
 */
#ifndef RENDER_PROFILE_FRAME_SUMS_H
#define RENDER_PROFILE_FRAME_SUMS_H

#include "core/profile/event_view.h"
#include "core/profile/profile.h"
#include "render/page/flame_widths.h"
#include "render/profile/frame_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_sum {
	uint32_t label;
	uint64_t self, total;
};

/*
 * A sum for each label, those of most self first, then of most total, then in
 * the order of the labels: table->label_count of them, the caller's to free.
 * view is the only one in w, and table has all of its frames.
 */
struct frame_sum *frame_sums(const struct flame_widths *w,
			     const struct event_view *view, bool weights,
			     const struct frame_table *table);

#endif
