/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/read_nps.h"

#include "core/base/alloc.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define US_NS 1000
#define US_MS 1000
/* Maximum size of a tree with offsets of 3 bytes. */
#define NARROW_MAX 0xffffff

struct node {
	size_t offset;
	unsigned method;
	uint64_t totals[2]; /* microseconds */
	uint64_t selfs[2];  /* as stored; rounded */
	size_t callees;
	size_t callees_at; /* position of the callees' offsets */
};

/* A node to be read. */
struct pending {
	size_t offset;
	uint32_t caller; /* stack trace */
	uint32_t frame;  /* 0 for the node of the thread, which is no frame */
};

/*
 * Number of nodes between a node and the one whose stack trace is prefetched:
 * enough to hide a wait for memory.
 */
#define TREE_AHEAD 4

struct walk {
	struct profile *profile;
	const struct nps_tree *tree;
	const struct nps_methods *methods;
	const uint32_t *events;
	struct sample sample;
	size_t node_size, width;
	struct pending *pending;
	size_t count, cap;
	size_t room; /* upper bound of further callees */
	/* NULL if the profile may have cells of the thread already. */
	struct nps_cells *cells;
};

static unsigned tree_u16(const uint8_t *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

/* Reads 5 bytes; the 3 bytes behind them must be readable. */
static uint64_t tree_u40(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return be64toh(value) >> 24;
}

/* Reads the 5 bytes before a position; the 3 before these must be readable. */
static uint64_t tree_u40_before(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at - sizeof(value), sizeof(value));
	return be64toh(value) & 0xffffffffffu;
}

/* Reads the offset of a callee, 3 or 4 bytes that follow others. */
static size_t tree_callee_offset(const struct walk *w, const struct node *n,
				 size_t index)
{
	const uint8_t *end = w->tree->bytes + n->callees_at +
			     (index + 1) * w->width;
	uint32_t value;

	memcpy(&value, end - sizeof(value), sizeof(value));
	value = be32toh(value);
	return w->width == sizeof(value) ? value : value & NARROW_MAX;
}

/* Reads a node; false if the node or its list of callees is incomplete. */
static bool tree_read_node(const struct walk *w, size_t offset, struct node *n)
{
	const struct nps_tree *tree = w->tree;
	const uint8_t *at;

	if (offset > tree->len || tree->len - offset < w->node_size)
		return false;
	at = tree->bytes + offset;
	n->offset = offset;
	n->method = tree_u16(at);
	n->totals[0] = tree_u40(at + 6);
	n->totals[1] = tree->two_times ? tree_u40(at + 16) : 0;
	n->selfs[0] = tree_u40_before(at + 16);
	n->selfs[1] = tree->two_times ? tree_u40_before(at + 26) : 0;
	n->callees = tree_u16(at + w->node_size - 2);
	n->callees_at = offset + w->node_size;
	return n->callees <= (tree->len - n->callees_at) / w->width;
}

static void tree_lose_node(const struct walk *w, size_t offset)
{
	const struct thread *t = &w->profile->threads[w->sample.thread];

	profile_lost(w->profile, "call tree nodes lost", 1,
		     "thread %s, offset %zu of %zu",
		     profile_text(w->profile, t->name), offset,
		     w->tree->full_len);
}

uint32_t nps_unknown_frame(struct profile *p, unsigned method)
{
	char name[32];
	int len = snprintf(name, sizeof(name), "[method %u]", method);
	struct frame f = {
		.method = profile_string(p, name, (size_t)len),
		.kind = FRAME_SYNTHETIC,
	};

	profile_note(p, "methods without a name", 1, "method %u", method);
	return profile_frame(p, &f);
}

static uint32_t tree_frame(const struct walk *w, const struct node *n)
{
	if (n->method < w->methods->count)
		return w->methods->frames[n->method];
	return nps_unknown_frame(w->profile, n->method);
}

static void tree_add_pending(struct walk *w, const struct node *n,
			     uint32_t caller)
{
	array_add(w->pending, w->count, w->cap,
		  (struct pending){
			  .offset = n->offset,
			  .caller = caller,
			  .frame = tree_frame(w, n),
		  });
}

/*
 * Returns the cells of a stack trace. The array covers the ids so far, which
 * grow by few with each node, so it stays as small as they are many.
 */
