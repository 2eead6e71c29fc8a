/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/nps_tree.h"

#include "core/base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define US_NS      1000
#define US_MS      1000
#define NARROW_MAX 0xffffff /* the longest tree with offsets of 3 bytes */

struct node {
	size_t offset;
	unsigned method;
	uint64_t totals[2]; /* microseconds */
	size_t callees;
	size_t callees_at; /* where their offsets are */
};

/* A node yet to be read. */
struct pending {
	size_t offset;
	uint32_t caller; /* stack */
};

struct walk {
	struct profile *profile;
	const struct nps_tree *tree;
	const struct nps_methods *methods;
	const uint32_t *events;
	struct sample sample;
	size_t node_size, width;
	struct pending *pending;
	size_t count, cap;
	size_t room; /* nodes that the tree can still hold */
};

static uint64_t big_endian(const uint8_t *bytes, size_t len)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++)
		value = value << 8 | bytes[i];
	return value;
}

/* False when the node is not there as a whole, or its callees' list is not. */
static bool read_node(const struct walk *w, size_t offset, struct node *n)
{
	const struct nps_tree *tree = w->tree;
	const uint8_t *at;

	if (offset > tree->len || tree->len - offset < w->node_size)
		return false;
	at = tree->bytes + offset;
	n->offset = offset;
	n->method = (unsigned)big_endian(at, 2);
	n->totals[0] = big_endian(at + 6, 5);
	n->totals[1] = tree->two_times ? big_endian(at + 16, 5) : 0;
	n->callees = (size_t)big_endian(at + w->node_size - 2, 2);
	n->callees_at = offset + w->node_size;
	return n->callees <= (tree->len - n->callees_at) / w->width;
}

static void lost_node(const struct walk *w, size_t offset)
{
	const struct thread *t = &w->profile->threads[w->sample.thread];

	profile_lost(w->profile, "call tree nodes lost", 1,
		     "thread %s, offset %zu of %zu",
		     profile_text(w->profile, t->name), offset,
		     w->tree->full_len);
}

/* The frame of a method id that the table lacks. */
static uint32_t unknown_frame(struct profile *p, unsigned method)
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

static uint32_t stack_of(const struct walk *w, const struct node *n,
			 uint32_t caller)
{
	uint32_t frame;

	if (n->method < w->methods->count)
		frame = w->methods->frames[n->method];
	else
		frame = unknown_frame(w->profile, n->method);
	/* The thread itself is no frame. */
	return frame ? profile_push(w->profile, caller, frame) : caller;
}

static void add_time(struct walk *w, uint32_t event, uint64_t us)
{
	if (!us)
		return;
	w->sample.event = event;
	w->sample.weight = us * US_NS;
	w->sample.count = us < US_MS ? 1 : (us + US_MS / 2) / US_MS;
	profile_add(w->profile, &w->sample);
}

/*
 * Takes the callees' totals off the node's and puts the callees on the list.
 * A callee stands behind its caller, so that no node is its own caller, and
 * there are no more of them than the tree has room for.
 */
static void take_callees(struct walk *w, struct node *n, uint32_t stack)
{
	for (size_t i = 0; i < n->callees; i++) {
		const uint8_t *at = w->tree->bytes + n->callees_at +
				    i * w->width;
		size_t offset = (size_t)big_endian(at, w->width);
		struct node callee;

		if (offset <= n->offset || !w->room ||
		    !read_node(w, offset, &callee)) {
			lost_node(w, offset);
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
		w->room--;
		array_reserve(w->pending, w->cap, w->count + 1);
		w->pending[w->count++] = (struct pending){ offset, stack };
	}
}

static void visit(struct walk *w, const struct pending *pending)
{
	struct node n;

	if (!read_node(w, pending->offset, &n)) {
		lost_node(w, pending->offset);
		return;
	}
	w->sample.stack = stack_of(w, &n, pending->caller);
	take_callees(w, &n, w->sample.stack);
	add_time(w, w->events[0], n.totals[0]);
	add_time(w, w->events[1], n.totals[1]);
}

void nps_tree_read(struct profile *p, const struct nps_tree *tree,
		   const struct nps_methods *methods, const struct sample *s,
		   const uint32_t events[2])
{
	struct walk w = {
		.profile = p,
		.tree = tree,
		.methods = methods,
		.events = events,
		.sample = *s,
		.node_size = tree->two_times ? NPS_NODE_TWO : NPS_NODE_ONE,
		.width = tree->full_len > NARROW_MAX ? 4 : 3,
	};

	w.room = tree->len / w.node_size;
	array_reserve(w.pending, w.cap, 1);
	w.pending[w.count++] = (struct pending){ 0, 0 };
	while (w.count) {
		struct pending next = w.pending[--w.count];

		visit(&w, &next);
	}
	free(w.pending);
}
