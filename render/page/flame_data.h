/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_data: the data block of the flame graph page.
 *
 * PAGE.md beside this file says what is in it.
 */
#ifndef RENDER_PAGE_FLAME_DATA_H
#define RENDER_PAGE_FLAME_DATA_H

#include "core/base/text.h"
#include "core/profile/event_view.h"
#include "core/profile/profile.h"
#include "render/page/flame.h"
#include "render/page/flame_tree.h"
#include "render/profile/frame_table.h"

#include <stddef.h>
#include <stdint.h>

/* What the block is made of; all borrowed. */
struct flame_data {
	const struct profile *profile;
	const struct event_view *views;
	size_t view_count;
	size_t selected;
	const struct flame_options *options;
	const struct frame_table *table;
	const struct flame_tree *tree;
	const uint32_t *node_of; /* node of the draft, by stack trace */
	const struct flame_result *result;
};

/* Appends the block, not yet compressed. */
void flame_data(struct text *out, const struct flame_data *d);

#endif
