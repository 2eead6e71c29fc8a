/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the nodes of a draft into a tree, without recursion. */
#include "render/tree/flame_tree.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

void draft_init(struct draft *d)
{
	*d = (struct draft){ 0 };
	draft_add(d, 0, 0);
}

void draft_release(struct draft *d)
{
	free(d->nodes);
	*d = (struct draft){ 0 };
}

uint32_t draft_add(struct draft *d, uint32_t caller, uint32_t frame)
{
	array_reserve(d->nodes, d->cap, d->count + 1);
	d->nodes[d->count] = (struct draft_node){ caller, frame, 0 };
	return (uint32_t)d->count++;
}

void draft_marked(struct draft *d, const struct stack *stacks, size_t count,
		  uint32_t *mark)
{
	size_t marked = 0;

	/* Ids of callees are greater than their callers'. */
	for (size_t id = count; id-- > 1;) {
		if (mark[id]) {
			mark[stacks[id].caller] = 1;
			marked++;
		}
	}
	mark[0] = 0;
	array_reserve(d->nodes, d->cap, d->count + marked);
	for (size_t id = 1; id < count; id++) {
		if (mark[id])
			mark[id] = draft_add(d, mark[stacks[id].caller],
					     stacks[id].frame);
	}
}

void draft_frames(const struct draft *d, uint8_t *used)
{
	for (size_t i = 1; i < d->count; i++)
		used[d->nodes[i].frame] = 1;
}

/* The state of the sort; the arrays are indexed by node of the draft. */
struct order {
	uint32_t *caller;
	uint32_t *label;
	uint32_t *callees; /* first callee, or 0 */
	uint32_t *next;    /* next callee of the same caller, or 0 */
	struct merged {
		uint32_t node, into;
	} * merged;
	size_t merged_count, merged_cap;
};

static void tree_order_release(struct order *o)
{
	free(o->caller);
	free(o->label);
	free(o->callees);
	free(o->next);
	free(o->merged);
}

/* Returns the nodes except node 0, sorted by label with a counting sort. */
static uint32_t *tree_by_label(const struct order *o, size_t count,
			       size_t label_count)
{
	uint32_t *starts = xcalloc(label_count + 1, sizeof(*starts));
	uint32_t *sorted = xmalloc(count * sizeof(*sorted));

	for (size_t i = 1; i < count; i++)
		starts[o->label[i] + 1]++;
	for (size_t i = 0; i < label_count; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 1; i < count; i++)
		sorted[starts[o->label[i]]++] = (uint32_t)i;
	free(starts);
	return sorted;
}

/* Links the callees of each node, sorted by label. */
static void tree_order_init(struct order *o, struct draft *d,
			    const uint32_t *label_of, size_t label_count)
{
	size_t count = d->count;
	uint32_t *sorted;

	*o = (struct order){ 0 };
	o->caller = xmalloc(count * sizeof(*o->caller));
	o->label = xmalloc(count * sizeof(*o->label));
	for (size_t i = 0; i < count; i++) {
		o->caller[i] = d->nodes[i].caller;
		o->label[i] = i ? label_of[d->nodes[i].frame] : 0;
	}
	draft_release(d);
	sorted = tree_by_label(o, count, label_count);
	o->callees = array_new(count, sizeof(*o->callees));
	o->next = xmalloc(count * sizeof(*o->next));
	/* Backwards: each node goes to the front of its list. */
	for (size_t i = count - 1; i-- > 0;) {
		uint32_t node = sorted[i];
		uint32_t *callees = &o->callees[o->caller[node]];

		o->next[node] = *callees;
		*callees = node;
	}
	free(sorted);
}

/* Merges two sorted lists. */
static uint32_t tree_merge_chains(struct order *o, uint32_t a, uint32_t b)
{
	uint32_t first = 0;
	uint32_t *link = &first;

	while (a && b) {
		uint32_t *least = o->label[b] < o->label[a] ? &b : &a;

		*link = *least;
		link = &o->next[*least];
		*least = *link;
	}
	*link = a ? a : b;
	return first;
}

/*
 * Merges the callees from `into` on that have its label into it. Their sorted
 * lists of callees are merged like the carries of a binary counter: n lists
 * take log n passes.
 */
static void tree_merge_run(struct order *o, uint32_t into)
{
	uint32_t digits[32] = { 0 };
	uint32_t node = into;
	uint32_t all = 0;

	while (node && o->label[node] == o->label[into]) {
		uint32_t chain = o->callees[node];
		size_t i = 0;

		for (uint32_t c = chain; c; c = o->next[c])
			o->caller[c] = into;
		for (; chain && i < 31 && digits[i]; i++) {
			chain = tree_merge_chains(o, digits[i], chain);
			digits[i] = 0;
		}
		if (chain)
			digits[i] = tree_merge_chains(o, digits[i], chain);
		if (node != into) {
			array_add(o->merged, o->merged_count, o->merged_cap,
				  (struct merged){ node, into });
		}
		node = o->next[node];
	}
	for (size_t i = 0; i < 32; i++)
		all = tree_merge_chains(o, all, digits[i]);
	o->callees[into] = all;
	o->next[into] = node;
}

/* Merges the callees of a node that have the same label. */
static void tree_merge_callees(struct order *o, uint32_t node)
{
	for (uint32_t c = o->callees[node]; c; c = o->next[c]) {
		uint32_t next = o->next[c];

		if (next && o->label[next] == o->label[c])
			tree_merge_run(o, c);
	}
}

/* Appends a node to the tree; returns its first callee, or 0. */
static uint32_t tree_place_node(struct flame_tree *t, struct order *o,
				uint32_t node, uint32_t depth)
{
	t->nodes[t->count++] = (struct tree_node){
		.caller = t->place_of[o->caller[node]],
		.label = o->label[node],
		.depth = depth,
	};
	t->place_of[node] = (uint32_t)t->count;
	tree_merge_callees(o, node);
	return o->callees[node];
}

void flame_tree_init(struct flame_tree *t, struct draft *d,
		     const uint32_t *label_of, size_t label_count)
{
	size_t count = d->count;
	uint32_t depth = 0;
	struct order o;
	uint32_t node;

	tree_order_init(&o, d, label_of, label_count);
	*t = (struct flame_tree){ 0 };
	t->nodes = xmalloc(count * sizeof(*t->nodes));
	t->place_of = array_new(count, sizeof(*t->place_of));
	tree_merge_callees(&o, 0);
	node = o.callees[0];
	while (node) {
		uint32_t callee = tree_place_node(t, &o, node, depth);

		if (callee) {
			node = callee;
			depth++;
			continue;
		}
		while (node && !o.next[node]) {
			node = o.caller[node];
			depth--;
		}
		if (node)
			node = o.next[node];
	}
	for (size_t i = 0; i < o.merged_count; i++)
		t->place_of[o.merged[i].node] = t->place_of[o.merged[i].into];
	tree_order_release(&o);
}

void flame_tree_release(struct flame_tree *t)
{
	free(t->nodes);
	free(t->place_of);
	*t = (struct flame_tree){ 0 };
}
