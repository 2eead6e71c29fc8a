/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_tree: stack traces with their frames named and in order, for outputs
 * that write each of them.
 */
#ifndef RENDER_PROFILE_TRACE_TREE_H
#define RENDER_PROFILE_TRACE_TREE_H

#include "core/profile/event_view.h"
#include "core/profile/profile.h"
#include "render/page/flame_tree.h"
#include "render/profile/frame_table.h"

#include <stddef.h>
#include <stdint.h>

struct trace_tree {
	struct frame_table table;
	struct flame_tree tree;
	uint32_t *marks; /* by stack trace: its node in the draft */
	size_t draft_count;
};

/*
 * Takes the stack traces, count of them, for which marks[] is not 0, and their
 * callers; their frames are the profile's.  marks becomes the tree's own.
 */
void trace_tree_init(struct trace_tree *t, const struct profile *p,
		     const struct stack *stacks, size_t count, uint32_t *marks,
		     const struct frame_naming *naming);

/* The same for all stack traces of some views. */
void trace_tree_of_views(struct trace_tree *t, const struct profile *p,
			 const struct event_view *views, size_t view_count,
			 const struct frame_naming *naming);

/* Truncates each stack trace to this many frames, counted from the root. */
void trace_tree_cut(struct trace_tree *t, size_t depth);

void trace_tree_release(struct trace_tree *t); /* zeroes are fine */

/* Where a stack trace that was taken is in the tree: place + 1, or 0. */
static inline uint32_t trace_tree_place(const struct trace_tree *t,
					uint32_t stack)
{
	return t->tree.place_of[t->marks[stack]];
}

/* How many frames the longest has. */
size_t trace_tree_deepest(const struct trace_tree *t);

/* How many frames there are at a place + 1. */
static inline size_t trace_tree_depth(const struct trace_tree *t,
				      uint32_t place)
{
	return place ? t->tree.nodes[place - 1].depth + (size_t)1 : 0;
}

/* The name of a label. */
static inline const struct label_name *
trace_tree_name(const struct trace_tree *t, uint32_t label)
{
	return &t->table.names[t->table.labels[label].name];
}

/*
 * depth_limit: how deep stack traces may be for all of them to be written.
 *
 * Formats that write each stack trace with all its callers take memory and time
 * that are no longer in proportion to what was read: half a million frames,
 * each the callee of the one before and each with samples, are 10^11 frames.
 */
/*
 * The greatest depth, at least 1, to which stack traces may be cut so that they
 * have at most `most` frames in all.  traces_at[d] of them are d frames deep;
 * it has elements for 0 to deepest.
 */
size_t depth_limit(const uint64_t *traces_at, size_t deepest, uint64_t most);

#endif
