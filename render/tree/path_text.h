/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path_text: writes stack traces as text, each with all its callers.
 *
 * In the order of a flame_tree, neighbors share most of their frames; only the
 * frames that differ are written again.
 */
#ifndef RENDER_TREE_PATH_TEXT_H
#define RENDER_TREE_PATH_TEXT_H

#include "core/base/text.h"
#include "render/tree/flame_tree.h"

#include <stddef.h>
#include <stdint.h>

/* Appends a separator if needed, and a frame. */
typedef void path_put_fn(void *self, struct text *line, uint32_t label);

/* A zeroed struct is empty. */
struct path_text {
	struct text line;
	uint32_t *path; /* place + 1 of each frame, by depth */
	size_t *ends;   /* end of each frame in the line, after the prefix's */
	size_t path_cap, ends_cap;
	size_t depth;
};

/* Clears the line and sets the prefix of all following lines. */
void path_text_begin(struct path_text *t, const char *prefix, size_t len);

/*
 * Sets the line to the prefix and the frames of a stack trace, root first.
 * place is 1 + a place of flame_tree.h; 0 is an empty stack trace.
 */
void path_text_set(struct path_text *t, const struct flame_tree *tree,
		   uint32_t place, path_put_fn *put, void *self);

void path_text_release(struct path_text *t);

#endif
