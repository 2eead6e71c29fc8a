/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_tree: the named frames and the sorted stack traces of a profile, for
 * exporters that write each stack trace.
 */
#ifndef RENDER_TREE_TRACE_TREE_H
#define RENDER_TREE_TRACE_TREE_H

#include "core/profile/event_view.h"
#include "core/profile/profile.h"
#include "render/tree/flame_tree.h"
#include "render/tree/frame_table.h"

#include <stddef.h>
#include <stdint.h>

struct trace_tree {
	struct frame_table table;
	struct flame_tree tree;
	uint32_t *marks; /* by stack trace: node of the draft */
	size_t draft_count;
};

/*
 * Adds the `count` stack traces whose marks[] is not 0, and their callers.
 * Their frames belong to p. Takes ownership of marks.
 */
void trace_tree_init(struct trace_tree *t, const struct profile *p,
		     const struct stack *stacks, size_t count, uint32_t *marks,
		     const struct frame_naming *naming);

/*
 * The same for all stack traces of some views. Frames differ by name, and by
 * line with style->lines; style->simple and style->annotate apply.
 */
void trace_tree_of_views(struct trace_tree *t, const struct profile *p,
			 const struct event_view *views, size_t view_count,
			 const struct style *style);

/* Truncates each stack trace to this many frames, counted from the root. */
void trace_tree_cut(struct trace_tree *t, size_t depth);

void trace_tree_release(struct trace_tree *t); /* may be zeroed */

/* Returns 1 + the place of a stack trace in the tree; 0 = no stack trace. */
static inline uint32_t trace_tree_place(const struct trace_tree *t,
					uint32_t stack)
{
	return t->tree.place_of[t->marks[stack]];
}

/* Returns the number of frames of the deepest stack trace. */
size_t trace_tree_deepest(const struct trace_tree *t);

/* Returns the number of frames of a stack trace, by 1 + its place. */
static inline size_t trace_tree_depth(const struct trace_tree *t,
				      uint32_t place)
{
	return place ? t->tree.nodes[place - 1].depth + (size_t)1 : 0;
}

/* Returns the name of a label. */
static inline const struct label_name *
trace_tree_name(const struct trace_tree *t, uint32_t label)
{
	return &t->table.names[t->table.labels[label].name];
}

/*
 * depth_limit: limits the depth of stack traces.
 *
 * Formats that write each stack trace with all its callers can be much larger
 * than the input: half a million nested frames, each with samples, are 10^11
 * frames.
 */

/*
 * Returns the greatest depth, at least 1, at which truncated stack traces have
 * at most `most` frames in all. traces_at[0 … deepest] are the numbers of stack
 * traces by depth.
 */
size_t depth_limit(const uint64_t *traces_at, size_t deepest, uint64_t most);

#endif
