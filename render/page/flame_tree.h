/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_tree: stack traces in the order in which they are shown: each caller
 * before its callees, callees of one caller by their labels.
 *
 * It is made in two steps.  A draft holds the nodes that are to be shown, as
 * they come, each after its caller; flame_tree_init() puts them in order and
 * makes one of callees that have the same caller and the same label.
 */
#ifndef RENDER_PAGE_FLAME_TREE_H
#define RENDER_PAGE_FLAME_TREE_H

#include "core/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/* Node 0 of a draft stands for no stack trace, the caller of the roots. */
struct draft_node {
	uint32_t caller;
	uint32_t frame; /* frame id of the profile, or small_frames() */
	uint32_t small; /* the callee that is small_frames(), or 0 */
};

struct draft {
	struct draft_node *nodes;
	size_t count, cap;
};

void draft_init(struct draft *d);
void draft_release(struct draft *d);

/* Adds a callee of a node that is there already. */
uint32_t draft_add(struct draft *d, uint32_t caller, uint32_t frame);

/*
 * Drafts every stack trace for which mark[] is not 0, and all their callers.
 * mark has an element for each of the count stack traces, [0] stands for none;
 * in it is then the draft's node, or 0.
 */
void draft_marked(struct draft *d, const struct stack *stacks, size_t count,
		  uint32_t *mark);

/* Sets used[] (as of frame_table_init) to 1 for each frame in the draft. */
void draft_frames(const struct draft *d, uint8_t *used);

struct tree_node {
	uint32_t caller; /* place + 1, or 0 for a root frame */
	uint32_t label;
	uint32_t depth; /* 0 for a root frame */
};

struct flame_tree {
	struct tree_node *nodes; /* by place, from 0 */
	size_t count;
	uint32_t *place_of; /* by node of the draft: place + 1; [0] is 0 */
};

/*
 * label_of[] gives the label of each frame of the draft, less than
 * label_count.  The draft is used up: it is empty afterwards.
 */
void flame_tree_init(struct flame_tree *t, struct draft *d,
		     const uint32_t *label_of, size_t label_count);

void flame_tree_release(struct flame_tree *t);

#endif