static uint32_t *nps_cells_of(struct nps_cells *c, uint32_t stack)
{
	if (stack >= c->count) {
		array_reserve(c->of, c->cap, (size_t)stack + 1);
		memset(c->of + c->count, 0,
		       (stack + 1 - c->count) * sizeof(*c->of));
		c->count = (size_t)stack + 1;
	}
	return c->of[stack];
}

/*
 * Callees whose methods differ only in their signatures have the same stack
 * trace, and thereby the same cell, within a thread.
 */
static void tree_add_time(struct walk *w, int time, uint64_t us)
{
	if (!us)
		return;
	w->sample.event = w->events[time];
	w->sample.weight = us * US_NS;
	w->sample.count = us < US_MS ? 1 : (us + US_MS / 2) / US_MS;
	if (w->cells)
		profile_add_at(w->profile, &w->sample,
			       nps_cells_of(w->cells, w->sample.stack) + time);
	else
		profile_add(w->profile, &w->sample);
}

/*
 * Subtracts the callees' totals from the node's and adds the callees to the
 * list. Returns false if callees are lost. Callees must follow their caller in
 * the tree, which excludes cycles. No node has two callers, so the size of the
 * tree bounds the lists of all nodes.
 */
static bool tree_add_callees(struct walk *w, struct node *n, uint32_t stack)
{
	bool is_whole = true;

	if (n->callees > w->room) {
		profile_lost(w->profile, "call tree nodes lost", n->callees,
			     "offset %zu: the tree has too many callees",
			     n->offset);
		return false;
	}
	w->room -= n->callees;
	for (size_t i = 0; i < n->callees; i++) {
		size_t offset = tree_callee_offset(w, n, i);
		struct node callee;

		if (offset <= n->offset ||
		    !tree_read_node(w, offset, &callee)) {
			tree_lose_node(w, offset);
			is_whole = false;
			continue;
		}
		for (int k = 0; k < 2; k++) {
			if (callee.totals[k] > n->totals[k]) {
				profile_note(w->profile,
					     "callees longer than their caller",
					     1, "offset %zu", offset);
				callee.totals[k] = n->totals[k];
			}
			n->totals[k] -= callee.totals[k];
		}
		tree_add_pending(w, &callee, stack);
	}
	return is_whole;
}

static void nps_visit(struct walk *w, const struct pending *pending)
{
	struct node n;

	if (!tree_read_node(w, pending->offset, &n)) {
		tree_lose_node(w, pending->offset);
		return;
	}
	w->sample.stack = pending->caller;
	if (pending->frame)
		w->sample.stack = profile_push(w->profile, pending->caller,
					       pending->frame);
	if (!tree_add_callees(w, &n, w->sample.stack)) {
		/* The rest is the time of lost callees. */
		for (int k = 0; k < 2; k++)
			if (n.totals[k] > n.selfs[k])
				n.totals[k] = n.selfs[k];
	}
	for (int time = 0; time < 2; time++)
		tree_add_time(w, time, n.totals[time]);
}

/* Visits the nodes on the list, and the callees that they add to it. */
static void nps_visit_all(struct walk *w)
{
	while (w->count) {
		struct pending next = w->pending[--w->count];

		if (w->count >= TREE_AHEAD) {
			const struct pending
				*later = &w->pending[w->count - TREE_AHEAD];

			profile_push_prefetch(w->profile, later->caller,
					      later->frame);
		}
		nps_visit(w, &next);
	}
}

void nps_tree_read(struct profile *p, const struct nps_tree *tree,
		   const struct nps_methods *methods, const struct sample *s,
		   const uint32_t events[2], struct nps_cells *cells)
{
	struct walk w = {
		.profile = p,
		.tree = tree,
		.methods = methods,
		.events = events,
		.cells = cells,
		.sample = *s,
		.node_size = tree->two_times ? NPS_NODE_TWO : NPS_NODE_ONE,
		.width = tree->full_len > NARROW_MAX ? 4 : 3,
	};
	struct node root;

	w.room = tree->len / w.width;
	if (tree_read_node(&w, 0, &root))
		tree_add_pending(&w, &root, 0);
	else
		tree_lose_node(&w, 0);
	nps_visit_all(&w);
	free(w.pending);
}
