/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path_text: stack traces as text, one after the other, each with all its
 * callers.
 *
 * In the order of a flame_tree, most of what is written of one stands for the
 * next, too; only what differs is written anew.
 */
#ifndef RENDER_TEXT_PATH_TEXT_H
#define RENDER_TEXT_PATH_TEXT_H

#include "core/base/text.h"
#include "render/page/flame_tree.h"

#include <stddef.h>
#include <stdint.h>

/* Appends a frame, and before it what stands between frames. */
typedef void path_put_fn(void *self, struct text *line, uint32_t label);

/* A zeroed struct has nothing written. */
struct path_text {
	struct text line;
	uint32_t *path; /* places + 1 of its frames, by depth */
	size_t *ends;   /* where each of them ends in the line */
	size_t path_cap, ends_cap;
	size_t depth;
};

/* Begins anew, with what all that follow are to begin with. */
void path_text_begin(struct path_text *t, const char *prefix, size_t len);

/*
 * Makes the line what it began with and the frames of a stack trace, root
 * first: place is that of flame_tree.h plus 1, 0 has no frames.
 */
void path_text_set(struct path_text *t, const struct flame_tree *tree,
		   uint32_t place, path_put_fn *put, void *self);

void path_text_release(struct path_text *t);

#endif
