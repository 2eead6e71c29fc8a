/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_tree: stack traces in depth-first order: each caller before its
 * callees, the callees of a caller sorted by label.
 *
 * A draft collects the nodes in any order that has callers before callees.
 * flame_tree_init() sorts them and merges callees of a caller with the same
 * label.
 */
#ifndef RENDER_TREE_FLAME_TREE_H
#define RENDER_TREE_FLAME_TREE_H

#include "core/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/* Node 0 of a draft is the empty stack trace, the caller of the roots. */
struct draft_node {
	uint32_t caller;
	uint32_t frame; /* frame id of the profile, or small_frames() */
	uint32_t small; /* node of the small_frames() callee, or 0 */
};

struct draft {
	struct draft_node *nodes;
	size_t count, cap;
};

void draft_init(struct draft *d);
void draft_release(struct draft *d);

/* Adds a callee to an existing node; returns the new node. */
uint32_t draft_add(struct draft *d, uint32_t caller, uint32_t frame);

/*
 * Adds the stack traces whose mark[] is not 0, and all their callers. mark[] is
 * indexed by stack trace id, below count; its elements become the node of the
 * draft, or 0.
 */
void draft_marked(struct draft *d, const struct stack *stacks, size_t count,
		  uint32_t *mark);

/* Sets used[] (as of frame_table_init) to 1 for each frame in the draft. */
void draft_frames(const struct draft *d, uint8_t *used);

struct tree_node {
	uint32_t caller; /* 1 + place of the caller, or 0 for a root frame */
	uint32_t label;
	uint32_t depth; /* 0 for a root frame */
};

struct flame_tree {
	struct tree_node *nodes; /* by place, from 0 */
	size_t count;
	uint32_t *place_of; /* by node of the draft: 1 + place; [0] is 0 */
};

/*
 * Builds a tree. label_of[] is the label of each frame, below label_count. The
 * draft is empty afterwards.
 */
void flame_tree_init(struct flame_tree *t, struct draft *d,
		     const uint32_t *label_of, size_t label_count);

void flame_tree_release(struct flame_tree *t);

#endif
