/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_tree: stack traces with their frames named and in order, for outputs
 * that write each of them.
 */
#ifndef RENDER_TRACE_TREE_H
#define RENDER_TRACE_TREE_H

#include "core/profile/profile.h"
#include "render/flame_tree.h"
#include "render/frame_table.h"

#include <stddef.h>
#include <stdint.h>

struct trace_tree {
	struct frame_table table;
	struct flame_tree tree;
	uint32_t *marks; /* by stack trace: its node in the draft */
};

/*
 * Takes the stack traces, count of them, for which marks[] is not 0, and their
 * callers; their frames are the profile's.  marks becomes the tree's own.
 */
void trace_tree_init(struct trace_tree *t, const struct profile *p,
		     const struct stack *stacks, size_t count, uint32_t *marks,
		     const struct frame_naming *naming);
void trace_tree_release(struct trace_tree *t); /* zeroes are fine */

/* Where a stack trace that was taken is in the tree: place + 1, or 0. */
static inline uint32_t trace_tree_place(const struct trace_tree *t,
					uint32_t stack)
{
	return t->tree.place_of[t->marks[stack]];
}

/* The name of a label. */
static inline const struct label_name *
trace_tree_name(const struct trace_tree *t, uint32_t label)
{
	return &t->table.names[t->table.labels[label].name];
}

#endif
